/** Asks one sage; every outcome has the same shape. */

import { keptReasoning, type SageAnswer, type Seat } from '../domain/turn.ts';
import { firstSentences, wholeWords } from '../domain/words.ts';
import { askInShape } from '../models/structured.ts';
import type { StepInput } from './council.ts';
import { type Deadline, failureOf } from './cutoff.ts';
import { sageMessages, sageShape } from './prompts/sage-prompt.ts';
import { growingText } from './streaming.ts';

/** Of an answer that came without a summary. */
const maxSummaryChars = 400;

/** Under an answer that is not whole. */
const cutMark = '\n\n[cut off here: the model reached its output limit]';

/** Its signal is also aborted with a `Cutoff` when the sage's time is up. */
export interface SageInput extends StepInput {
  readonly seat: Seat;
  /** Its clock stands still while a call waits for its turn. */
  readonly onWait: Deadline['pause'];
  /** Gets the whole answer so far, each time it has grown or begun anew. */
  readonly onGrowth: (answer: string) => void;
}

/** Never throws for what a model, a deadline or a stop does; that is in the answer's status and reason. */
export async function askSage(input: SageInput): Promise<SageAnswer> {
  const { seat, signal } = input;
  const model = input.models.sage(seat.sage);
  const startedAt = Date.now();
  const growing = growingText('answer', input.onGrowth);
  const ended = () => ({ sage: seat.sage.key, model: model.id, latencyMs: Date.now() - startedAt });
  try {
    const reply = await askInShape(
      model,
      {
        messages: sageMessages(
          seat.sage,
          input.request.question,
          seat.focus,
          input.council,
          input.context,
        ),
        stage: 'sage',
        sage: seat.sage.key,
        signal,
        onWait: input.onWait,
      },
      sageShape,
      growing,
    );
    const { by = model.id, reasoning, finishReason } = reply.reply;
    const kept = { ...ended(), model: by, ...keptReasoning(reasoning) };
    if (reply.status === 'shaped') return { ...kept, status: 'answered', ...reply.value };
    // After all tries: what people could read as it came, else the reply as it stands.
    const isCut = finishReason === 'length';
    const answer = (growing.text || reply.text) + (isCut ? cutMark : '');
    return {
      ...kept,
      status: 'answered',
      answer,
      summary: firstSentences(answer, maxSummaryChars),
    };
  } catch (error) {
    const failure = failureOf(error);
    const shown = wholeWords(growing.text);
    if (failure.reason === 'stopped') {
      return {
        ...ended(),
        status: 'stopped',
        answer: shown,
        summary: firstSentences(shown, maxSummaryChars),
        reason: 'stopped',
      };
    }
    return {
      ...ended(),
      status: 'failed',
      answer: `Error: ${failure.explanation}`,
      summary: 'Error invoking sage.',
      reason: failure.reason,
      ...(shown || failure.partial ? { partial: shown || failure.partial } : {}),
    };
  }
}

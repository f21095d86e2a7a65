/** Asks one sage. */

import { keptReasoning, type SageAnswer, type Seat } from '../domain/turn.ts';
import { firstSentences, wholeWords } from '../domain/words.ts';
import { askInShape } from '../models/structured.ts';
import type { StepInput } from './council.ts';
import { type CallDeadline, failureOf, keepsText } from './cutoff.ts';
import { sageMessages, sageShape } from './prompts/sage-prompt.ts';
import { growingText } from './streaming.ts';

/** The summary of an answer without one. It opens with its position. */
const summaryOf = (answer: string) => firstSentences(answer, 400);

/** Appended to an incomplete answer. */
const cutMark = '\n\n[cut off here: the model reached its output limit]';

export interface SageInput extends StepInput, CallDeadline {
  readonly seat: Seat;
  /** The person asks this sage and no other. */
  readonly isAskedAlone: boolean;
  /** Gets the whole answer so far each time it grows or restarts. */
  readonly onGrowth: (answer: string) => void;
}

/** Asks a sage. If the model fails, time runs out or the turn is stopped, `status` and `reason` say so. */
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
          // A sage that is asked again answers as one of the council in which it sat.
          input.isAskedAlone && input.request.follows?.again === undefined,
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
    if (reply.status === 'shaped') {
      const { answer, summary } = reply.value;
      return { ...kept, status: 'answered', answer, summary: summary || summaryOf(answer) };
    }
    // All retries failed: use the text that people saw growing, else the raw reply.
    const isCut = finishReason === 'length';
    const answer = growing.whole || (growing.text || reply.text) + (isCut ? cutMark : '');
    return { ...kept, status: 'answered', answer, summary: summaryOf(answer) };
  } catch (error) {
    const failure = failureOf(error);
    const { whole } = growing;
    const shown = whole || wholeWords(growing.text);
    const said = { ...ended(), answer: shown, summary: summaryOf(shown) };
    if (failure.reason === 'stopped') return { ...said, status: 'stopped', reason: 'stopped' };
    // Only the summary was lost, or the repair of a broken reply.
    if (whole && keepsText(failure)) return { ...said, status: 'answered' };
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

/** One blind review: the answers under labels of this reviewer's own, its text, and the ballot read from it. */

import { keptReasoning, type Review, type SageAnswer, type Seat } from '../domain/turn.ts';
import { readBallot } from './ballot.ts';
import type { StepInput } from './council.ts';
import { type Deadline, failureOf } from './cutoff.ts';
import { type LabelledAnswer, reviewMessages, shuffle } from './prompts/review-prompt.ts';

/** Code of the label of the answer that is shown first. */
export const firstLabel = 'A'.charCodeAt(0);

/** Its signal is also aborted with a `Cutoff` when the reviewer's time is up. */
export interface ReviewInput extends StepInput {
  readonly reviewer: Seat;
  /** Answers that were given; failed ones are not judged. */
  readonly answers: readonly SageAnswer[];
  /** Its clock stands still while a call waits for its turn. */
  readonly onWait: Deadline['pause'];
}

/** Never throws for what a model, a deadline or a stop does: such a review abstains and says why. */
export async function askReviewer(input: ReviewInput): Promise<Review> {
  const { reviewer, request, council } = input;
  const model = input.models.reviewer(reviewer.sage);
  const startedAt = Date.now();
  const seed = `${request.turnId}\n${reviewer.sage.key}`;
  const labels = shuffle(input.answers, seed).map((answer, index) => ({
    label: String.fromCharCode(firstLabel + index),
    answer,
  }));
  const ended = () => ({
    reviewer: reviewer.sage.key,
    model: model.id,
    labels: labels.map(({ label, answer }) => ({ label, sage: answer.sage })),
    latencyMs: Date.now() - startedAt,
  });
  const shown: readonly LabelledAnswer[] = labels.map(({ label, answer }) => ({
    label,
    answer: answer.answer,
  }));
  try {
    const reply = await model.complete({
      messages: reviewMessages(
        reviewer.sage,
        request.question,
        shown,
        council,
        input.context,
        seed,
      ),
      stage: 'review',
      sage: reviewer.sage.key,
      signal: input.signal,
      onWait: input.onWait,
    });
    const ballot = readBallot(
      reply.text,
      labels.map(({ label }) => label),
    );
    return { ...ended(), text: reply.text, ...keptReasoning(reply.reasoning), ballot };
  } catch (error) {
    const { reason, explanation, partial } = failureOf(error);
    return {
      ...ended(),
      text: partial,
      ballot: { status: 'abstained', reason: `No review: ${explanation}` },
      failure: { reason, explanation },
    };
  }
}

/**
 * The blind reviews. In each the answers stand under labels of that reviewer's own; the ballot is read from
 * its text.
 */

import { keptReasoning, type Review, type SageAnswer, type Seat } from '../domain/turn.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import { readBallot } from './ballot.ts';
import type { StepInput } from './council.ts';
import { type Deadline, failureOf } from './cutoff.ts';
import type { PassedCheckpoints, TurnEvent } from './events.ts';
import { gatherEach } from './gather.ts';
import {
  type LabelledAnswer,
  reviewMessages,
  secondBallotMessages,
  shuffle,
} from './prompts/review-prompt.ts';

/** Code of the label of the answer that is shown first. */
export const firstLabel = 'A'.charCodeAt(0);

/** An answer under the label that one reader knows it by. */
export interface Labelled extends LabelledAnswer {
  readonly of: SageAnswer;
}

/** @param seed - Decides who gets which label; the same one always gives the same. */
export function labelled(answers: readonly SageAnswer[], seed: string): readonly Labelled[] {
  return shuffle(answers, seed).map((answer, index) => ({
    label: String.fromCharCode(firstLabel + index),
    answer: answer.answer,
    of: answer,
  }));
}

/** Its signal is also aborted with a `Cutoff` when the reviewer's time is up. */
export interface ReviewInput extends StepInput {
  readonly reviewer: Seat;
  /** Answers that were given; failed ones are not judged. */
  readonly answers: readonly SageAnswer[];
  /** Its clock stands still while a call waits for its turn. */
  readonly onWait: Deadline['pause'];
}

/** A blind review. Never throws for what a model, a deadline or a stop does: such a review abstains and says why. */
export function askReviewer(input: ReviewInput): Promise<Review> {
  const { reviewer, request, council, context } = input;
  const seed = `${request.turnId}\n${reviewer.sage.key}`;
  return vote(input, 'review', seed, (shown) =>
    reviewMessages(reviewer.sage, request.question, shown, council, context, seed),
  );
}

/**
 * A second ballot, under labels and in an order that are new.
 *
 * @param input.answers - Of those that were asked for a rebuttal, as they stand now, in short.
 * @returns A review that is nothing but its ranking. Never throws, as {@link askReviewer}.
 */
export function askAgain(input: ReviewInput): Promise<Review> {
  const { reviewer, request } = input;
  const seed = `${request.turnId}\n${reviewer.sage.key}\nagain`;
  return vote(input, 'second_ballot', seed, (shown) =>
    secondBallotMessages(reviewer.sage, request.question, shown, seed),
  );
}

async function vote(
  input: ReviewInput,
  stage: 'review' | 'second_ballot',
  seed: string,
  messagesFor: (shown: readonly LabelledAnswer[]) => readonly ChatMessage[],
): Promise<Review> {
  const { reviewer } = input;
  const model = input.models.reviewer(reviewer.sage);
  const startedAt = Date.now();
  const shown = labelled(input.answers, seed);
  const labels = shown.map(({ label, of }) => ({ label, sage: of.sage }));
  const ended = () => ({
    reviewer: reviewer.sage.key,
    model: model.id,
    labels,
    latencyMs: Date.now() - startedAt,
  });
  try {
    const reply = await model.complete({
      messages: messagesFor(shown),
      stage,
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
      ballot: {
        status: 'abstained',
        reason: `No ${stage === 'review' ? 'review' : 'ballot'}: ${explanation}`,
      },
      failure: { reason, explanation },
    };
  }
}

/** What a stage is held on. */
export interface StageInput extends StepInput {
  readonly seats: readonly Seat[];
  /** Answers that were given, as they are shown to others. */
  readonly answers: readonly SageAnswer[];
  readonly passed?: PassedCheckpoints;
  readonly emit: (event: TurnEvent) => void;
}

/** The blind reviews, of all by all that answered. */
export async function holdReviews(input: StageInput): Promise<readonly Review[]> {
  input.emit({ type: 'stage_started', stage: 'reviews' });
  return gatherEach(seatsOf(input), {
    ...limitsOf(input),
    who: ({ sage }) => `The review of ${sage.name}`,
    earlier: ({ sage }) => input.passed?.reviews.find(({ reviewer }) => reviewer === sage.key),
    ask: (reviewer, { signal, pause }) =>
      askReviewer({ ...input, reviewer, signal, onWait: pause }),
    tell: (review) => input.emit({ type: 'reviewed', review }),
  });
}

/** Those that answered. */
export function seatsOf({ seats, answers }: StageInput): readonly Seat[] {
  return seats.filter(({ sage: { key } }) => answers.some(({ sage }) => sage === key));
}

/** How long the parts of a stage are waited for. */
export function limitsOf({ signal, council }: StageInput) {
  const { reviewTimeoutMs: timeoutMs, quorumShare, graceMs } = council.limits;
  return { signal, limits: { timeoutMs, quorumShare, graceMs } };
}

/**
 * Recordings: hand-written turns that show how a council works. Labels, ballots, ranking and dissent are computed
 * as in a live turn.
 */

import { z } from 'zod';
import { recordedThread } from '../domain/thread-id.ts';
import { type Review, type SageAnswer, sageSchema } from '../domain/turn.ts';
import { readBallot } from './ballot.ts';
import type { TurnEvent } from './events.ts';
import { type PastTurn, replayTurn } from './past-turn.ts';
import { verdictShape } from './prompts/chair-prompt.ts';
import { labelAt } from './prompts/review-prompt.ts';
import { evaluateReviews } from './ranked.ts';
import { findDissent } from './verdict.ts';

const text = z.string().trim().min(1);

/** The format of a file in `recordings/`. Answers and verdict have the shape of a model's reply. */
export const recordingSchema = z.strictObject({
  /** The subject, on one line. */
  title: text,
  question: text,
  /** All seated sages, because the bench may change. */
  sages: z.array(sageSchema.strict()),
  seats: z.array(z.strictObject({ answer: text, summary: text, sage: text, focus: text })).min(1),
  reviews: z.array(
    z.strictObject({
      reviewer: text,
      /** Keys of the sages, in the order of the answers for this reviewer. */
      order: z.array(text),
      /** `{key}` stands for the label of that sage's answer. */
      text,
      /** The gravest error of each answer, by its sage's key. */
      errors: z.record(z.string(), text),
      /** Keys, best first; absent: the review has no ranking and abstains. */
      ranking: z.array(text).optional(),
    }),
  ),
  verdict: z.strictObject(verdictShape.schema.shape),
});
export type Recording = z.infer<typeof recordingSchema>;

/** A recorded turn with everything that is stored of a live one. */
export interface RecordedTurn
  extends Required<
    Pick<PastTurn, 'request' | 'seated' | 'answers' | 'reviews' | 'ranked' | 'verdict'>
  > {
  readonly title: string;
}

/** Shown with every recorded turn. */
export const recordedNotice =
  'Recorded: this turn was written by hand to show how a council works. No model was called.';
/** Replaces the model's name. */
const recordedModel = 'recorded';
const untimed = { model: recordedModel, latencyMs: 0 };

/**
 * Builds the turn of a recording.
 *
 * @param name - The recording's name, also used for its thread.
 * @param at - The time of the question, in milliseconds since 1970.
 * @throws Error when a seat or a review names an unknown sage.
 */
export function recordedTurn(name: string, recording: Recording, at: number): RecordedTurn {
  const bench = new Map(recording.sages.map((sage) => [sage.key, sage]));
  const seats = recording.seats.map(({ sage: key, focus }) => {
    const sage = bench.get(key);
    if (!sage) throw new Error(`The recording ${name} seats ${key}, and does not say who that is.`);
    return { sage, focus, model: recordedModel };
  });
  const answers = recording.seats.map(
    ({ sage, answer, summary }): SageAnswer => ({
      sage,
      answer,
      summary,
      status: 'answered',
      ...untimed,
    }),
  );
  const reviews = recording.reviews.map((review) => recordedReview(review));
  // No model answered, so none is shared.
  const ranked = { ...evaluateReviews(reviews, answers, {}), sameModel: false };
  const {
    minority_report: minorityReport,
    confidence_reason: confidenceReason,
    next_questions: _,
    ...written
  } = recording.verdict;
  return {
    title: recording.title,
    request: {
      turnId: `recorded-${name}`,
      threadId: recordedThread(name),
      eventId: name,
      question: recording.question,
      author: { id: recordedModel, name: 'a recorded question' },
      askedAt: at,
      isPrivate: true,
    },
    seated: { seats, how: 'moderated', dropped: [], latencyMs: 0 },
    answers,
    reviews,
    ranked,
    verdict: {
      ...written,
      minorityReport,
      confidenceReason,
      kind: 'synthesis',
      dissent: [...findDissent(reviews, ranked.ranking, answers, seats)],
      by: recordedModel,
      notice: recordedNotice,
      latencyMs: 0,
    },
  };
}

function recordedReview(review: Recording['reviews'][number]): Review {
  const { reviewer, order, errors, ranking } = review;
  const labels = order.map((sage, index) => ({ label: labelAt(index), sage }));
  const responseOf = (sage: string) => {
    const label = labels.find((one) => one.sage === sage)?.label;
    if (!label) throw new Error(`A recorded review by ${reviewer} speaks of ${sage}, unseen.`);
    return `Response ${label}`;
  };
  const paragraphs = [
    [review.text.replace(/\{(\w+)\}/g, (_, sage: string) => responseOf(sage))],
    order.map((sage) => `GRAVEST ERROR: ${responseOf(sage)}: ${errors[sage] ?? 'none'}`),
    ranking
      ? ['FINAL RANKING:', ...ranking.map((sage, place) => `${place + 1}. ${responseOf(sage)}`)]
      : [],
  ];
  const written = paragraphs
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .trimEnd();
  const ballot = readBallot(
    written,
    labels.map(({ label }) => label),
  );
  return { reviewer, labels, text: written, ballot, ...untimed };
}

/** Returns the events of a live turn, without the growth of its texts. */
export function recordedEvents(turn: RecordedTurn): readonly TurnEvent[] {
  return replayTurn(turn, { outcome: 'answered', explanation: '' });
}

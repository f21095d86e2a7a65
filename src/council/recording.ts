/**
 * Recorded councils: whole turns that were written by hand to show how a council works. What a council
 * computes is computed here as well: labels, ballots, ranking and dissent.
 */

import { z } from 'zod';
import type { Ranked } from '../domain/stored-turn.ts';
import { recordedThread } from '../domain/thread-id.ts';
import {
  type Review,
  type SageAnswer,
  type Seated,
  sageSchema,
  type TurnRequest,
  type Verdict,
} from '../domain/turn.ts';
import { readBallot } from './ballot.ts';
import type { TurnEvent } from './events.ts';
import { retold } from './past-turn.ts';
import { verdictShape } from './prompts/chair-prompt.ts';
import { sageShape } from './prompts/sage-prompt.ts';
import { rankedBy } from './ranked.ts';
import { firstLabel } from './review.ts';
import { findDissent } from './verdict.ts';

const text = z.string().trim().min(1);

/** What a file in `recordings/` holds. Answers and verdict are what a model would have to reply. */
export const recordingSchema = z.strictObject({
  /** What it is about, on one line. */
  title: text,
  question: text,
  /** All who sit: the sages of a bench may be others by now. */
  sages: z.array(sageSchema.strict()),
  seats: z.array(sageShape.schema.extend({ sage: text, focus: text }).strict()).min(1),
  reviews: z.array(
    z.strictObject({
      reviewer: text,
      /** Keys of the sages, in the order in which this reviewer saw their answers. */
      order: z.array(text),
      /** `{key}` stands for the label of that sage's answer. */
      text,
      /** The gravest error of each answer, by the key of its sage. */
      errors: z.record(z.string(), text),
      /** Keys, best first; absent: the text ends as it does, and no ballot can be read from it. */
      ranking: z.array(text).optional(),
    }),
  ),
  verdict: z.strictObject(verdictShape.schema.shape),
});
export type Recording = z.infer<typeof recordingSchema>;

/** A recorded turn with everything that is kept of a live one. */
export interface RecordedTurn {
  readonly title: string;
  readonly request: TurnRequest;
  readonly seated: Seated;
  readonly answers: readonly SageAnswer[];
  readonly reviews: readonly Review[];
  readonly ranked: Ranked;
  readonly verdict: Verdict;
}

/** Said wherever a recorded turn is looked at. */
export const recordedWords =
  'Recorded: this council was written by hand to show how a turn goes. No model has spoken.';
/** Stands in the place of a model's name. */
const recordedModel = 'recorded';
const untimed = { model: recordedModel, latencyMs: 0 };

/**
 * @param name - Of the recording; its thread is named after it.
 * @param at - When it is taken for asked, in milliseconds since 1970.
 * @throws Error when a seat or a review names a sage that there is not.
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
      ...{ sage, answer, summary, status: 'answered', ...untimed },
    }),
  );
  const reviews = recording.reviews.map((review) => recordedReview(review));
  // No model has spoken, so that none is shared.
  const ranked = { ...rankedBy(reviews, answers, {}), sameModel: false };
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
      notice: recordedWords,
      latencyMs: 0,
    },
  };
}

function recordedReview(review: Recording['reviews'][number]): Review {
  const { reviewer, order, errors, ranking } = review;
  const labels = order.map((sage, index) => ({
    ...{ label: String.fromCharCode(firstLabel + index), sage },
  }));
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

/** What happens in it, as a live turn tells it, without the growth of its texts. */
export function recordedEvents(turn: RecordedTurn): readonly TurnEvent[] {
  return retold(turn, { outcome: 'answered', explanation: '' });
}

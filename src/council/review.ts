/**
 * The blind reviews. In each the answers stand under labels of that reviewer's own; the ballot is read from
 * its text.
 */

import { keptReasoning, type Review, type SageAnswer, type Seat } from '../domain/turn.ts';
import { firstSentences, oneLine } from '../domain/words.ts';
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
    onResult: (review) => input.emit({ type: 'reviewed', review }),
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

/** What one reviewer holds against one answer. */
export interface Objection {
  /** Key of the sage whose answer it is about. */
  readonly sage: string;
  /** On one line; other answers are called by the names of their sages. */
  readonly text: string;
}

/** What the chair needs of one; it is told to be one sentence. */
const maxObjectionChars = 400;
/** Far more than one line of a review should hold. */
const maxLineChars = 2000;

/** `GRAVEST ERROR: …` on one line, in any case, as an item or heading. A quoted line is another author's. */
const gravestError = /^[*_#•–\-\d.) ]*gravest error ?(?:[:–—-]|in|of|for|\()? ?(.+)$/iu;
/** `Response B: …`, as what a line begins with or is about. */
const aboutAnswer =
  /^[*_#•–\- ]*(response |answer )?["'“]?(\p{L}{1,2}|\d{1,2})["'”]?\)?(?: ?[:.–—-] ?(.*))?$/iu;
const noObjection = /^["“(]?(?:none|no (?:grave |real )?error|noObjection|n\/a|…|-|–|—)[."”)]*$/i;

/**
 * Finds the line in which a reviewer names an answer's gravest error.
 *
 * @param nameOf - The name of a sage by its key; stands for the labels, which mean noObjection outside of this review.
 * @returns At most one of each answer, in the order of the review. A line that can't be read, is about a
 *   label that was not shown, or says that there is noObjection, is left out. Never throws. Takes time linear
 *   in the text.
 */
export function readObjections(
  { text, labels }: Pick<Review, 'text' | 'labels'>,
  nameOf: (sage: string) => string,
): readonly Objection[] {
  const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
  const found = new Map<string, Objection>();
  let heading: string | undefined;
  for (const line of text.split('\n')) {
    const plain = oneLine(line.slice(0, maxLineChars).replaceAll('**', ''));
    const [, told] = gravestError.exec(plain) ?? [];
    const [, word, label, rest = ''] = aboutAnswer.exec(told ?? plain) ?? [];
    if (told === undefined) {
      if (word !== undefined) heading = label?.toUpperCase();
      continue;
    }
    // Under the heading of an answer, its label need not be said again.
    const sage = sageOf.get(label?.toUpperCase() ?? heading ?? '');
    const error = label === undefined ? told : rest;
    if (sage === undefined || found.has(sage) || error === '' || noObjection.test(error)) continue;
    const named = error.replace(/\bresponse (\p{L}{1,2}|\d{1,2})\b/giu, (whole, other: string) => {
      const about = sageOf.get(other.toUpperCase());
      return about === undefined ? whole : nameOf(about);
    });
    found.set(sage, { sage, text: firstSentences(named, maxObjectionChars) });
  }
  return [...found.values()];
}

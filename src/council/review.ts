/** The blind reviews: each reviewer sees the answers under its own labels; ballot and objections are read from its text. */

import { keptReasoning, type Review, type SageAnswer, type Seat } from '../domain/turn.ts';
import { answerWords, reviewInWords } from '../domain/turn-words.ts';
import { firstSentences, oneLine } from '../domain/words.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import { readBallot } from './ballot.ts';
import type { StepInput } from './council.ts';
import { type CallDeadline, failureOf } from './cutoff.ts';
import type { PassedCheckpoints, TurnEvent } from './events.ts';
import { gatherEach } from './gather.ts';
import {
  type LabelledAnswer,
  labelAt,
  reviewMessages,
  secondBallotMessages,
  shuffle,
} from './prompts/review-prompt.ts';

/** An answer under its label for one reader. */
export interface Labelled extends LabelledAnswer {
  readonly of: SageAnswer;
}

/** Shuffles and labels the answers. @param seed - The same seed gives the same labels. */
export function labelled(answers: readonly SageAnswer[], seed: string): readonly Labelled[] {
  return shuffle(answers, seed).map((answer, index) => ({
    label: labelAt(index),
    answer: answer.answer,
    of: answer,
  }));
}

export interface ReviewInput extends StepInput, CallDeadline {
  readonly reviewer: Seat;
  /** Without failed answers. */
  readonly answers: readonly SageAnswer[];
}

/** Asks for a blind review. If a model fails, time runs out or the turn is stopped, the review abstains and says why. */
function askReviewer(input: ReviewInput): Promise<Review> {
  const { reviewer, request, council, context } = input;
  const seed = `${request.turnId}\n${reviewer.sage.key}`;
  return vote(input, 'review', seed, (shown) =>
    reviewMessages(reviewer.sage, request.question, shown, council, context, seed),
  );
}

/**
 * Asks for a second ballot, with new labels in a new order. Failures are handled as in {@link askReviewer}.
 *
 * @param input.answers - From `partiesAsTheyStand`.
 * @returns A review that consists only of its ranking.
 */
export function askSecondBallot(input: ReviewInput): Promise<Review> {
  const { reviewer, request, context } = input;
  const seed = `${request.turnId}\n${reviewer.sage.key}\nagain`;
  return vote(input, 'second_ballot', seed, (shown) =>
    secondBallotMessages(reviewer.sage, request.question, shown, context, seed),
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
    const { text, reasoning, by = model.id } = reply;
    const ballot = readBallot(
      text,
      labels.map(({ label }) => label),
    );
    return { ...ended(), model: by, text, ...keptReasoning(reasoning), ballot };
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

/** The input of the steps after the answers: the reviews, the rebuttal round and the verdict. */
export interface StageInput extends StepInput {
  readonly seats: readonly Seat[];
  /** Without failed answers, cut to the length that others see. None if the chair answers alone. */
  readonly answers: readonly SageAnswer[];
  readonly passed?: PassedCheckpoints;
  readonly emit: (event: TurnEvent) => void;
}

/** Has every sage that answered review all answers. */
export async function holdReviews(input: StageInput): Promise<readonly Review[]> {
  input.emit({ type: 'stage_started', stage: 'reviews' });
  return gatherEach(seatsOf(input), {
    ...limitsOf(input),
    who: ({ sage }) => `The review of ${sage.name}`,
    earlier: ({ sage }) => input.passed?.reviews.find(({ reviewer }) => reviewer === sage.key),
    ask: (reviewer, deadline) => askReviewer({ ...input, ...deadline, reviewer }),
    onResult: (review) => input.emit({ type: 'reviewed', review }),
  });
}

/** The seats of the sages that answered. */
export function seatsOf({ seats, answers }: StageInput): readonly Seat[] {
  return seats.filter(({ sage: { key } }) => answers.some(({ sage }) => sage === key));
}

/** The time limits of a stage's parallel calls. */
export function limitsOf({ signal, council }: StageInput) {
  const { reviewTimeoutMs: timeoutMs, quorumShare, graceMs } = council.limits;
  return { signal, limits: { timeoutMs, quorumShare, graceMs } };
}

/** One reviewer's objection to one answer. */
export interface Objection {
  /** Key of the sage whose answer it concerns. */
  readonly sage: string;
  /** On one line, with sages' names instead of labels. */
  readonly text: string;
}

/** Longer objections are cut for the chair; the prompt asks for one sentence. */
const maxObjectionChars = 400;
/** Longer lines are cut. */
const maxLineChars = 2000;

/** `GRAVEST ERROR: …` in any case, as an item or heading. Quoted lines don't match. */
const gravestError = /^[*_#•–\-\d.) ]*gravest error ?(?:[:：–—-]|in|of|for|\()? ?(.+)$/iu;
/** `Response B: …` at the start of a line, or as a heading. */
const aboutAnswer = new RegExp(
  `^[*_#•–\\- ]*((?:${answerWords})(?: |(?<=答)))?["'“„]?(\\p{L}{1,2}|\\d{1,2})["'”“]?\\)?(?: ?[:：.–—-] ?(.*))?$`,
  'iu',
);
/** `MISSED BY ALL: …`, written in the same ways. */
const missedByAll = /^[*_#•–\-\d.) ]*missed by all ?[:：–—-] ?(.+)$/iu;
/** Some reviewers translate the word. */
const noObjection =
  /^["“(]?(?:none(?:(?: that| which|[,;:–—-]| [–—-]).*)?|no (?:grave |real )?error|nothing|n\/a|…|-|–|—|keine[rn]?|nichts|aucune?|rien|ningun[oa]|nada|nessun[oa]?|nenhuma?|geen|нет|ні|(?:特に)?なし|没有|无|無)[."”)。]*$/iu;

/**
 * Reads the gravest error of each answer from a review.
 *
 * @param nameOf - Returns a sage's name by its key; names replace the labels, which mean nothing outside this review.
 * @returns At most one per answer, in the order of the review. Skips lines that can't be read, name an unknown
 *   label, or report no error. Never throws. Takes time linear in the text.
 */
export function readObjections(
  { text, labels }: Pick<Review, 'text' | 'labels'>,
  nameOf: (sage: string) => string,
): readonly Objection[] {
  const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
  const found = new Map<string, Objection>();
  let heading: string | undefined;
  for (const line of text.split('\n')) {
    const plain = plainLine(line);
    const [, objection] = gravestError.exec(plain) ?? [];
    const [, word, label, rest = ''] = aboutAnswer.exec(objection ?? plain) ?? [];
    if (objection === undefined) {
      if (word !== undefined) heading = label?.toUpperCase();
      continue;
    }
    // Under an answer's heading, the line needs no label.
    const sage = sageOf.get(label?.toUpperCase() ?? heading ?? '');
    const error = label === undefined ? objection : rest;
    if (sage === undefined || found.has(sage) || error === '' || noObjection.test(error)) continue;
    found.set(sage, { sage, text: inNames(error, labels, nameOf) });
  }
  return [...found.values()];
}

/** What a review says that none of the answers considers, with names in place of labels. Absent if it names nothing. */
export function readMissedByAll(
  { text, labels }: Pick<Review, 'text' | 'labels'>,
  nameOf: (sage: string) => string,
): string | undefined {
  for (const line of text.split('\n')) {
    const [, missed = ''] = missedByAll.exec(plainLine(line)) ?? [];
    if (missed === '' || noObjection.test(missed)) continue;
    return inNames(missed, labels, nameOf);
  }
  return undefined;
}

/** The first sentences, with the sages' names instead of labels. */
function inNames(text: string, labels: Review['labels'], nameOf: (sage: string) => string): string {
  return firstSentences(reviewInWords({ text, labels }, nameOf), maxObjectionChars);
}

function plainLine(line: string): string {
  return oneLine(line.slice(0, maxLineChars).replaceAll('**', ''));
}

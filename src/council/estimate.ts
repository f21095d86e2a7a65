/** The calls that a turn, a sage's draft, minutes, a summary or an embedding will make, and their size. */

import type { Depth } from '../domain/asking.ts';
import { mostParties } from '../domain/docket.ts';
import type { Sage } from '../domain/turn.ts';
import type { Council } from './council.ts';

/** Calls of one model that are much alike, before any is made. */
export interface PlannedCalls {
  /** `provider:model`. */
  readonly model: string;
  /** A fraction where it is open which models are asked. */
  readonly count: number;
  /** What each reads and writes, roughly. Reasoning tokens are not foreseen. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Tokens by what the prompts ask for, at four for three words: the chair's own answer of at most 180 words;
 * a verdict of at most 240 words and a sentence or two of each thing beside it; a review of two or three sentences for each answer, one of them
 * the objection that the chair reads. The fixed parts of the prompts are measured by their length, at four
 * characters a token, with the persona or the bench that stands in those of a turn.
 */
const tokens = {
  instructions: 600,
  turnInstructions: 800,
  seating: 250,
  summary: 60,
  reviewPerAnswer: 100,
  objection: 35,
  verdict: 600,
  docket: 450,
  rebuttal: 130,
  stance: 120,
  secondBallot: 40,
  settlement: 160,
  ownInstructions: 250,
  ownAnswer: 240,
  draft: 450,
  sideTask: 150,
  brief: 700,
  record: 1200,
  shard: 450,
  shardInstructions: 300,
};
const charsPerToken = 4;
const tokensPerWord = 4 / 3;

/** Work of one call, in tokens: what it reads besides what it is given, and what it writes. */
const singleCalls = {
  /** The prompt of a custom sage. */
  draft: [tokens.instructions, tokens.draft],
  /** Whether to respond to a remark, and who sits for it. */
  remark: [tokens.turnInstructions, tokens.seating],
  /** A small task of a chat program, e.g. a title. */
  sideTask: [0, tokens.sideTask],
  embedding: [0, 0],
  /** The summary of so much that was said. */
  shard: [tokens.shardInstructions, tokens.shard],
} as const;

/** @param contextTokens - Earlier talk that is read with it. */
export function planCall(
  work: keyof typeof singleCalls,
  model: string,
  chars: number,
  contextTokens = 0,
): PlannedCalls {
  const [instructions, outputTokens] = singleCalls[work];
  const inputTokens = instructions + contextTokens + chars / charsPerToken;
  return { model, count: 1, inputTokens, outputTokens };
}

/** Minutes, with one repair of the brief. */
export function planMinutes(
  models: { readonly brief: string; readonly record: string },
  discussionChars: number,
): readonly PlannedCalls[] {
  const { brief, record } = tokens;
  const inputTokens = tokens.instructions + discussionChars / charsPerToken;
  const repair = { count: 1, inputTokens: inputTokens + brief, outputTokens: brief };
  return [
    { model: models.brief, count: 1, inputTokens, outputTokens: brief },
    { model: models.brief, ...repair },
    { model: models.record, ...repair, outputTokens: record },
  ];
}

/** Who answers in which part, by name; what a council is handed is one of these. */
export interface NamedModels {
  readonly moderator: Named;
  readonly sage: (sage: Sage) => Named;
  readonly reviewer: (sage: Sage) => Named;
  readonly chair: Named;
}

interface Named {
  /** `provider:model`. */
  readonly id: string;
}

/**
 * A turn, with as much of earlier talk in every prompt as fits: how much there is has not been
 * read yet.
 */
export function planTurn(
  council: Council,
  models: NamedModels,
  asked: {
    readonly questionChars: number;
    readonly depth: Depth;
    readonly sages: readonly string[] | undefined;
    /** Who sits is known, and paid for. */
    readonly isSeated: boolean;
    /** Answers and reviews are there, and paid for. Absent: they are not. */
    readonly isReviewed?: boolean;
    /** The most that a prompt holds of earlier talk; 0 where nothing is recalled. */
    readonly contextTokens: number;
    /** The most that a prompt holds of people's conversation; absent: none is read. */
    readonly heardChars?: number;
  },
): readonly PlannedCalls[] {
  const { questionChars, heardChars = 0, contextTokens, isReviewed = false } = asked;
  const askedTokens = (questionChars + heardChars) / charsPerToken;
  const input = tokens.turnInstructions + contextTokens + askedTokens;
  const fixed = asked.sages ?? (council.seats === 'moderated' ? undefined : council.seats);
  const seats = fixed?.length ?? council.maxSages;
  const isAlone = asked.sages?.length === 1;
  const named = council.bench.filter(({ key }) => fixed?.includes(key));
  const maySit = named.length > 0 ? named : council.bench;
  const withReviews = asked.depth !== 'quick' && seats > 1;
  const withRound = asked.depth === 'deep' && seats > 1;
  const parties = withRound ? Math.min(mostParties, seats) : 0;
  const answer = Math.ceil(council.answerWords * tokensPerWord);
  const withAnswers = input + seats * answer;
  // What the round asks has no earlier talk in it.
  const again = tokens.turnInstructions + askedTokens;
  const objections = withReviews ? seats * seats * tokens.objection : 0;
  const parts = [
    {
      ...{ model: models.moderator.id, count: fixed || asked.isSeated || isReviewed ? 0 : 1 },
      ...{ inputTokens: input, outputTokens: tokens.seating },
    },
    ...shared(isReviewed ? 0 : seats, maySit.map(models.sage), {
      ...{ inputTokens: input, outputTokens: answer + tokens.summary },
    }),
    ...shared(withReviews && !isReviewed ? seats : 0, maySit.map(models.reviewer), {
      ...{ inputTokens: withAnswers, outputTokens: seats * tokens.reviewPerAnswer },
    }),
    {
      ...{ model: models.chair.id, count: withRound ? 1 : 0 },
      ...{ inputTokens: again + seats * answer, outputTokens: tokens.docket },
    },
    ...shared(parties, maySit.map(models.sage), {
      ...{ inputTokens: again + answer + tokens.docket, outputTokens: tokens.rebuttal },
    }),
    ...shared(withRound ? seats : 0, maySit.map(models.reviewer), {
      ...{ inputTokens: again + parties * (tokens.stance + tokens.rebuttal) },
      ...{ outputTokens: tokens.secondBallot },
    }),
    {
      ...{ model: models.chair.id, count: isAlone || isReviewed ? 0 : 1 },
      ...{ inputTokens: input - tokens.turnInstructions + tokens.ownInstructions },
      outputTokens: tokens.ownAnswer,
    },
    {
      ...{ model: models.chair.id, count: isAlone ? 0 : 1 },
      inputTokens:
        withAnswers +
        objections +
        tokens.ownAnswer +
        (withRound ? tokens.docket + parties * tokens.rebuttal : 0),
      outputTokens: tokens.verdict + (withRound ? tokens.settlement : 0),
    },
  ];
  return parts.filter(({ count }) => count > 0);
}

/** So many calls, each of any of these models alike. */
function shared(
  count: number,
  models: readonly Named[],
  size: Pick<PlannedCalls, 'inputTokens' | 'outputTokens'>,
): readonly PlannedCalls[] {
  const byModel = Map.groupBy(models, ({ id }) => id);
  return Array.from(byModel, ([model, { length }]) => ({
    ...{ model, count: (count * length) / models.length },
    ...size,
  }));
}

/** Estimates the model calls of a turn, a sage's draft, minutes, a summary or an embedding, and their tokens. */

import type { Depth } from '../domain/asking.ts';
import { mostParties } from '../domain/docket.ts';
import type { Sage } from '../domain/turn.ts';
import type { ChatModel } from '../models/chat-model.ts';
import type { Council } from './council.ts';
import { maxWords } from './prompts/chair-prompt.ts';

/** Similar calls of one model, before they are made. */
export interface PlannedCalls {
  /** `provider:model`. */
  readonly model: string;
  /** A fraction if it's open which models will be asked. */
  readonly count: number;
  /** Roughly, for each call. */
  readonly inputTokens: number;
  /** Without reasoning tokens. */
  readonly outputTokens: number;
}

const charsPerToken = 4;
const tokensPerWord = 4 / 3;

/**
 * Tokens of what the prompts ask for: a verdict has a sentence or two in each field beside it; a review has two or
 * three sentences per answer, one of them the objection for the chair. The fixed parts of prompts, with the persona
 * or bench, are measured.
 */
const tokens = {
  instructions: 600,
  turnInstructions: 800,
  seating: 250,
  summary: 60,
  reviewPerAnswer: 100,
  objection: 35,
  verdict: Math.ceil(maxWords.verdict * tokensPerWord) + 280,
  docket: 450,
  rebuttal: 130,
  stance: 120,
  secondBallot: 40,
  settlement: 160,
  ownInstructions: 250,
  ownAnswer: Math.ceil(maxWords.ownAnswer * tokensPerWord),
  draft: 450,
  sideTask: 150,
  brief: 700,
  record: 1200,
  shard: 450,
  shardInstructions: 300,
};

/** Work that takes one call: its fixed input and its output, in tokens. */
const singleCalls = {
  /** The prompt of a custom sage. */
  draft: [tokens.instructions, tokens.draft],
  /** The decision whether to respond to a remark, and the seating. */
  remark: [tokens.turnInstructions, tokens.seating],
  /** A small task of a chat client, e.g. a title. */
  sideTask: [0, tokens.sideTask],
  embedding: [0, 0],
  /** Minutes: the brief, its one repair, and the record that is made of it. */
  brief: [tokens.instructions, tokens.brief],
  repairedBrief: [tokens.instructions + tokens.brief, tokens.brief],
  record: [tokens.instructions + tokens.brief, tokens.record],
  /** The summary of some messages, or of a long history's older questions. */
  shard: [tokens.shardInstructions, tokens.shard],
} as const;

/** @param contextTokens - Tokens of earlier conversation in the prompt. */
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

type Named = Pick<ChatModel, 'id'>;

/** The ids of the models for each role; `CouncilModels` is one of these. */
type NamedModels = Readonly<Record<'moderator' | 'chair', Named>> &
  Readonly<Record<'sage' | 'reviewer', (sage: Sage) => Named>>;

/** Tokens that stand in every prompt besides the usual instructions and the question, e.g. the date. */
export const leastContextTokens = 300;

/** Plans a turn. */
export function planTurn(
  council: Council,
  models: NamedModels,
  asked: {
    readonly questionChars: number;
    readonly depth: Depth;
    readonly sages: readonly string[] | undefined;
    /** The seating is done and paid for. */
    readonly isSeated: boolean;
    /** Answers and reviews are done and paid for. Absent: they aren't. */
    readonly isReviewed?: boolean;
    /** Tokens of earlier conversation, what was read around the question, and instructions in a prompt. */
    readonly contextTokens: number;
  },
): readonly PlannedCalls[] {
  const { questionChars, contextTokens, isReviewed = false } = asked;
  const input = tokens.turnInstructions + contextTokens + questionChars / charsPerToken;
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
  const objections = withReviews ? seats * seats * tokens.objection : 0;
  const sages = maySit.map(models.sage);
  const reviewers = maySit.map(models.reviewer);
  const isSeated = fixed !== undefined || asked.isSeated || isReviewed;
  const roundTokens = withRound ? tokens.docket + parties * tokens.rebuttal : 0;
  const onPositions = input + parties * (tokens.stance + tokens.rebuttal);
  const onQuestion = input - tokens.turnInstructions + tokens.ownInstructions;
  const forVerdict = withAnswers + objections + tokens.ownAnswer + roundTokens;
  const verdict = tokens.verdict + (withRound ? tokens.settlement : 0);
  return [
    ...spread([models.moderator], isSeated ? 0 : 1, input, tokens.seating),
    ...spread(sages, isReviewed ? 0 : seats, input, answer + tokens.summary),
    ...spread(
      reviewers,
      withReviews && !isReviewed ? seats : 0,
      withAnswers,
      seats * tokens.reviewPerAnswer,
    ),
    ...spread([models.chair], withRound ? 1 : 0, withAnswers, tokens.docket),
    ...spread(sages, parties, input + answer + tokens.docket, tokens.rebuttal),
    ...spread(reviewers, withRound ? seats : 0, onPositions, tokens.secondBallot),
    ...spread([models.chair], isAlone || isReviewed ? 0 : 1, onQuestion, tokens.ownAnswer),
    ...spread([models.chair], isAlone ? 0 : 1, forVerdict, verdict),
  ];
}

/** Spreads similar calls evenly over models. */
function spread(
  models: readonly Named[],
  count: number,
  inputTokens: number,
  outputTokens: number,
): readonly PlannedCalls[] {
  if (count === 0) return [];
  const byModel = Map.groupBy(models, ({ id }) => id);
  return Array.from(byModel, ([model, { length }]) => ({
    model,
    count: (count * length) / models.length,
    inputTokens,
    outputTokens,
  }));
}

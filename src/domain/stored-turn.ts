/** The stored form of a turn: its steps by kind, and the content of its messages. */

import { z } from 'zod';
import { docketSchema, rebuttalSchema } from './docket.ts';
import { heardSchema } from './heard.ts';
import {
  disagreementSchema,
  ownAnswerSchema,
  rankingSchema,
  reviewSchema,
  type SageAnswer,
  type Seat,
  sageAnswerSchema,
  seatedSchema,
  type Verdict,
  verdictSchema,
} from './turn.ts';

const rankedSchema = z.object({
  ranking: rankingSchema,
  /** All sages used the same model. */
  sameModel: z.boolean(),
  /** The model family of all sages, e.g. `GPT`; absent: several, unknown, or a turn of an earlier version. */
  family: z.string().exactOptional(),
  /** The channel's criteria for judging answers; absent: their usefulness alone. */
  criteria: z.string().exactOptional(),
  /** Absent with fewer than three complete ballots, and in turns of earlier versions. */
  disagreement: disagreementSchema.exactOptional(),
});
export type Ranked = z.infer<typeof rankedSchema>;

/** A piece of earlier conversation, by id only: forgetting it leaves no text behind here. */
const memoryPieceSchema = z.object({
  kind: z.enum(['question', 'message', 'shard']),
  threadId: z.string(),
  id: z.string(),
});
export type MemoryPiece = z.infer<typeof memoryPieceSchema>;

/** The earlier conversation in the prompts, and what was left out. */
const memoryUseSchema = z.object({
  budgetTokens: z.number(),
  /** Estimated, for the sages' prompts or the chair's, whichever is larger. */
  tokens: z.number(),
  /** Pinned pieces first. */
  used: z
    .array(
      memoryPieceSchema.extend({
        tokens: z.number(),
        isPinned: z.literal(true).exactOptional(),
        /** A question whose answers were shortened to fit. */
        isShortened: z.literal(true).exactOptional(),
      }),
    )
    .readonly(),
  /** Nothing was recalled, because a record of it is damaged in the store. */
  isDamaged: z.literal(true).exactOptional(),
  /** How many pieces were left out, by reason. Absent in turns of earlier versions. */
  notShown: z
    .object({
      overBudget: z.number(),
      /** Already in the recent history. */
      inHistory: z.number(),
      /** A more relevant piece says the same. */
      saidTwice: z.number(),
      /** The model failed to shorten a long history. */
      notCompacted: z.number(),
    })
    .exactOptional(),
});
export type MemoryUse = z.infer<typeof memoryUseSchema>;

const endedSchema = z.object({
  explanation: z.string(),
  /** Milliseconds from the start of each stage to the next, in the attempt that ended the turn. */
  stagesMs: z.record(z.string(), z.number()),
  /** How many earlier interactions the sages saw. */
  interactionsRemembered: z.number(),
  /** Absent in turns of earlier versions, and in those that ended before anything was recalled. */
  memory: memoryUseSchema.exactOptional(),
  /** Notes on the models that were called, e.g. `vllm:qwen3 speaks JSON without schema`. */
  remarks: z.array(z.string()).readonly().exactOptional(),
});
export type Ended = z.infer<typeof endedSchema>;

/** A sage's result in a turn, for the leaderboard. Its only text is the sage's name. */
const sageScoreSchema = z.object({
  /** Key of the sage. */
  sage: z.string(),
  name: z.string(),
  /** `provider:model` that spoke for it. */
  model: z.string(),
  /** Share of pairwise comparisons that its answer won, 0 to 1. */
  won: z.number(),
  /** 1 if its answer came first; a shared first place is divided. */
  first: z.number(),
  /** Whether its own review gave a readable ballot. Absent: it wrote no review. */
  ballot: z.enum(['ranked', 'abstained']).exactOptional(),
  /** How many places higher it put its own answer than the others did. */
  ownPlaces: z.number().exactOptional(),
  /** It had to argue for an option, so its answer is not compared with the others. */
  isOnRequest: z.boolean().exactOptional(),
  /** US dollars for its calls, as far as known. */
  costUsd: z.number(),
});

const scoreSchema = z.object({
  /** As in the request; absent: unknown, and treated as private. */
  isPrivate: z.boolean().exactOptional(),
  isPrivateThread: z.boolean().exactOptional(),
  /** The sages whose answers were judged. */
  sages: z.array(sageScoreSchema),
  /** Mean Kendall tau of all pairs of ballots, -1 to 1; absent with fewer than two. */
  agreement: z.number().exactOptional(),
});
export type Score = z.infer<typeof scoreSchema>;

/** How a person may rate a turn. */
export const ratings = ['good', 'bad'] as const;
const feedbackSchema = z.object({ rating: z.enum(ratings) });
export type Feedback = z.infer<typeof feedbackSchema>;

/** A later turn that was started from the buttons below a verdict. */
const followedSchema = z.object({
  turnId: z.string(),
  /** Key of the sage that was asked again. */
  sage: z.string().exactOptional(),
  /** Index of the suggested question, from 0. */
  suggestion: z.int().min(0).exactOptional(),
});
export type Followed = z.infer<typeof followedSchema>;

/** The posting of a verdict to the channel. */
const postedSchema = z.object({
  /** When posting began, in milliseconds since 1970. */
  at: z.number(),
  /** The platform's id of the post; absent: unknown whether the post exists. */
  post: z.string().exactOptional(),
});
export type Posted = z.infer<typeof postedSchema>;
export type Rating = Feedback['rating'];

/** The steps of a turn by kind, in the order in which they are stored. */
export const stepSchemas = {
  /** The channel's settings when the turn was seated, by name. */
  settings: z.record(z.string(), z.unknown()),
  /** Where a platform shows the turn, in a format of its own. */
  shown: z.object({ place: z.string() }),
  /** The conversation that was read for it. */
  heard: heardSchema,
  seated: seatedSchema,
  own_answer: ownAnswerSchema,
  reviewed: reviewSchema,
  docket: docketSchema,
  rebutted: rebuttalSchema,
  /** A second ballot, as a review that consists only of its ranking. */
  recast: reviewSchema,
  ranked: rankedSchema,
  verdict: verdictSchema,
  /** Somebody has asked to stop it. */
  stop: z.object({}),
  ended: endedSchema,
  /** Written by the later turn that takes this one deeper. */
  deepened: z.object({ turnId: z.string() }),
  /** Results for the leaderboard, for ranked turns. */
  scored: scoreSchema,
  /** Written after the turn, one per person. */
  feedback: feedbackSchema,
  /** Written after the turn, one per turn that was started below its verdict. */
  followed: followedSchema,
  posted: postedSchema,
} as const;

/** What people did with a verdict. */
export interface VerdictUses {
  readonly followed: readonly Followed[];
  readonly posted?: Posted;
}

/** The data of each kind of step. */
export type TurnStepData = {
  readonly [Kind in keyof typeof stepSchemas]: z.infer<(typeof stepSchemas)[Kind]>;
};

/** {@link stepSchemas}, for a kind that is a type parameter. */
export const schemaOfStep: {
  readonly [Kind in keyof TurnStepData]: z.ZodType<TurnStepData[Kind]>;
} = stepSchemas;

/** The content of the question's message. */
export const questionContentSchema = z.object({ type: z.literal('user_query'), text: z.string() });
const answerContentSchema = sageAnswerSchema.extend({ type: z.literal('sage_output') });

/** Returns an answer as the content of its message. */
export function answerContent(answer: SageAnswer): z.infer<typeof answerContentSchema> {
  return { type: 'sage_output', ...answer };
}

/**
 * The fields that may be present in an imported answer or one stored by an earlier version. Readers pick the
 * fields they require, and show content without them as it is.
 */
export const anyAnswerSchema = sageAnswerSchema.pick({ answer: true, summary: true }).extend({
  status: z.string().optional(),
});

/** Lists the models of a turn's sages and chair, without repeats: a sage may be asked again with any of them. */
export function modelsIn(seats: readonly Seat[], verdict: Verdict | undefined): readonly string[] {
  const ofChair = verdict?.kind === 'synthesis' ? [verdict.by] : [];
  return [...new Set([...seats.map(({ model }) => model), ...ofChair])];
}

/** A turn as it is stored: its steps by kind, what is noted beside its records, and the content of its messages. */

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
  /** All sages spoke through one model. */
  sameModel: z.boolean(),
  /** The family that the models of all sages are of, e.g. `GPT`; absent: several, unknown, or a turn of an earlier version. */
  family: z.string().exactOptional(),
  /** What the answers were judged by, as the channel was set; absent: by their use alone. */
  criteria: z.string().exactOptional(),
  /** Absent with fewer than three whole ballots, and in turns of earlier versions. */
  disagreement: disagreementSchema.exactOptional(),
});
export type Ranked = z.infer<typeof rankedSchema>;

/** A piece of earlier talk by its id alone: no text outlives what is forgotten. */
const memoryPieceSchema = z.object({
  kind: z.enum(['question', 'message', 'shard']),
  threadId: z.string(),
  id: z.string(),
});
export type MemoryPiece = z.infer<typeof memoryPieceSchema>;

/** What the prompts held of earlier talk, and what was left out. */
const memoryUseSchema = z.object({
  budgetTokens: z.number(),
  /** Estimated; of the sages' prompts or the chair's, whichever has more. */
  tokens: z.number(),
  /** Pinned pieces come first. */
  used: z
    .array(
      memoryPieceSchema.extend({
        tokens: z.number(),
        isPinned: z.literal(true).exactOptional(),
        /** A question whose answers are in short, because there was no room for the whole. */
        isShortened: z.literal(true).exactOptional(),
      }),
    )
    .readonly(),
  /** How many pieces were left out, by reason. Absent in turns of earlier versions. */
  notShown: z
    .object({
      overBudget: z.number(),
      /** Among the last questions anyway. */
      inHistory: z.number(),
      /** Something nearer to the question says the same. */
      saidTwice: z.number(),
      /** The model that shortens a long history failed. */
      notCompacted: z.number(),
    })
    .exactOptional(),
});
export type MemoryUse = z.infer<typeof memoryUseSchema>;

const endedSchema = z.object({
  explanation: z.string(),
  /** Milliseconds from the start of a stage to the start of the next, of the attempt that ended the turn. */
  stagesMs: z.record(z.string(), z.number()),
  /** How many earlier interactions the sages were shown. */
  interactionsRemembered: z.number(),
  /** Absent for turns of earlier versions, and for those that ended before anything was recalled. */
  memory: memoryUseSchema.exactOptional(),
  /** Notes on the models that were called, e.g. `vllm:qwen3 speaks JSON without schema`. */
  remarks: z.array(z.string()).readonly().exactOptional(),
});
export type Ended = z.infer<typeof endedSchema>;

/** How a sage fared in a turn: all that a leaderboard reads of it. It holds no text but its name. */
const sageScoreSchema = z.object({
  /** Key of the sage. */
  sage: z.string(),
  name: z.string(),
  /** `provider:model` that spoke for it. */
  model: z.string(),
  /** Share of the comparisons that its answer won, 0 to 1. */
  won: z.number(),
  /** 1 where its answer came first; of several that did, the share of each. */
  first: z.number(),
  /** What became of its own review: a ballot was read from it, or none. Absent: it had none to write. */
  ballot: z.enum(['ranked', 'abstained']).exactOptional(),
  /** How many places higher it put its own answer than the others did. */
  ownPlaces: z.number().exactOptional(),
  /** US dollars of the calls that were made for it, as far as they are known. */
  costUsd: z.number(),
});

const scoreSchema = z.object({
  /** As the request says where it was asked; absent: unknown, and treated as private. */
  isPrivate: z.boolean().exactOptional(),
  isPrivateThread: z.boolean().exactOptional(),
  /** Those whose answers were judged. */
  sages: z.array(sageScoreSchema),
  /** Mean Kendall tau of all pairs of ballots, -1 to 1; absent with fewer than two. */
  agreement: z.number().exactOptional(),
});
export type Score = z.infer<typeof scoreSchema>;

/** What a person may think of how a turn went. */
export const ratings = ['good', 'bad'] as const;
const feedbackSchema = z.object({ rating: z.enum(ratings) });
export type Feedback = z.infer<typeof feedbackSchema>;

/** A turn that was asked by what stands below a verdict. */
const followedSchema = z.object({
  turnId: z.string(),
  /** Key of the sage that was asked again. */
  sage: z.string().exactOptional(),
  /** Which of the suggested questions was asked, the first being 0. */
  suggestion: z.int().min(0).exactOptional(),
});
export type Followed = z.infer<typeof followedSchema>;

/** That a verdict is put into the channel. */
const postedSchema = z.object({
  /** When it was begun, in milliseconds since 1970. */
  at: z.number(),
  /** The platform's own id of the post; absent: it may be there or not. */
  post: z.string().exactOptional(),
});
export type Posted = z.infer<typeof postedSchema>;
export type Rating = Feedback['rating'];

/** The steps of a turn by their kind, in the order in which they are stored. */
export const stepSchemas = {
  /** What its channel was set to when the turn was seated, by name of the setting. */
  settings: z.record(z.string(), z.unknown()),
  /** Where a platform shows the turn, in its own terms. */
  shown: z.object({ place: z.string() }),
  /** What was read of people's conversation for it. */
  heard: heardSchema,
  seated: seatedSchema,
  own_answer: ownAnswerSchema,
  reviewed: reviewSchema,
  docket: docketSchema,
  rebutted: rebuttalSchema,
  /** A second ballot, as a review that is nothing but its ranking. */
  recast: reviewSchema,
  ranked: rankedSchema,
  verdict: verdictSchema,
  ended: endedSchema,
  /** From outside the turn: the later one that goes on from it. */
  deepened: z.object({ turnId: z.string() }),
  /** How each sage fared, without any text: of turns that were ranked. */
  scored: scoreSchema,
  /** From outside the turn, one of each person. */
  feedback: feedbackSchema,
  /** From outside too, one of each turn that came of it. */
  followed: followedSchema,
  posted: postedSchema,
} as const;
/** What people have done with a verdict. */
export interface VerdictUses {
  readonly followed: readonly Followed[];
  readonly posted?: Posted;
}

/** What each kind of step holds. */
export type TurnStepData = {
  readonly [Kind in keyof typeof stepSchemas]: z.infer<(typeof stepSchemas)[Kind]>;
};

/** The content of the message that asks. */
export const questionContentSchema = z.object({ type: z.literal('user_query'), text: z.string() });
const answerContentSchema = sageAnswerSchema.extend({ type: z.literal('sage_output') });

/** An answer as the content of its message. */
export function answerContent(answer: SageAnswer): z.infer<typeof answerContentSchema> {
  return { type: 'sage_output', ...answer };
}

/**
 * What may be known of an answer that an earlier version has stored or that was imported. Readers pick
 * the fields they can't do without; what lacks them is shown as it stands.
 */
export const anyAnswerSchema = sageAnswerSchema.pick({ answer: true, summary: true }).extend({
  status: z.string().optional(),
  reason: z.string().optional(),
  /** Imported answers bring along how their model ranked the others, best first. */
  review: z.object({ text: z.string(), ranking: z.array(z.string()) }).optional(),
});

/** The models that spoke for sages and chair of a turn, each once: what a sage may be asked again with. */
export function modelsIn(seats: readonly Seat[], verdict: Verdict | undefined): readonly string[] {
  const ofChair = verdict?.kind === 'synthesis' ? [verdict.by] : [];
  return [...new Set([...seats.map(({ model }) => model), ...ofChair])];
}

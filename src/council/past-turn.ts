/**
 * A turn as it is kept, and read back: which event becomes which record, in both directions.
 *
 * The records are plain JSON with a kind and a key; whoever stores them need not know what they mean.
 */

import { z } from 'zod';
import type { ChannelSettings, SettingName } from '../settings/channel-settings.ts';
import { type TurnRequest, turnRequestSchema } from './council.ts';
import {
  type PassedCheckpoints,
  type Review,
  rankingSchema,
  reviewSchema,
  type SageAnswer,
  type Seated,
  sageAnswerSchema,
  seatedSchema,
  type Verdict,
  verdictSchema,
} from './events.ts';

const rankedSchema = z.object({ ranking: rankingSchema, sameModel: z.boolean() });
export type Ranked = z.infer<typeof rankedSchema>;

const memoryPiece = z.object({
  kind: z.enum(['question', 'message', 'shard']),
  threadId: z.string(),
  id: z.string(),
});
/** What the prompts held of earlier talk and what was left out, by ids alone: no text outlives what is forgotten. */
const memoryUseSchema = z.object({
  /** What counted the tokens. */
  tokenizer: z.string(),
  budgetTokens: z.number(),
  tokens: z.number(),
  used: z
    .array(
      memoryPiece.extend({
        tokens: z.number(),
        isPinned: z.literal(true).exactOptional(),
        isShortened: z.literal(true).exactOptional(),
      }),
    )
    .readonly(),
  leftOut: z.array(memoryPiece.extend({ why: z.string() })).readonly(),
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
  /** What is to be known of the models that were called, e.g. `vllm:qwen3 speaks JSON without schema`. */
  remarks: z.array(z.string()).readonly().exactOptional(),
});
export type Ended = z.infer<typeof endedSchema>;

/** What somebody may think of how a turn went. */
export const ratings = ['good', 'bad'] as const;
const feedbackSchema = z.object({ rating: z.enum(ratings) });
export type Feedback = z.infer<typeof feedbackSchema>;
export type Rating = Feedback['rating'];

/** What its channel was set to when the turn was seated, by name of the setting. */
const settingsSchema = z.record(z.string(), z.unknown());

/** Where a platform shows the turn, in its own terms. */
const shownSchema = z.object({ place: z.string() });

/** What is kept of a turn beside its answers. */
export type TurnStep =
  | {
      readonly kind: 'settings';
      readonly key: '';
      readonly data: Pick<ChannelSettings, SettingName>;
    }
  | { readonly kind: 'shown'; readonly key: ''; readonly data: z.infer<typeof shownSchema> }
  | { readonly kind: 'seated'; readonly key: ''; readonly data: Seated }
  | { readonly kind: 'reviewed'; readonly key: string; readonly data: Review }
  | { readonly kind: 'ranked'; readonly key: ''; readonly data: Ranked }
  | { readonly kind: 'verdict'; readonly key: ''; readonly data: Verdict }
  | { readonly kind: 'ended'; readonly key: ''; readonly data: Ended }
  /** From outside the turn; the key is the person's id. */
  | { readonly kind: 'feedback'; readonly key: string; readonly data: Feedback };

const contentSchema = sageAnswerSchema.extend({ type: z.literal('sage_output') });

/** A turn group, read. */
export interface PastTurn extends PassedCheckpoints {
  readonly request: TurnRequest;
  /** As they were kept: to be judged by whoever holds the turn to them. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where a platform shows it, in that platform's own terms. */
  readonly place?: string;
  readonly ranked?: Ranked;
  readonly ended?: Ended;
  /** One of each person who has given any. */
  readonly feedback: readonly Feedback[];
}

/** The records a turn is read from, as any store gives them. */
export interface KeptTurn {
  readonly request: unknown;
  readonly steps: readonly { readonly kind: string; readonly data: unknown }[];
  readonly messages: readonly {
    readonly status: string;
    readonly role: string;
    readonly content: unknown;
  }[];
}

/** An answer as the content of its message. */
export function answerContent(answer: SageAnswer): z.infer<typeof contentSchema> {
  return { type: 'sage_output', ...answer };
}

/** Throws a `ZodError` when the records are not those of a turn. */
export function readPastTurn(kept: KeptTurn): PastTurn {
  const dataOf = (kind: TurnStep['kind']) =>
    kept.steps.filter((step) => step.kind === kind).map((step) => step.data);
  const [settings] = dataOf('settings').map((data) => settingsSchema.parse(data));
  const [shown] = dataOf('shown').map((data) => shownSchema.parse(data));
  const [seated] = dataOf('seated').map((data) => seatedSchema.parse(data));
  const [ranked] = dataOf('ranked').map((data) => rankedSchema.parse(data));
  const [verdict] = dataOf('verdict').map((data) => verdictSchema.parse(data));
  const [ended] = dataOf('ended').map((data) => endedSchema.parse(data));
  return {
    request: turnRequestSchema.parse(kept.request),
    ...(settings ? { settings } : {}),
    ...(shown ? { place: shown.place } : {}),
    ...(seated ? { seated } : {}),
    answers: kept.messages
      .filter((message) => message.role === 'ai' && message.status === 'complete')
      .map((message) => sageAnswerSchema.parse(message.content)),
    reviews: dataOf('reviewed').map((data) => reviewSchema.parse(data)),
    ...(ranked ? { ranked } : {}),
    ...(verdict ? { verdict } : {}),
    ...(ended ? { ended } : {}),
    feedback: dataOf('feedback').map((data) => feedbackSchema.parse(data)),
  };
}

/** What a council is made of, and what it is handed to answer one question. */

import { z } from 'zod';
import { type Depth, depths } from '../domain/asking.ts';
import type { ChatMessage, ChatModel } from '../models/chat-model.ts';

/**
 * What begins the next turn in a council's thread, besides a message that names the council. `asked`:
 * what reads as a question for it. `mention`: nothing. `everything`: all but thanks, greetings,
 * laughter, emoji and bare links. Where a platform can't read every message, only mentions do, and it
 * says so.
 */
export const followUpModes = ['asked', 'mention', 'everything'] as const;
export type FollowUpMode = (typeof followUpModes)[number];

/** A persona with a model. */
export interface Sage {
  /** Lower-case letters, digits and `_`; at most 64 characters; unique on its bench. */
  readonly key: string;
  readonly name: string;
  /** One sentence that tells the moderator and people what this sage is for. */
  readonly description: string;
  /** The tailored prompt; absent: the generic role prompt with name and description. */
  readonly prompt?: string;
  /** Public https address of a picture. */
  readonly avatarUrl?: string;
  /** One emoji, for places that show no pictures. */
  readonly emoji?: string;
  readonly source: 'predefined' | 'custom' | 'dynamic';
}

/** Reads a sage back from a store. */
export const sageSchema = z.object({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  prompt: z.string().exactOptional(),
  avatarUrl: z.string().exactOptional(),
  emoji: z.string().exactOptional(),
  source: z.enum(['predefined', 'custom', 'dynamic']),
});

/** How long each stage may take, in milliseconds from the start of that stage. */
export interface CouncilLimits {
  readonly moderatorTimeoutMs: number;
  readonly sageTimeoutMs: number;
  readonly reviewTimeoutMs: number;
  readonly chairTimeoutMs: number;
  /** Share of the seated sages, above 0 and up to 1, whose answers start the grace period. */
  readonly quorumShare: number;
  /** What the others still get once the quorum has answered. */
  readonly graceMs: number;
  /** Upper bound of one sage's answer that is shown to reviewers and the chair; the rest is cut, and says so. */
  readonly maxAnswerChars: number;
}

/** A configuration: who may sit, who decides it, how deep it goes. */
export interface Council {
  readonly bench: readonly Sage[];
  /** `moderated`, or the keys of the sages that always sit. */
  readonly seats: 'moderated' | readonly string[];
  readonly depth: Depth;
  readonly maxSages: number;
  /** How many of them the moderator may invent; 0 allows none. */
  readonly maxDynamicSages: number;
  /** Key of the sage that sits when the moderator names nobody. */
  readonly fallbackSage: string;
  /** Language of all that is said, e.g. `German`; absent: the question's own. */
  readonly language?: string;
  readonly limits: CouncilLimits;
}

/** Who answers in which part. Handed in ready for use: retried, counted, with its own identity. */
export interface CouncilModels {
  readonly moderator: ChatModel;
  /** The model that speaks for a sage. */
  readonly sage: (sage: Sage) => ChatModel;
  /** The model that reviews in a sage's name. */
  readonly reviewer: (sage: Sage) => ChatModel;
  readonly chair: ChatModel;
  readonly chairFallback?: ChatModel;
}

/** A question, as a platform's adapter hands it over. The schema reads it back from a store. */
export const turnRequestSchema = z.object({
  turnId: z.string(),
  /** `platform:workspace:channel:thread`. */
  threadId: z.string(),
  /** The platform's own id of the event, unique within it. */
  eventId: z.string(),
  question: z.string(),
  author: z.object({ id: z.string(), name: z.string() }),
  /** Milliseconds since 1970. */
  askedAt: z.number(),
  /** The platform's own id of the message that it replies to; absent: none, or the platform tells none. */
  repliesTo: z.string().exactOptional(),
  /** What the member asked for; absent: what the channel is set to. */
  depth: z.enum(depths).exactOptional(),
  /** Keys of the sages that the member asked for; one of them alone speaks without a verdict. */
  sages: z.array(z.string()).readonly().exactOptional(),
  /** Those of them that are on no bench, because the moderator invented them for an earlier turn. */
  guests: z.array(sageSchema).readonly().exactOptional(),
  /**
   * Whether not everybody of the workspace can read where it was asked: a private channel, a direct
   * message. Absent: nobody knows, and it is treated as if it was.
   */
  isPrivate: z.boolean().exactOptional(),
  /** Whether fewer people can read the thread than its channel. Absent: as many. */
  isPrivateThread: z.boolean().exactOptional(),
  /**
   * Whether people of elsewhere read along, or may: then nothing is recalled from other channels.
   * Absent: nobody does.
   */
  isOpenOutside: z.boolean().exactOptional(),
});
export type TurnRequest = z.infer<typeof turnRequestSchema>;

/** What the council knows of earlier turns. Made by memory; the council only passes it on. */
export interface CouncilContext {
  /** For the moderator, sages and reviewers: earlier questions and what each sage said, in short. */
  readonly forSages: readonly ChatMessage[];
  /** For the chair: earlier questions and verdicts. */
  readonly forChair: readonly ChatMessage[];
}

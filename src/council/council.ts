/** What a council is made of, and what it is handed to answer one question. */

import { type Depth, depths, type WishedDepth } from '../domain/asking.ts';
import type { Sage, Seated, TurnRequest } from '../domain/turn.ts';
import type { ChatModel, EarlierMessage } from '../models/chat-model.ts';
import type { Settings } from '../settings/file-table.ts';

/**
 * How long each stage may take, in milliseconds from the start of that stage; when sages are waited for no
 * longer; and how much of an answer reviewers and the chair are shown: the rest is cut, and says so.
 */
export type CouncilLimits = Pick<
  Settings['limits'],
  | 'moderatorTimeoutMs'
  | 'sageTimeoutMs'
  | 'reviewTimeoutMs'
  | 'chairTimeoutMs'
  | 'quorumShare'
  | 'graceMs'
  | 'maxAnswerChars'
>;

/** A configuration: who may sit, who decides it, how deep it goes. */
export interface Council {
  readonly bench: readonly Sage[];
  /** `moderated`, or the keys of the sages that always sit. */
  readonly seats: 'moderated' | readonly string[];
  readonly depth: WishedDepth;
  readonly maxSages: number;
  /** How many of them the moderator may invent; 0 allows none. */
  readonly maxDynamicSages: number;
  /** Key of the sage that sits when the moderator names no one. */
  readonly fallbackSage: string;
  /** Language of all that is said, e.g. `German`; absent: the question's own. */
  readonly language?: string;
  /** What answers are judged by, e.g. `cost, risk`; absent: how much they help the person who asked. */
  readonly criteria?: string;
  /** The most words a sage's answer should have. Sages are told the limit; a longer answer is not cut. */
  readonly answerWords: number;
  /** Whether the chair suggests what to ask next. Absent: no. */
  readonly suggestsNext?: boolean;
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
}

/** What every step of a turn is handed. */
export interface StepInput {
  readonly request: TurnRequest;
  readonly council: Council;
  readonly context: CouncilContext;
  readonly models: CouncilModels;
  /**
   * Aborted with `stopRequested()`, the turn ends as stopped, partial answers kept. Aborted with any
   * other reason it throws that reason, and the turn can be resumed later.
   */
  readonly signal: AbortSignal;
}

/** What the council knows of earlier turns. Made by memory; the council only passes it on. */
export interface CouncilContext {
  /** For the moderator, sages and reviewers: earlier questions and what each sage said, in short. */
  readonly forSages: readonly EarlierMessage[];
  /** For the chair: earlier questions and verdicts. */
  readonly forChair: readonly EarlierMessage[];
}

/** Where the moderator has not said, e.g. because the seats are fixed. */
const usualDepth: Depth = 'standard';

/** The depth that a question may reach: `auto` stays within what its channel is set to. */
export function deepestFor(wished: WishedDepth | undefined, ofChannel: WishedDepth): Depth {
  const depth = wished ?? ofChannel;
  if (depth !== 'auto') return depth;
  return ofChannel === 'auto' ? 'deep' : ofChannel;
}

/** The depth that a turn goes to. */
export function depthOf(
  request: Pick<TurnRequest, 'depth' | 'depthUpTo'>,
  ofChannel: WishedDepth,
  seated: Pick<Seated, 'depth'>,
): Depth {
  const most = deepestFor(request.depth, ofChannel);
  if (!isLeftOpen(request, ofChannel)) return most;
  const bounds = [most, request.depthUpTo ?? most, seated.depth ?? usualDepth];
  return depths.find((one) => bounds.includes(one)) ?? usualDepth;
}

/** Whether the moderator is to say how deep a question goes. */
export function isLeftOpen({ depth }: Pick<TurnRequest, 'depth'>, ofChannel: WishedDepth): boolean {
  return (depth ?? ofChannel) === 'auto';
}

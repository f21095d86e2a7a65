/** A council's configuration, the input of every step of a turn, and the depth of a turn. */

import { type Depth, depths, type WishedDepth } from '../domain/asking.ts';
import type { Sage, Seated, TurnRequest } from '../domain/turn.ts';
import type { ChatMessage, ChatModel, EarlierMessage } from '../models/chat-model.ts';
import type { Settings } from '../settings/file-table.ts';

/**
 * The time limit of each stage in milliseconds from its start, the quorum and grace period of parallel
 * calls, and the length to which answers are visibly cut for reviewers and the chair.
 */
type CouncilLimits = Pick<
  Settings['limits'],
  | 'moderatorTimeoutMs'
  | 'sageTimeoutMs'
  | 'reviewTimeoutMs'
  | 'chairTimeoutMs'
  | 'quorumShare'
  | 'graceMs'
  | 'maxAnswerChars'
>;

/** A council's configuration. */
export interface Council {
  readonly bench: readonly Sage[];
  /** `moderated`, or the keys of fixed seats. */
  readonly seats: 'moderated' | readonly string[];
  readonly depth: WishedDepth;
  readonly maxSages: number;
  /** How many sages the moderator may invent; 0 allows none. */
  readonly maxDynamicSages: number;
  /** Key of the sage that is seated when the moderator names none. */
  readonly fallbackSage: string;
  /** Language of all texts, e.g. `German`; absent: the question's language. */
  readonly language?: string;
  /** Criteria for judging answers, e.g. `cost, risk`; absent: how much they help the person who asked. */
  readonly criteria?: string;
  /** The most words a sage's answer should have. The prompt states the limit; a longer answer isn't cut. */
  readonly answerWords: number;
  /** Whether the chair suggests next questions. Absent: no. */
  readonly suggestsNext?: boolean;
  readonly limits: CouncilLimits;
}

/** The model for each role, with retries and usage counting already applied. */
export interface CouncilModels {
  readonly moderator: ChatModel;
  /** The model that speaks for a sage. */
  readonly sage: (sage: Sage) => ChatModel;
  /** The model that reviews in a sage's name. */
  readonly reviewer: (sage: Sage) => ChatModel;
  readonly chair: ChatModel;
}

/** The input of every step of a turn. */
export interface StepInput {
  readonly request: TurnRequest;
  readonly council: Council;
  readonly context: CouncilContext;
  readonly models: CouncilModels;
  /**
   * Abort with `stopRequested()` to end the turn as stopped, keeping partial answers. With any other reason the turn
   * throws that reason and can be resumed later.
   */
  readonly signal: AbortSignal;
}

/** What memory recalls of earlier turns. The council only passes it on. */
export interface CouncilContext {
  /** For the moderator and sages: earlier questions, what each sage said, in short, and the last verdict. */
  readonly forSages: readonly EarlierMessage[];
  /** For the chair: earlier questions and verdicts. */
  readonly forChair: readonly EarlierMessage[];
  /** For a chair that answers alone: what each sage said, in short, too. Absent: as for any chair. */
  readonly forChairAlone?: readonly EarlierMessage[];
  /**
   * For reviewers, the docket and second ballots: earlier questions and verdicts, and what people said. A sage's words
   * would tell whose answer is whose.
   */
  readonly forReviewers: readonly ChatMessage[];
}

/** Used when the moderator chose none, e.g. because the seats are fixed. */
const defaultDepth: Depth = 'standard';

/** The deepest that a turn may go: `auto` stays within the channel's setting. */
export function deepestFor(wished: WishedDepth | undefined, ofChannel: WishedDepth): Depth {
  const depth = wished ?? ofChannel;
  if (depth !== 'auto') return depth;
  return ofChannel === 'auto' ? 'deep' : ofChannel;
}

/** The depth of a turn: as the member or the channel chose, or within these limits as the moderator chose. */
export function depthOf(
  request: Pick<TurnRequest, 'depth' | 'depthUpTo'>,
  ofChannel: WishedDepth,
  seated: Pick<Seated, 'depth'>,
): Depth {
  const most = deepestFor(request.depth, ofChannel);
  if (!moderatorChoosesDepth(request, ofChannel)) return most;
  const bounds = [most, request.depthUpTo ?? most, seated.depth ?? defaultDepth];
  return depths.find((one) => bounds.includes(one)) ?? defaultDepth;
}

/** Whether the depth is `auto`. */
export function moderatorChoosesDepth(
  { depth }: Pick<TurnRequest, 'depth'>,
  ofChannel: WishedDepth,
): boolean {
  return (depth ?? ofChannel) === 'auto';
}

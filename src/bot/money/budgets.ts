/** The limits: budgets, access lists and open questions, with the refusals that people see. */

import { CommandError } from '../../../commands/command.ts';
import type { PersonLimits } from '../../domain/asking.ts';
import { channelOf, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { counted, momentMark } from '../../domain/words.ts';
import type { QuotaClaim } from '../../queue/coordination.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import type { Settings } from '../../settings/file-table.ts';

/** US dollars per UTC day. Absent: no limit. */
export type Budgets = Settings['budgets'];

/** The person who asked and the place where they did. Both pay. */
export interface Payer {
  readonly threadId: string;
  /** Absent: no person asked for it, and only the place pays. */
  readonly userId?: string;
  /** Id of the person's workspace, if it differs from the thread's and the platform names it. */
  readonly userWorkspace?: string;
  /** Whether people of other companies read along in the place. Absent: no. */
  readonly isOpenOutside?: boolean;
  /** The person's own limits. Absent: those of the operator's file. */
  readonly limits?: PersonLimits;
  /** The channel's settings. */
  readonly settings: ChannelSettings;
}

/** A claim on a quota, with the message for its refusal. */
export interface Claim extends QuotaClaim {
  /** @param held - What others hold at the moment. */
  refusal(held: number): string;
  /** After how many milliseconds a retry may succeed. */
  readonly retryAfterMs: number;
}

/** A budget or limit does not allow the request. The message is for the person who pays. */
export class RefusedError extends CommandError {
  override readonly name = 'RefusedError';
  /** After how many milliseconds a retry may succeed. Absent: never. */
  readonly retryAfterMs: number | undefined;
  /** The message where others read it, too. Absent: the same. */
  readonly inPublic: string | undefined;

  constructor(message: string, retryAfterMs?: number, inPublic?: string) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.inPublic = inPublic;
  }
}

/** The operator's access lists, or the server's managers, exclude the person. Waiting does not help. */
export class AccessDeniedError extends RefusedError {}

/** No model is set up. Waiting does not help. */
export class NoModelError extends RefusedError {}

/** The payer of a person's request in a place. */
export function payerFor(
  { id: userId, workspace, limits }: Pick<TurnRequest['author'], 'id' | 'workspace' | 'limits'>,
  { threadId, isOpenOutside = false }: Pick<TurnRequest, 'threadId' | 'isOpenOutside'>,
): Omit<Payer, 'settings'> {
  const home = workspace === undefined ? {} : { userWorkspace: workspace };
  return { threadId, userId, isOpenOutside, ...home, ...(limits && { limits }) };
}

/**
 * Whose requests the operator pays for. Each entry is a workspace or server and its people (`slack:T0123ABCD`,
 * `discord:123456789012345678`), a person anywhere (`discord:@123456789012345678`) or a platform
 * (`discord:*`). `deny` takes precedence. Without `allow`, everyone else is allowed.
 */
export type AccessLists = Settings['access'];

/** Exempt from the lists: the operator's own terminal, and the web, where the operator's keys decide. */
const ownPlatforms: ReadonlySet<string> = new Set(['terminal', 'web']);

/**
 * Whether the operator pays for a request. Background work needs no entry in `allow`, because it follows from
 * earlier questions of the place.
 */
export function hasAccess(
  { allow, deny = [] }: AccessLists,
  { threadId, userId, userWorkspace }: Omit<Payer, 'settings'>,
): boolean {
  const { platform, workspace } = partsOf(threadId);
  if (ownPlatforms.has(platform)) return true;
  const names = [
    `${platform}:*`,
    `${platform}:${workspace}`,
    ...(userId === undefined ? [] : [`${platform}:@${userId}`]),
    ...(userWorkspace === undefined ? [] : [`${platform}:${userWorkspace}`]),
  ];
  const isIn = (list: readonly string[]) => names.some((name) => list.includes(name));
  if (isIn(deny)) return false;
  return allow === undefined || userId === undefined || isIn(allow);
}

/** For people: why the operator, or the server's managers, don't let a payer ask; `undefined` if they do. */
export function whyDenied(access: AccessLists, payer: Payer): string | undefined {
  const { userId, settings } = payer;
  if (!hasAccess(access, payer)) {
    // Must not reveal the lists.
    return 'Sorry, this council isn’t open to you here. The people who run it can let you in.';
  }
  const isMuted = settings.muted !== 'nobody' && settings.muted.some((id) => id === userId);
  return isMuted
    ? 'You can’t ask the council here. The people who manage this place have muted you.'
    : undefined;
}

/** A budget's account. */
export interface Purse {
  /** The store's scope. */
  readonly name: string;
  /** For people. */
  readonly whose: string;
  /** Which of the budgets limits it. */
  readonly budget: keyof Budgets;
}

/**
 * Replaces platform and workspace in the scope of purses that span workspaces. On a cluster, all of these
 * share one slot and are written in one step.
 */
const everywhere = 'any:any';

/** All purses that pay for a payer's calls, limited or not. */
export function pursesOf({ threadId, userId }: Omit<Payer, 'settings'>): readonly Purse[] {
  const { platform } = partsOf(threadId);
  const own = {
    // One per person and platform, so that being in thirty workspaces does not multiply the budget.
    name: `user:${everywhere}:${platform}:${userId}`,
    whose: 'Your',
    budget: 'userUsdPerDay',
  } as const;
  return [
    ...(userId === undefined ? [] : [own]),
    {
      name: `channel:${channelOf(threadId)}`,
      whose: "This channel's",
      budget: 'channelUsdPerDay',
    },
    {
      name: `workspace:${workspaceOf(threadId)}`,
      whose: "This workspace's",
      budget: 'workspaceUsdPerDay',
    },
    { name: `total:${everywhere}`, whose: "This bot's", budget: 'totalUsdPerDay' },
  ];
}

/** The cost of an action. */
export interface Bill {
  readonly usd: number;
  /** The action in words, e.g. `this draft`. */
  readonly what: string;
  /** How to ask for less, as a sentence. */
  readonly advice?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The words for a question on a bill. */
export const thisQuestion = 'this question';
/** The words for background work on a bill. */
export const workInBackground = 'remembering this';

const dayMs = 24 * 60 * 60 * 1000;
/** A smaller amount is a rounding error. */
const minUsd = 1e-9;

export function startOfUtcDay(now: number): number {
  return now - (now % dayMs);
}

/** What a payer has spent before a request. */
export interface Spent {
  /** US dollars spent today, by the name of the purse. */
  readonly usd: ReadonlyMap<string, number>;
  /** Before it was read, by `performance.now()`. */
  readonly readAt: number;
}

/** Returns claims on the payer's limited purses. */
export function moneyClaims(
  payer: Payer,
  budgets: Budgets,
  spent: Spent,
  { usd, what, advice, now }: Bill,
): readonly Claim[] {
  return pursesOf(payer).flatMap(({ name, whose, budget }) => {
    const ownUsd = budget === 'userUsdPerDay' ? payer.limits?.usdPerDay : undefined;
    const limitUsd = Math.min(budgets[budget] ?? Infinity, ownUsd ?? Infinity);
    if (limitUsd === Infinity) return [];
    const limit = limitUsd - (spent.usd.get(name) ?? 0);
    const renewsAt = startOfUtcDay(now) + dayMs;
    // Running work seldom costs as much as is reserved for it.
    const isHeldOnly = usd <= limit && limit > minUsd;
    const refusal = (held: number) => {
      const hint = isHeldOnly
        ? `${dollars(held)} is reserved for work that is still running: ask again when it is done.`
        : `It renews at ${momentMark(renewsAt)}.`;
      if (limit <= minUsd) return `${whose} budget of ${dollars(limitUsd)} a day is spent. ${hint}`;
      const cost = `${what === thisQuestion ? 'may cost up to' : 'would cost about'} ${dollars(usd)}`;
      const left = `has ${dollars(limit - held)} left, and ${what} ${cost}.`;
      return [`${whose} budget of ${dollars(limitUsd)} a day ${left}`, hint, advice ?? []]
        .flat()
        .join(' ');
    };
    // A spent budget also refuses what seems to cost nothing, because prices may be unknown.
    const amount = Math.max(minUsd * 2, usd);
    const retryAfterMs = isHeldOnly ? openRetryMs : renewsAt - now;
    return [{ name: `usd:${name}`, amount, limit, readAt: spent.readAt, refusal, retryAfterMs }];
  });
}

/** How long to wait for a slot among the open questions, in milliseconds: about the length of a turn. */
const openRetryMs = 30_000;

/** Claims on the slots for unanswered questions of the person and the thread. */
export function openingClaims(
  { threadId, author }: TurnRequest,
  limits: Pick<Settings['limits'], 'maxQueuedTurnsPerUser' | 'maxQueuedTurnsPerThread'>,
): readonly Claim[] {
  const { maxQueuedTurnsPerUser, maxQueuedTurnsPerThread } = limits;
  const { openQuestions = maxQueuedTurnsPerUser } = author.limits ?? {};
  const openOfUser = Math.min(maxQueuedTurnsPerUser, openQuestions);
  return [
    {
      name: `open:user:${partsOf(threadId).platform}:${author.id}`,
      amount: 1,
      limit: openOfUser,
      retryAfterMs: openRetryMs,
      refusal: () =>
        `You have ${counted(openOfUser, 'question')} open already. Wait for an answer, or stop one.`,
    },
    {
      name: `open:thread:${threadId}`,
      amount: 1,
      limit: maxQueuedTurnsPerThread,
      retryAfterMs: openRetryMs,
      refusal: () =>
        `${maxQueuedTurnsPerThread} questions wait in this thread already. Wait for an answer, or stop one.`,
    },
  ];
}

function dollars(amount: number): string {
  return `$${Math.max(0, amount).toFixed(amount < 0.1 ? 4 : 2)}`;
}

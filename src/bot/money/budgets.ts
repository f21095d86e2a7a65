/** What is limited, for whom, and what people are told when it is not enough. */

import { CommandError } from '../../../commands/command.ts';
import type { PersonLimits } from '../../domain/asking.ts';
import { channelOf, partsOf, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { counted, momentMark } from '../../domain/words.ts';
import type { QuotaClaim } from '../../queue/coordination.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';
import type { Settings } from '../../settings/file-table.ts';

/** US dollars a UTC day; absent: no limit. */
export type Budgets = Settings['budgets'];

/** Who pays: the person who asked, and the place where they did. */
export interface Payer {
  readonly threadId: string;
  /** Absent: no person asked for it, and the place pays alone. */
  readonly userId?: string;
  /** The person's; absent: as the operator's file says. */
  readonly limits?: PersonLimits;
  /** As they hold in the channel. */
  readonly settings: Pick<
    ChannelSettings,
    | 'channelUsdPerDay'
    | 'questionsPerUserPerHour'
    | 'moderatorModel'
    | 'sageModel'
    | 'reviewerModel'
    | 'chairModel'
  >;
}

/** A share of something limited, and the words for when it is refused. */
export interface Claim extends QuotaClaim {
  /** @param held - What others hold of it at the moment. */
  refusal(held: number): string;
  /** After how many milliseconds there may be more of it. */
  readonly retryAfterMs: number;
}

/** A budget or a limit is not enough. The message is for the person who pays. */
export class RefusedError extends CommandError {
  override readonly name = 'RefusedError';
  /** After how many milliseconds the same may be let pass; absent: never. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The operator's lists do not let the person in: no limit will renew. */
export class NotLetInError extends RefusedError {}

/** No model is set up for what was asked: no limit will renew. */
export class NoModelError extends RefusedError {}

/** Who pays for what a person asks for in a place. */
export function payerFor(
  { id: userId, limits }: Pick<TurnRequest['author'], 'id' | 'limits'>,
  threadId: string,
): Omit<Payer, 'settings'> {
  return { threadId, userId, ...(limits && { limits }) };
}

/**
 * Whose requests the operator pays for: each entry is a workspace or server (`slack:T0123ABCD`,
 * `discord:123456789012345678`), a person wherever they are (`discord:@123456789012345678`), or a platform
 * (`discord:*`). Without `allow` everybody is allowed who is not denied; `deny` takes precedence.
 */
export type AccessLists = Settings['access'];

/** For people; it must not reveal the lists. */
const notLetIn =
  'Sorry, this council isn’t open to you here. The people who run it can let you in.';

/** The lists do not apply to the operator's own terminal, nor to the web, where the operator's keys say who may ask. */
const ownPlatforms: ReadonlySet<string> = new Set(['terminal', 'web']);

/**
 * Whether the operator pays for a request. Work that no person asked for is done unless the place is denied:
 * it is about what was asked there before.
 */
export function isLetIn(
  { allow, deny = [] }: AccessLists,
  { threadId, userId }: Pick<Payer, 'threadId' | 'userId'>,
): boolean {
  const { platform, workspace } = partsOf(threadId);
  if (ownPlatforms.has(platform)) return true;
  const names = [
    `${platform}:*`,
    `${platform}:${workspace}`,
    ...(userId === undefined ? [] : [`${platform}:@${userId}`]),
  ];
  const isIn = (list: readonly string[]) => names.some((name) => list.includes(name));
  if (isIn(deny)) return false;
  return allow === undefined || userId === undefined || isIn(allow);
}

/** Throws {@link NotLetInError} unless {@link isLetIn}. */
export function assertLetIn(lists: AccessLists, payer: Payer): void {
  if (!isLetIn(lists, payer)) throw new NotLetInError(notLetIn);
}

/** Whose money is spent. */
export interface Purse {
  /** The store's scope. */
  readonly name: string;
  /** For people. */
  readonly whose: string;
  /** Which of the budgets limits it. */
  readonly budget: keyof Budgets;
}

/**
 * Stands for platform and workspace in the scope of a purse that spans workspaces: on a cluster, all of
 * these are in one slot of their own, so that they are written in one step.
 */
const everywhere = 'any:any';

/** All purses that a payer's calls are taken out of, limited or not. */
export function pursesOf({ threadId, userId }: Omit<Payer, 'settings'>): readonly Purse[] {
  const { platform } = partsOf(threadId);
  const own = {
    // One per person and platform: being in thirty workspaces must not allow thirty times as much.
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

/** What something costs, for people. */
export interface Bill {
  readonly usd: number;
  /** What it is for, e.g. `this draft`. */
  readonly what: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What questions are called on a bill; for these the refusal says how to ask for less. */
export const thisQuestion = 'this question';
/** What work that no person asked for is called on a bill. */
export const workInBackground = 'remembering this';

const dayMs = 24 * 60 * 60 * 1000;
/** Anything less is a rounding error of sums of cents. */
const leastUsd = 1e-9;

export function startOfUtcDay(now: number): number {
  return now - (now % dayMs);
}

/**
 * Claims on the purses of a payer that have a limit.
 *
 * @param spentUsd - Today, by the name of the purse.
 */
export function moneyClaims(
  payer: Payer,
  budgets: Budgets,
  spentUsd: ReadonlyMap<string, number>,
  { usd, what, now }: Bill,
): readonly Claim[] {
  return pursesOf(payer).flatMap(({ name, whose, budget }) => {
    const limitUsd = least(
      budgets[budget],
      budget === 'userUsdPerDay' ? payer.limits?.usdPerDay : undefined,
    );
    if (limitUsd === undefined) return [];
    const limit = limitUsd - (spentUsd.get(name) ?? 0);
    const renewsAt = startOfUtcDay(now) + dayMs;
    const refusal = (held: number) => {
      const at = `It renews at ${momentMark(renewsAt)}.`;
      if (limit <= leastUsd) return `${whose} budget of ${dollars(limitUsd)} a day is spent. ${at}`;
      const isQuestion = what === thisQuestion;
      return (
        `${whose} budget of ${dollars(limitUsd)} a day has ${dollars(limit - held)} left, and ${what} ${isQuestion ? 'may cost up to' : 'would cost about'} ${dollars(usd)}. ` +
        `${at}${isQuestion ? ' A council of depth quick, or a single sage, costs less.' : ''}`
      );
    };
    // A spent budget also refuses what costs nothing: it may only seem to.
    const amount = Math.max(leastUsd * 2, usd);
    return [{ name: `usd:${name}`, amount, limit, refusal, retryAfterMs: renewsAt - now }];
  });
}

/** The lower of two limits, as far as there are any. */
function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** After how many milliseconds a slot among the open questions may be free: about as long as a turn takes. */
const openRetryMs = 30_000;

/** Slots for questions that are asked and not answered yet. */
export function openingClaims(
  { threadId, author }: Pick<TurnRequest, 'threadId' | 'author'>,
  {
    maxQueuedTurnsPerUser,
    maxQueuedTurnsPerThread,
  }: Pick<Settings['limits'], 'maxQueuedTurnsPerUser' | 'maxQueuedTurnsPerThread'>,
): readonly Claim[] {
  const { platform } = partsOf(threadId);
  const openOfUser = Math.min(
    maxQueuedTurnsPerUser,
    author.limits?.openQuestions ?? maxQueuedTurnsPerUser,
  );
  return [
    {
      name: `open:user:${platform}:${author.id}`,
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

/** Budgets per day: whose spending a turn counts toward, and whether there is enough left for it. */

import type { Quotas } from '../queue/quotas.ts';
import type { Store } from '../store/store.ts';
import type { Channel } from './channels.ts';

/** US dollars a UTC day; absent: no limit. */
export interface Budgets {
  readonly userUsdPerDay?: number | undefined;
  readonly channelUsdPerDay?: number | undefined;
  readonly workspaceUsdPerDay?: number | undefined;
}

/** The budgets that hold in a channel. */
export function budgetsOf(
  { settings: { channelUsdPerDay } }: Pick<Channel, 'settings'>,
  budgets: Omit<Budgets, 'channelUsdPerDay'>,
): Budgets {
  return { ...budgets, ...(channelUsdPerDay === 'unlimited' ? {} : { channelUsdPerDay }) };
}

interface Scope {
  readonly name: string;
  /** For people. */
  readonly whose: string;
  readonly limitUsd: number | undefined;
}

/** Names of the scopes that a turn's spending counts toward. */
export function spendScopes(threadId: string, userId: string): readonly string[] {
  return scopesOf(threadId, userId, {}).map((scope) => scope.name);
}

/** Names of the scopes that spending counts toward that is no person's own: channel and workspace. */
export function placeSpendScopes(threadId: string): readonly string[] {
  return spendScopes(threadId, '').slice(1);
}

/** Until the turn is stored, which holds on to what was set aside for it. */
const askingMs = 60_000;

export class BudgetGuard {
  readonly #store: Store;
  readonly #quotas: Quotas;
  readonly #now: () => number;

  /**
   * @param quotas - Hold what the turns that are under way may still cost.
   * @param now - Milliseconds since 1970.
   */
  constructor(store: Store, quotas: Quotas, now: () => number) {
    this.#store = store;
    this.#quotas = quotas;
    this.#now = now;
  }

  /**
   * Sets the estimated cost of a turn aside, until what the turn holds is released.
   *
   * @param budgets - As they hold in the turn's channel.
   * @param what - What it is that costs so much, for people.
   * @param known - What {@link spent} has just told, where it was asked; else it is read here.
   * @returns The refusal, for people: whose budget, how much is left and when it renews; `undefined`
   *   when there is enough.
   */
  async reserve(
    turn: { readonly turnId: string; readonly threadId: string; readonly userId: string },
    estimatedUsd: number,
    budgets: Budgets,
    what = question,
    known?: ReadonlyMap<string, number>,
  ): Promise<string | undefined> {
    const scopes = scopesOf(turn.threadId, turn.userId, budgets);
    const limited = scopes.filter((scope) => scope.limitUsd !== undefined);
    if (limited.length === 0 || estimatedUsd === 0) return undefined;
    const day = startOfUtcDay(this.#now());
    const spent = known ?? (await this.spent(turn));
    const left = limited.map(({ name, limitUsd = 0 }) => limitUsd - (spent.get(name) ?? 0));
    const taken = await this.#quotas.take(
      turn.turnId,
      limited.map(({ name }, index) => ({
        name: `usd:${name}`,
        amount: estimatedUsd,
        limit: left[index] ?? 0,
      })),
      askingMs,
    );
    if (taken.status === 'taken') return undefined;
    const short = limited.findIndex(({ name }) => taken.name === `usd:${name}`);
    const { whose = '', limitUsd = 0 } = limited[short] ?? {};
    const leftUsd = (left[short] ?? 0) - taken.held;
    return refusal({ whose, limitUsd, left: leftUsd, estimatedUsd, day, what });
  }

  /** US dollars of today by scope, of all scopes that a turn counts toward: to be read with other things at once. */
  async spent({
    threadId,
    userId,
  }: {
    readonly threadId: string;
    readonly userId: string;
  }): Promise<ReadonlyMap<string, number>> {
    const names = spendScopes(threadId, userId);
    const spent = await this.#store.spent(names, startOfUtcDay(this.#now()));
    return new Map(names.map((name, index) => [name, spent[index] ?? 0]));
  }

  /** Gives back what was set aside for what is no turn; a turn gives back all that it holds. */
  release(id: string): Promise<void> {
    return this.#quotas.release(id);
  }
}

function scopesOf(threadId: string, userId: string, budgets: Budgets): readonly Scope[] {
  const [platform = '', workspace = '', channel = ''] = threadId.split(':');
  return [
    {
      name: `user:${platform}:${workspace}:${userId}`,
      whose: 'Your',
      limitUsd: budgets.userUsdPerDay,
    },
    {
      name: `channel:${platform}:${workspace}:${channel}`,
      whose: "This channel's",
      limitUsd: budgets.channelUsdPerDay,
    },
    {
      name: `workspace:${platform}:${workspace}`,
      whose: "This workspace's",
      limitUsd: budgets.workspaceUsdPerDay,
    },
  ];
}

const question = 'this question';
const dayMs = 24 * 60 * 60 * 1000;

function startOfUtcDay(now: number): number {
  return now - (now % dayMs);
}

function refusal({
  whose,
  limitUsd,
  left,
  estimatedUsd,
  day,
  what,
}: {
  readonly whose: string;
  readonly limitUsd: number;
  readonly left: number;
  readonly estimatedUsd: number;
  readonly day: number;
  readonly what: string;
}): string {
  const renews = new Date(day + dayMs).toISOString().slice(0, 16).replace('T', ' ');
  const usd = (amount: number) => `$${Math.max(0, amount).toFixed(amount < 0.1 ? 4 : 2)}`;
  return (
    `${whose} budget of ${usd(limitUsd)} a day has ${usd(left)} left, and ${what} ${what === question ? 'may cost up to' : 'would cost about'} ${usd(estimatedUsd)}. ` +
    `It renews at ${renews} UTC.${what === question ? ' A council of depth quick, or a single sage, costs less.' : ''}`
  );
}

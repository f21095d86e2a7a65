/** Budgets per day: whose spending a turn counts toward, and whether there is enough left for it. */

import type { Store } from '../store/store.ts';

/** US dollars a UTC day; absent: no limit. */
export interface Budgets {
  readonly userUsdPerDay?: number | undefined;
  readonly channelUsdPerDay?: number | undefined;
  readonly workspaceUsdPerDay?: number | undefined;
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

export class BudgetGuard {
  readonly #store: Store;
  readonly #now: () => number;
  /** What the turns that are under way may still cost, by scope. */
  readonly #reserved = new Map<string, number>();

  /** @param now - Milliseconds since 1970. */
  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Sets the estimated cost of a turn aside.
   *
   * @param budgets - As they hold in the turn's channel.
   * @param what - What it is that costs so much, for people.
   * @returns A function that gives it back when the turn has ended; or the refusal, for people:
   *   whose budget, how much is left and when it renews.
   */
  async reserve(
    threadId: string,
    userId: string,
    estimatedUsd: number,
    budgets: Budgets,
    what = question,
  ): Promise<{ readonly release: () => void } | { readonly refusal: string }> {
    const scopes = scopesOf(threadId, userId, budgets);
    const limited = scopes.filter((scope) => scope.limitUsd !== undefined);
    if (limited.length === 0 || estimatedUsd === 0) return { release: () => undefined };
    const day = startOfUtcDay(this.#now());
    const spent = await this.#store.spent(
      limited.map((scope) => scope.name),
      day,
    );
    for (const [index, { name, whose, limitUsd = 0 }] of limited.entries()) {
      const left = limitUsd - (spent[index] ?? 0) - (this.#reserved.get(name) ?? 0);
      if (estimatedUsd > left)
        return { refusal: refusal({ whose, limitUsd, left, estimatedUsd, day, what }) };
    }
    for (const { name } of limited) this.#add(name, estimatedUsd);
    const release = () => {
      for (const { name } of limited) this.#add(name, -estimatedUsd);
    };
    return { release };
  }

  #add(name: string, usd: number): void {
    this.#reserved.set(name, (this.#reserved.get(name) ?? 0) + usd);
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
    `${whose} budget of ${usd(limitUsd)} a day has ${usd(left)} left, and ${what} would cost about ${usd(estimatedUsd)}. ` +
    `It renews at ${renews} UTC.${what === question ? ' A council of depth quick, or a single sage, costs less.' : ''}`
  );
}

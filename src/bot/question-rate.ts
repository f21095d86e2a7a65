/** How many questions one person may ask in a channel within an hour. */

import type { Quotas } from '../queue/quotas.ts';
import type { SettingsStore, StoredSettings } from '../store/store.ts';

const hourMs = 60 * 60 * 1000;

/** Name of the store's scope that holds when somebody asked: by turn id, in milliseconds since 1970. */
export function rateScope(threadId: string, userId: string): string {
  const [platform, workspace, channel] = threadId.split(':');
  return `rate:${platform}:${workspace}:${channel}:${userId}`;
}

/** A question that was counted. */
export interface CountedQuestion {
  /** Keeps it in the store, which tells when the next is free, and outlives a process that works alone. */
  keep(): Promise<void>;
  /** Uncounts it, when it made no turn. */
  release(): Promise<void>;
}

export class QuestionRate {
  readonly #store: SettingsStore;
  readonly #quotas: Quotas;
  readonly #now: () => number;

  /**
   * @param quotas - Count in one step, so that of many questions at once none slips past.
   * @param now - Milliseconds since 1970.
   */
  constructor(store: SettingsStore, quotas: Quotas, now: () => number) {
    this.#store = store;
    this.#quotas = quotas;
    this.#now = now;
  }

  /**
   * @param kept - What the store holds for the scope.
   * @returns The refusal, for people, when the person has asked as often as the limit says.
   */
  async count(
    scope: string,
    kept: StoredSettings,
    turnId: string,
    limit: number | 'unlimited',
  ): Promise<CountedQuestion | { readonly refusal: string }> {
    if (limit === 'unlimited')
      return { keep: async () => undefined, release: async () => undefined };
    const now = this.#now();
    const recent = timesIn(kept).filter((askedAt) => askedAt > now - hourMs);
    if (recent.length >= limit) return { refusal: refusal(recent, limit, now) };
    // Of its own: what the turn holds is given back when the turn has ended.
    const holder = `asked:${turnId}`;
    const claim = { name: scope, amount: 1, limit };
    const taken = await this.#quotas.take(holder, [claim], hourMs);
    if (taken.status === 'refused') {
      // Those that are not stored yet were asked in this moment.
      const others = Array<number>(limit - recent.length).fill(now);
      return { refusal: refusal([...recent, ...others], limit, now) };
    }
    const by = { setBy: 'rate', setAt: now, expiresAt: now + hourMs };
    return {
      keep: () => this.#store.write(scope, { [turnId]: now }, by),
      release: () => this.#quotas.release(holder),
    };
  }
}

function timesIn(kept: StoredSettings): readonly number[] {
  return Object.values(kept).flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
}

function refusal(times: readonly number[], limit: number, now: number): string {
  // Of more than the limit, as after it was lowered, several must expire first.
  const [freesAt = now] = times.toSorted((one, other) => one - other).slice(times.length - limit);
  const freeAt = freesAt + hourMs;
  const minutes = Math.max(1, Math.ceil((freeAt - now) / 60_000));
  const clock = new Date(freeAt).toISOString().slice(11, 16);
  return (
    `One person may ask ${limit === 1 ? 'one question' : `${limit} questions`} an hour in this channel, and you have. ` +
    `The next is free in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, at ${clock} UTC.`
  );
}

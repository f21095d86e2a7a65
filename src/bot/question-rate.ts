/** How many questions one person may ask in a channel within an hour. */

import type { SettingsStore, StoredSettings } from '../store/store.ts';

const hourMs = 60 * 60 * 1000;

/** Name of the store's scope that holds when somebody asked: by turn id, in milliseconds since 1970. */
export function rateScope(threadId: string, userId: string): string {
  const [platform, workspace, channel] = threadId.split(':');
  return `rate:${platform}:${workspace}:${channel}:${userId}`;
}

/** A question that was counted. */
export interface CountedQuestion {
  /** Keeps it in the store, so that a restart does not give the hour away. */
  keep(): Promise<void>;
  /** Uncounts it, when it made no turn. */
  release(): void;
}

/**
 * Counts what this process has taken together with what the store knows, so that many questions at
 * once can't slip past. Two processes that are asked by one person in the same moment may each
 * take one.
 */
export class QuestionRate {
  readonly #store: SettingsStore;
  readonly #now: () => number;
  /** By scope, the scope that asked last at the end; then by turn id. */
  readonly #asked = new Map<string, Map<string, number>>();

  /** @param now - Milliseconds since 1970. */
  constructor(store: SettingsStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * @param kept - What the store holds for the scope.
   * @returns The refusal, for people, when the person has asked as often as the limit says.
   */
  count(
    scope: string,
    kept: StoredSettings,
    turnId: string,
    limit: number | 'unlimited',
  ): CountedQuestion | { readonly refusal: string } {
    if (limit === 'unlimited') return { keep: async () => undefined, release: () => undefined };
    const now = this.#now();
    this.#forget(now);
    const mine = this.#asked.get(scope) ?? new Map<string, number>();
    const all = new Map([...timesIn(kept), ...mine]);
    const recent = [...all.values()].filter((askedAt) => askedAt > now - hourMs);
    if (recent.length >= limit) return { refusal: refusal(recent, limit, now) };
    this.#asked.delete(scope);
    this.#asked.set(scope, mine.set(turnId, now));
    const by = { setBy: 'rate', setAt: now, expiresAt: now + hourMs };
    return {
      keep: () => this.#store.write(scope, { [turnId]: now }, by),
      release: () => mine.delete(turnId),
    };
  }

  /** Lets go of scopes in which nobody has asked for an hour. */
  #forget(now: number): void {
    for (const [scope, asked] of this.#asked) {
      if (Math.max(0, ...asked.values()) > now - hourMs) return;
      this.#asked.delete(scope);
    }
  }
}

function timesIn(kept: StoredSettings): readonly (readonly [string, number])[] {
  return Object.entries(kept).flatMap(([turnId, { value }]) =>
    typeof value === 'number' ? [[turnId, value] as const] : [],
  );
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

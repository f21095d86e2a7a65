/**
 * What is remembered, in the words of the design (section 5). A store knows nothing of councils,
 * platforms or models: requests, steps and settings are JSON to it.
 *
 * A backend is one file beside this one; `test/contracts/store.ts` tells whether it is right.
 * Reading gives `undefined` or an empty list for what is absent, and absent and expired are the same.
 */

import { AwayError } from '../domain/failure.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Json, JsonObject, MessageStore, TurnStore } from './turn-store.ts';

export type * from './memory-store.ts';
export { mostRemembered } from './memory-store.ts';
export type * from './turn-store.ts';

/** One setting as it was made. `null` as a value stands for "not set here". */
export interface StoredSetting {
  readonly value: Json;
  readonly setBy: string;
  readonly setAt: number;
}
export type StoredSettings = { readonly [name: string]: StoredSetting };

/**
 * Scopes of settings, as those of spending, are named `<kind>:<platform>:<workspace>[:…]`: by it a
 * backend keeps what is a workspace's together. One of fewer parts belongs to no workspace.
 */
export interface SettingsStore {
  /** The settings of each scope, in the order asked for; `{}` where none were made. */
  read(scopes: readonly string[]): Promise<readonly StoredSettings[]>;
  /**
   * Sets the named settings of one scope and leaves the others; a value of `null` removes one.
   *
   * @param by.expiresAt - Milliseconds since 1970, from when on what is written here is absent; absent:
   *   it stays.
   */
  write(
    scope: string,
    changes: JsonObject,
    by: { readonly setBy: string; readonly setAt: number; readonly expiresAt?: number },
  ): Promise<void>;
}

/**
 * What is to be forgotten of one thread, at most 100 turns, messages and events together. What is not
 * there is passed over.
 */
export interface ForgetRequest {
  readonly threadId: string;
  /** Whole turn groups, whatever their status: question, answers, steps, usage. */
  readonly turnIds: readonly string[];
  /** The message of a turn takes its whole turn with it, whose other texts quote it; an imported one goes alone. */
  readonly messageIds: readonly string[];
  /** Events of the thread's workspace that are to make no turn any more; a turn that one has made stays. */
  readonly eventIds?: readonly string[];
}

/** What has gone. */
export interface Forgotten {
  readonly turns: number;
  /** Those of the turns included. */
  readonly messages: number;
  /** Those that any of these messages was part of. */
  readonly shards: number;
}

/** How much one call may name. */
export const mostForgotten = 100;

/**
 * How long the event of a turn that was forgotten is known, in milliseconds: no platform delivers one
 * again later than that.
 */
export const forgottenKnownMs = 86_400_000;

/**
 * How long the daily sums of spending are kept, whatever the retention of what was said: a budget
 * may run for a year, and a sum holds no text.
 */
export const spendingKeptDays = 400;

/**
 * A backend. What is older than its retention is absent on read, whatever the sweeper has done: a
 * turn with all that belongs to it by the turn's `createdAt`, an imported message by its own, a shard
 * by its `agesFrom`, a vector with what it is of. The retention is the store's, or that of the workspace
 * where it is shorter: `checks.ts` says by which setting.
 * Settings stay unless they were written to expire. A limit that is not a whole number in its range is a RangeError.
 */
export interface Store {
  readonly turns: TurnStore;
  readonly messages: MessageStore;
  readonly memories: MemoryStore;
  readonly settings: SettingsStore;
  /**
   * Claims a key for a while: of any number of callers one gets `true`, until it has expired.
   *
   * @param ttlMs - Above 0; counted from the claim that succeeded.
   */
  claim(key: string, ttlMs: number): Promise<boolean>;
  /** Adds what was spent, in US dollars, to each scope at the present UTC day. */
  spend(scopes: readonly string[], costUsd: number): Promise<void>;
  /** US dollars spent by each scope since the given moment, to the granularity of a UTC day, in the order asked for. */
  spent(scopes: readonly string[], since: number): Promise<readonly number[]>;
  /**
   * Forgets turns and messages of a thread in one step: with their vectors, with every shard that was
   * made of any of them, and with all that leads to them. What else these shards were made of stays,
   * and is in no shard then. Whatever was read of the workspace's memory before is void. An event
   * whose turn was forgotten makes no other turn for a day. Sums of spending stay.
   */
  forget(request: ForgetRequest): Promise<Forgotten>;
  /**
   * Clears what removed texts have left behind: afterwards no byte of them is in the store's file.
   * Reads the whole file where there is one, in short steps between which everything goes on, so call
   * it once after all that was forgotten. A process that ends meanwhile leaves a sound file, and it has
   * to be called again. What a server has written elsewhere, e.g. its own log, is its operator's: see
   * `docs/redis.md`.
   */
  scrub(): Promise<void>;
  /**
   * Deletes what has expired, at most `limit` (1 or more) records, and gives how many there were. A
   * turn group counts as one and goes whole; call again for as long as `limit` comes back.
   */
  sweep(limit: number): Promise<number>;
  /** Finishes what is being written and lets go of the backend. A `scrub` under way rejects. */
  close(): Promise<void>;
}

/** The turn was taken by another process in the meantime, or has ended: give it up, write nothing more. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
  constructor(turnId: string) {
    super(`Another process runs turn ${turnId} now, or it has ended. Nothing was written.`);
  }
}

/** The store can't be used. The message is for the operator: what is wrong with which file or server, and what to do. */
export class StoreError extends AwayError {
  override readonly name = 'StoreError';
  readonly reason:
    | 'corrupt'
    | 'read_only'
    | 'full'
    | 'in_use'
    | 'too_new'
    | 'refused'
    | 'unreachable';
  constructor(message: string, facts: { reason: StoreError['reason']; cause?: unknown }) {
    super(message, { cause: facts.cause });
    this.reason = facts.reason;
  }
}

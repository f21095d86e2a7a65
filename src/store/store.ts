/**
 * What is remembered, in the words of the design (section 5). A store knows nothing of councils,
 * platforms or models: requests, steps and settings are JSON to it.
 *
 * A backend is one file beside this one; `test/contracts/store.ts` tells whether it is right.
 * Reading gives `undefined` or an empty list for what is absent, and absent and expired are the same.
 */

import type { ForgetRequest, Forgotten, ThreadPage } from './forgetting.ts';
import type { MemoryStore } from './memory-store.ts';
import type { SettingsStore } from './settings-store.ts';
import type { TurnStore } from './turn-store.ts';

export { StoreError, SupersededError } from './errors.ts';
export {
  type ForgetRequest,
  type Forgotten,
  forgottenKnownMs,
  mostForgotten,
  type ThreadPage,
} from './forgetting.ts';
export {
  type MemoryChanges,
  type MemoryKey,
  type MemoryScope,
  type MemoryStore,
  mostRemembered,
  type RememberedMessage,
  type Shard,
  type StoredVector,
} from './memory-store.ts';
export type { SettingsStore, StoredSetting, StoredSettings } from './settings-store.ts';
export type {
  BegunTurn,
  Checkpoint,
  EventKey,
  NewTurn,
  Step,
  TurnHeader,
  TurnKey,
  TurnRecord,
  TurnStatus,
  TurnStore,
  UsageEvent,
} from './turn-store.ts';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** What somebody asked or a sage answered. */
export interface Message {
  /** Unique in its thread. */
  readonly id: string;
  readonly threadId: string;
  /** Absent only in messages imported from elsewhere. */
  readonly turnId?: string;
  readonly role: 'human' | 'ai';
  readonly type: 'user_query' | 'sage_output';
  /** `pending` from the moment its sage is seated until the sage has ended. */
  readonly status: 'pending' | 'complete';
  /** Key of the sage that speaks, for `ai`. */
  readonly sage?: string;
  /** Display name of the person, for `human`. */
  readonly author?: string;
  /** `{type:'user_query', text}`, `{type:'sage_output', sage, answer, summary, status, …}`, or what was imported. */
  readonly content: JsonObject;
  /** Milliseconds since 1970. Messages of one thread are ordered by it, then by when they were stored. */
  readonly createdAt: number;
  /**
   * What it answers: for an `ai` message its question's id; for a question the post that it replies to,
   * as `platform:workspace:id`, which is the event of that post's turn if it has one. Absent: nothing,
   * or nobody knows.
   */
  readonly parentId?: string;
  /**
   * Whether it was said where not everybody of the workspace can read: in a private channel or a
   * direct message. Absent: nobody knows, and it is treated as if it was.
   */
  readonly isPrivate?: boolean;
  /** The platform's own id of the post that shows it. */
  readonly platformMessageId?: string;
}

/** One human message and all `ai` messages that belong to it. */
export interface Interaction {
  /** Absent for imported messages without one: then it is a human message and what follows up to the next. */
  readonly turnId?: string;
  readonly question: Message;
  /** In the thread's order, at most 100; pending ones are left out. */
  readonly answers: readonly Message[];
  /** The data of the turn's last step of kind `verdict`; absent if it has none. */
  readonly verdict?: JsonObject;
}

export interface MessageStore {
  /** Adds messages that did not come from a turn here. A known id is left as it is. */
  append(messages: readonly Message[]): Promise<void>;
  /**
   * The last interactions of a thread, oldest first, at most `limit` (1 to 50). The turn
   * `exceptTurnId` and turns that have not ended are left out.
   */
  recent(
    threadId: string,
    options: { readonly limit: number; readonly exceptTurnId?: string },
  ): Promise<readonly Interaction[]>;
  /** Messages of a thread, newest first, at most `limit` (1 to 500), created before `before` if given (ms since 1970). */
  page(
    threadId: string,
    options: { readonly limit: number; readonly before?: number },
  ): Promise<readonly Message[]>;
  /**
   * The threads of a place in which anything was said, in no particular order, each once; one in which
   * something is said meanwhile may be among them or not.
   *
   * @param place - A workspace (`platform:workspace`) or a channel (`platform:workspace:channel`).
   * @param options.limit - 1 to 500; a page may hold fewer and yet not be the last.
   * @param options.after - `next` of the page before; absent: from the beginning.
   */
  threads(
    place: string,
    options: { readonly limit: number; readonly after?: string },
  ): Promise<ThreadPage>;
}

/**
 * How long the daily sums of spending are kept, whatever the retention of what was said: a budget
 * may run for a year, and a sum holds no text.
 */
export const spendingKeptDays = 400;

/**
 * A backend. What is older than its retention is absent on read, whatever the sweeper has done: a
 * turn with all that belongs to it by the turn's `createdAt`, an imported message by its own, a shard
 * by its `agesFrom`, a vector with what it is of. The retention is the store's, or that of the workspace
 * where it is shorter: `retention.ts` says by which setting.
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
   * Rewrites the whole file where there is one (6 to 13 ms for each MB, more where the disk is busy;
   * reading goes on, what is to be written waits), so call it once after all that was forgotten. A
   * process that ends meanwhile leaves the file as it was. What a server has written elsewhere, e.g.
   * its own log, is its operator's: see `docs/redis.md`.
   *
   * @throws {@link StoreError} `full` when there is no room for it.
   */
  scrub(): Promise<void>;
  /**
   * Deletes what has expired, at most `limit` (1 or more) records, and gives how many there were. A
   * turn group counts as one and goes whole; call again for as long as `limit` comes back.
   */
  sweep(limit: number): Promise<number>;
  /** Finishes what is being written and lets go of the backend. During a `scrub` nothing is: what waits is not stored. */
  close(): Promise<void>;
}

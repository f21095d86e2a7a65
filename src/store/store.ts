/**
 * The store: turns, messages, memories and settings. It knows nothing about councils, platforms or models;
 * requests, steps and settings are JSON to it.
 *
 * Each backend is a file beside this one; `test/contracts/store.ts` is the contract. Reads return
 * `undefined` or an empty list for absent records, and expired records count as absent.
 */

import { AwayError } from '../domain/failure.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Json, JsonObject, MessageStore, TurnStore } from './turn-store.ts';

export type * from './memory-store.ts';
export { mostRemembered } from './memory-store.ts';
export type * from './turn-store.ts';

/** A setting and its author. The value `null` means "not set here". */
export interface StoredSetting {
  readonly value: Json;
  readonly setBy: string;
  readonly setAt: number;
}
export type StoredSettings = { readonly [name: string]: StoredSetting };

/**
 * Scopes of settings and spending are named `<kind>:<platform>:<workspace>[:…]`, so backends can keep a
 * workspace's records together. A scope with fewer parts belongs to no workspace.
 */
export interface SettingsStore {
  /** The settings of each scope, in the order requested; `{}` for a scope without any. */
  read(scopes: readonly string[]): Promise<readonly StoredSettings[]>;
  /**
   * Sets the named settings of one scope and leaves the others; `null` removes a setting.
   *
   * @param by.expiresAt - When these settings expire, in milliseconds since 1970. Absent: never.
   * @param limit - How many settings of the scope may have names that begin with `prefix`. Absent: any number.
   * @returns Whether they were set; `false`, and nothing is, if there would be too many.
   */
  write(
    scope: string,
    changes: JsonObject,
    by: { readonly setBy: string; readonly setAt: number; readonly expiresAt?: number },
    limit?: SettingsLimit,
  ): Promise<boolean>;
}

/** The most settings of one scope with names that begin with a prefix. */
export interface SettingsLimit {
  readonly prefix: string;
  readonly most: number;
}

/** How long a backend keeps records, and by which clock. */
export interface RetentionOptions {
  /** Days, above 0, after which turns and messages expire. Absent: never. */
  readonly retentionDays?: number;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** The author of every note. */
const noteAuthor = 'bot';

export interface NotesOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long notes are kept, in milliseconds; absent: until dropped. */
  readonly keptMs?: number;
  /**
   * For notes about turns: the operator's retention. A workspace's own may be shorter, but can be raised again
   * up to it.
   */
  readonly retentionDays?: number | 'unlimited' | undefined;
}

const dayMs = 86_400_000;

/**
 * The bot's own notes by name, in one scope of the settings: pending work, and where to find things. Methods
 * throw the store's errors.
 */
export class Notes {
  readonly #settings: SettingsStore;
  readonly #scope: string;
  readonly #options: NotesOptions;

  constructor(settings: SettingsStore, scope: string, options: NotesOptions) {
    this.#settings = settings;
    this.#scope = scope;
    this.#options = options;
  }

  /** All notes by name, in no particular order. */
  async list(): Promise<ReadonlyMap<string, Json>> {
    const [kept = {}] = await this.#settings.read([this.#scope]);
    return new Map(Object.entries(kept).map(([name, { value }]) => [name, value]));
  }

  /** Adds or replaces notes, all or none; `null` drops one. */
  async put(notes: Readonly<Record<string, Json>>): Promise<void> {
    await this.putUpTo(undefined, notes);
  }

  /** Like {@link put}, unless there would be more notes than `most`. @returns Whether they were put. */
  putUpTo(most: number | undefined, notes: Readonly<Record<string, Json>>): Promise<boolean> {
    const { now, retentionDays, keptMs } = this.#options;
    const setAt = now();
    const ms = typeof retentionDays === 'number' ? retentionDays * dayMs : keptMs;
    const by = { setBy: noteAuthor, setAt, ...(ms !== undefined && { expiresAt: setAt + ms }) };
    const limit = most === undefined ? undefined : { prefix: '', most };
    return this.#settings.write(this.#scope, notes, by, limit);
  }

  /** Drops the named notes, all or none; without names, the store isn't called. */
  async drop(names: Iterable<string>): Promise<void> {
    const notes = Object.fromEntries(Array.from(names, (name) => [name, null]));
    if (Object.keys(notes).length === 0) return;
    await this.#settings.write(this.#scope, notes, {
      setBy: noteAuthor,
      setAt: this.#options.now(),
    });
  }

  /** Drops all notes. */
  async clear(): Promise<void> {
    await this.drop((await this.list()).keys());
  }
}

/**
 * What to forget of one thread, at most {@link mostForgotten} turns, messages and events together. Unknown
 * ids are ignored.
 */
export interface ForgetRequest {
  readonly threadId: string;
  /** Whole turn groups, whatever their status: question, answers, steps, usage. */
  readonly turnIds: readonly string[];
  /** A message of a turn takes its whole turn with it, because other texts quote it; an imported one goes alone. */
  readonly messageIds: readonly string[];
  /** Events of the thread's workspace that must not start a turn any more; turns they already started stay. */
  readonly eventIds?: readonly string[];
}

/** How many records were deleted. */
export interface Forgotten {
  readonly turns: number;
  /** Including those of the turns. */
  readonly messages: number;
  /** Made from any of these messages. */
  readonly shards: number;
}

/** The most that one {@link ForgetRequest} may name. */
export const mostForgotten = 100;

/**
 * How long the event of a forgotten turn is remembered, in milliseconds. No platform redelivers an event
 * later than that.
 */
export const forgottenKnownMs = dayMs;

/** How long an amount of {@link Store.spend} is recognised when it is sent again, in milliseconds. */
export const amountKnownMs = 600_000;

/**
 * How long daily spending is kept, whatever the retention: a budget may run for a year, and a sum contains
 * no text.
 */
export const spendingKeptDays = 400;

/**
 * A backend. Records older than the retention are absent on read, even before `sweep` deletes them. The age
 * of a turn, with everything that belongs to it, counts from its `createdAt`; that of an imported message
 * from its own; that of a shard from its `agesFrom`; a vector expires with its text. The retention is the
 * store's or, if shorter, the workspace's (see `retentionSetting` in `checks.ts`). Settings stay unless
 * written with `expiresAt`.
 */
export interface Store {
  readonly turns: TurnStore;
  readonly messages: MessageStore;
  readonly memories: MemoryStore;
  readonly settings: SettingsStore;
  /**
   * Claims a key for a while. Exactly one caller gets `true` until the claim expires.
   *
   * @param ttlMs - Above 0; counted from the successful claim.
   */
  claim(key: string, ttlMs: number): Promise<boolean>;
  /**
   * Adds an amount in US dollars to each scope's spending of the current UTC day.
   *
   * @param amountId - Pass it again within {@link amountKnownMs} if a call fails, because some of it may be counted.
   */
  spend(scopes: readonly string[], costUsd: number, amountId?: string): Promise<void>;
  /** US dollars spent by each scope since the UTC day of `since` (milliseconds since 1970), in the order requested. */
  spent(scopes: readonly string[], since: number): Promise<readonly number[]>;
  /**
   * Forgets turns and messages of a thread atomically, with their vectors, every index entry, and every
   * shard made from any of them. Other messages of these shards stay, and are in no shard then. Everything
   * read of the workspace's memory before becomes void. The event of a forgotten turn can't start another
   * turn for a day. Spending stays.
   */
  forget(request: ForgetRequest): Promise<Forgotten>;
  /**
   * Overwrites what deleted texts left behind: afterwards the store's file contains no byte of them. It reads
   * the whole file, in short steps that let other work run, so call it once after everything is forgotten. If
   * the process ends meanwhile, the file stays sound; call it again. Does nothing on a server: its log
   * and its other files are its operator's, see `docs/redis.md`.
   */
  scrub(): Promise<void>;
  /**
   * Deletes up to `limit` (1 or more) expired records and returns how many it deleted. A turn group counts
   * as one and goes whole. Call again while `limit` comes back.
   */
  sweep(limit: number): Promise<number>;
  /** Finishes pending writes and closes the backend. A running `scrub` rejects. */
  close(): Promise<void>;
}

/** Another process has taken the turn, or it has ended. Stop working on it; write nothing more. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
  constructor(turnId: string) {
    super(`Another process runs turn ${turnId} now, or it has ended. Nothing was written.`);
  }
}

/** The store can't be used. The message tells the operator what is wrong with which file or server, and what to do. */
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

/**
 * What is remembered, in the words of the design (section 5). A store knows nothing of councils,
 * platforms or models: requests, steps and settings are JSON to it.
 *
 * A backend is one file beside this one; `test/contracts/store.ts` tells whether it is right.
 * Reading gives `undefined` or an empty list for what is absent, and absent and expired are the same.
 */

import type { MemoryStore } from './memory-store.ts';
import type { SettingsStore } from './settings-store.ts';

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
export { channelOf, workspaceOf, workspaceOfScope } from './places.ts';
export type { SettingsStore, StoredSetting, StoredSettings } from './settings-store.ts';

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
  readonly parentId?: string;
  /**
   * Whether it was said where not everybody of the workspace can read: in a private channel or a
   * direct message. Absent: nobody knows, and it is treated as if it was.
   */
  readonly isPrivate?: boolean;
  /** The platform's own id of the post that shows it. */
  readonly platformMessageId?: string;
}

export type TurnStatus = 'queued' | 'running' | 'ended';

/** A turn without what happened in it. */
export interface TurnHeader {
  readonly turnId: string;
  readonly threadId: string;
  readonly status: TurnStatus;
  /** How often the turn was taken to be run; the fence of its checkpoints. 0 while it was never taken. */
  readonly attempt: number;
  /** Why it ended, in the caller's words; absent until then. */
  readonly outcome?: string;
  readonly createdAt: number;
  readonly endedAt?: number;
}

/** One finished step of a turn other than an answer, e.g. `{kind: 'reviewed', key: 'nassim_taleb', data: {…}}`. */
export interface Step {
  readonly kind: string;
  /** Tells steps of one kind apart. Storing the same kind and key again replaces the step. */
  readonly key: string;
  readonly data: JsonObject;
}

/** What one model call used. */
export interface UsageEvent {
  /** Unique in its turn: an event that is stored twice counts once. */
  readonly id: string;
  readonly turnId: string;
  readonly threadId: string;
  /** The person the turn is answered for. */
  readonly user: string;
  readonly sageName?: string;
  readonly stage: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** US dollars; absent where nobody knows. */
  readonly costUsd?: number;
  readonly estimated: boolean;
  readonly outcome: string;
  readonly latencyMs: number;
  readonly createdAt: number;
}

/**
 * A turn group: the turn, its messages in the thread's order (pending ones included), its steps and
 * its usage in the order in which each was first stored.
 */
export interface TurnRecord extends TurnHeader {
  readonly request: JsonObject;
  readonly messages: readonly Message[];
  readonly steps: readonly Step[];
  readonly usage: readonly UsageEvent[];
}

/** Names a turn of a workspace: one of another workspace is not found. A turn's own header is one. */
export interface TurnKey {
  readonly turnId: string;
  /** The turn's own, or another one of its workspace, as `workspaceOf` tells it. */
  readonly threadId: string;
}

/** Names the turn of a workspace that an event made. */
export interface EventKey {
  readonly eventId: string;
  /** As that of a {@link TurnKey}. */
  readonly threadId: string;
}

/** A turn as it is asked. */
export interface NewTurn {
  /** Unique in the whole store; a backend may only look whether it is in its workspace. */
  readonly turnId: string;
  readonly threadId: string;
  /**
   * The event that asked; the same one never makes a second turn in its workspace. Unique in the whole
   * store: put platform and workspace before the platform's own id, whose numbers others may use too.
   */
  readonly eventId: string;
  readonly request: JsonObject;
  /** Of this turn and thread. If its id was imported before, that message becomes the turn's. */
  readonly question: Message;
  readonly createdAt: number;
}

/** What is written at once when something in a turn has finished: all of it or nothing. */
export interface Checkpoint {
  readonly turnId: string;
  /** The turn's own. */
  readonly threadId: string;
  /** From {@link TurnStore.take}. */
  readonly attempt: number;
  /**
   * Inserted, or replaced where the turn has the id already; a replaced one keeps its `createdAt`
   * and its place in the thread. All are of this turn and thread.
   */
  readonly messages?: readonly Message[];
  readonly steps?: readonly Step[];
  /** All are of this turn and thread. */
  readonly usage?: readonly UsageEvent[];
  /**
   * Whose spending the usage counts toward, e.g. `user:<platform>:<workspace>:<id>`; each scope gets the
   * whole sum. All are of the turn's workspace, as `workspaceOfScope` tells it.
   */
  readonly spendScopes?: readonly string[];
  /** Present in the last checkpoint of a turn. */
  readonly end?: { readonly outcome: string; readonly endedAt: number };
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

export interface TurnStore {
  /**
   * Claims the event and stores the turn with its question, in one step.
   *
   * @returns The turn's id and `isNew: true`; or, when the event was claimed before, the id of the
   *   turn that it made then and `isNew: false`, with nothing stored.
   * @throws An error, with nothing stored, when another turn has the turn's id, or another message
   *   of the thread the question's.
   */
  begin(turn: NewTurn): Promise<{ readonly turnId: string; readonly isNew: boolean }>;
  /**
   * Takes a turn to run it: its attempt rises by one, so that whoever took it before can no longer write.
   *
   * @returns The turn with all that is finished; or `undefined` when it is unknown or has ended.
   */
  take(turn: TurnKey): Promise<TurnRecord | undefined>;
  /**
   * Throws {@link SupersededError} when the turn was taken again since, has ended or is absent; a
   * RangeError when a message or a usage event is of another turn or thread, a scope of another
   * workspace, or a message has the id of another one in the thread. Nothing is stored then.
   */
  checkpoint(checkpoint: Checkpoint): Promise<void>;
  /**
   * Adds a step from outside the turn, whatever its status and with no fence: what somebody says
   * about it, not what happens in it.
   *
   * @returns Whether the turn is there.
   */
  remark(turn: TurnKey, step: Step): Promise<boolean>;
  /** By its id, or by the event that made it. */
  read(turn: TurnKey | EventKey): Promise<TurnRecord | undefined>;
  /** The turns of a thread, newest first, at most `limit` (1 to 100), created before `before` if given (ms since 1970). */
  list(
    threadId: string,
    options: { readonly limit: number; readonly before?: number },
  ): Promise<readonly TurnHeader[]>;
  /** Turns that have not ended, oldest first, at most `limit`. */
  unfinished(limit: number): Promise<readonly TurnHeader[]>;
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
}

/**
 * How long the daily sums of spending are kept, whatever the retention of what was said: a budget
 * may run for a year, and a sum holds no text.
 */
export const spendingKeptDays = 400;

/**
 * A backend. What is older than its retention is absent on read, whatever the sweeper has done: a
 * turn with all that belongs to it by the turn's `createdAt`, an imported message by its own, a shard
 * by its `agesFrom`.
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
  /** Adds what calls of no turn have cost, in US dollars, to each scope at the present UTC day. */
  spend(scopes: readonly string[], costUsd: number): Promise<void>;
  /** US dollars spent by each scope since the given moment, to the granularity of a UTC day, in the order asked for. */
  spent(scopes: readonly string[], since: number): Promise<readonly number[]>;
  /**
   * Deletes what has expired, at most `limit` (1 or more) records, and gives how many there were. A
   * turn group counts as one and goes whole; call again for as long as `limit` comes back.
   */
  sweep(limit: number): Promise<number>;
  /** Finishes what is being written and lets go of the backend. */
  close(): Promise<void>;
}

/** The turn was taken by somebody else in the meantime, or has ended: give it up, write nothing more. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
  constructor(turnId: string) {
    super(`Turn ${turnId} is run by somebody else by now, or has ended. Nothing was written.`);
  }
}

/** The store can't be used. The message is for the operator: what is wrong with which file or server, and what to do. */
export class StoreError extends Error {
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

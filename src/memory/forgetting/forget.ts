/**
 * Forgets a subject and everything derived from it: messages, answers, reviews, verdicts, receipts,
 * shards, vectors and related data. After a crash the next process finishes the work.
 */

import { randomUUID } from 'node:crypto';
import type { Forgotten, Store } from '../../store/store.ts';
import { within } from '../../waiting.ts';
import { messagePages, rememberedIn } from '../pages.ts';
import { ShardNotes } from '../shards/notes.ts';
import { batchesOf, type ForgetBatch } from './batches.ts';
import { removeHeard, removeHeardOf, turnsThatHeardSubject } from './heard.ts';
import {
  type ForgetNote,
  ForgetNotes,
  type ForgetSubject,
  isPartial,
  workspaceOfSubject,
} from './notes.ts';

/** The number of deleted records. All zero: there were none, or another process deleted them. */
export interface ForgetReport extends Forgotten {
  readonly threads: number;
}

export interface ForgetPreview {
  readonly questions: number;
  /** Complete answers. */
  readonly answers: number;
  /** Shards made from any of these messages. */
  readonly summaries: number;
  readonly threads: number;
  /** The number of turns that overheard the post or person. */
  readonly heardIn: number;
}

/** Deletes data that belongs to turns and messages but is stored elsewhere. Calls are repeated after a crash. */
export interface RelatedData {
  /** Called before a batch is deleted, while the store still knows who asked. */
  beforeBatch(batch: ForgetBatch, subject: ForgetSubject): Promise<void>;
  /** Called after the last batch is deleted. */
  afterSubject(subject: ForgetSubject): Promise<void>;
}

export interface ForgettingOptions {
  readonly store: Store;
  /** Asks for a turn to be stopped, whichever process runs or queues it. */
  readonly stop: (turnId: string) => Promise<void>;
  readonly relatedData: RelatedData;
  /** Whether this process serves the platform of a workspace (`platform:workspace`). */
  readonly serves: (workspace: string) => boolean;
  /** Whether the bot is in a workspace. Called only for platforms served here. Throws if the platform does not answer. */
  readonly isMember: (workspace: string) => Promise<boolean>;
  /** Waits for an exclusive lock across processes; returns the function that releases it. */
  readonly lock: (name: string, signal: AbortSignal) => Promise<() => void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Expired records deleted at once. */
const sweptAtOnce = 500;
/** A scrub reads the whole file, so the next one waits this many times as long as it took. */
const scrubPauseFactor = 20;
/** The pause after a failed scrub, e.g. for lack of disk space. */
const scrubFailurePauseMs = 600_000;
const nothing: ForgetReport = { turns: 0, messages: 0, shards: 0, threads: 0 };

export type Forgetting = ReturnType<typeof createForgetting>;

export function createForgetting(options: ForgettingOptions) {
  const { store, stop, relatedData, serves, isMember, lock, now } = options;
  const notes = new ForgetNotes(store.settings, now);
  const shardNotes = new ShardNotes(store.settings, now);
  /** When the next scrub may start, in milliseconds since 1970. */
  let nextScrubAt = 0;

  const isDue = ({ dueAt = 0 }: ForgetNote) => dueAt <= now();

  /** Counts what would be forgotten, so that people can confirm it. Like all that follow, throws what the store throws. */
  async function preview(subject: ForgetSubject): Promise<ForgetPreview> {
    /** Keys of turns and messages, by thread. */
    const wanted = new Map<string, Set<string>>();
    for await (const { threadId, turns, messageIds } of batchesOf(store, subject)) {
      const keys = wanted.get(threadId) ?? new Set();
      for (const { turnId } of turns) keys.add(`turn ${turnId}`);
      for (const id of messageIds) keys.add(`message ${id}`);
      if (keys.size > 0) wanted.set(threadId, keys);
    }
    const counts = { questions: 0, answers: 0, summaries: 0 };
    for (const [threadId, keys] of wanted) {
      const ids = new Set<string>();
      for await (const messages of messagePages(store.messages, threadId)) {
        for (const { id, turnId, role, status } of messages) {
          const isWanted = keys.has(`message ${id}`) || keys.has(`turn ${turnId}`);
          if (!isWanted || status !== 'complete') continue;
          counts[role === 'human' ? 'questions' : 'answers'] += 1;
          ids.add(id);
        }
      }
      const { shards } = await rememberedIn(store.memories, { threadId, reach: 'thread' });
      const isMadeOf = (sources: readonly string[]) => sources.some((source) => ids.has(source));
      counts.summaries += shards.filter(({ sourceIds }) => isMadeOf(sourceIds)).length;
    }
    const { length: heardIn } = await turnsThatHeardSubject(store, subject);
    return { ...counts, threads: wanted.size, heardIn };
  }

  /**
   * Forgets a subject: afterwards none of it can be read. The next {@link resume} scrubs its traces from
   * the store's file, and finishes the work if this throws.
   *
   * @param signal - Aborted at shutdown.
   */
  async function forget(subject: ForgetSubject, signal: AbortSignal): Promise<ForgetReport> {
    return finish(await notes.add(randomUUID(), subject), signal);
  }

  /**
   * Schedules a workspace (`platform:workspace`) that removed the bot: a later {@link resume} forgets it
   * unless the bot is back by then. A repeated call replaces the due time.
   *
   * @param dueAt - Milliseconds since 1970.
   */
  async function forgetLater(workspace: string, dueAt: number): Promise<void> {
    await notes.addDeparture(workspace, dueAt);
  }

  /**
   * The background work: finishes interrupted and due subjects, and scrubs the store's file. Leaves to other
   * processes what takes a platform that this one doesn't serve. A failure does not hold up the rest; it is
   * thrown at the end, several as an `AggregateError`.
   */
  async function resume(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (const note of (await notes.read()).filter(isDue)) {
      try {
        if (await isConfirmed(note)) await finish(note, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
      }
    }
    if (now() >= nextScrubAt) {
      await scrub(signal).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length > 0) throw failures[0];
  }

  /** Deletes all expired records, in batches, so that no question waits for it. @returns How many. */
  async function sweep(signal: AbortSignal): Promise<number> {
    let total = 0;
    for (;;) {
      const count = await store.sweep(sweptAtOnce);
      total += count;
      if (count !== sweptAtOnce) return total;
      signal.throwIfAborted();
    }
  }

  /**
   * Scrubs forgotten data from the store's file, if there is any, even during the pause after a scrub. Expired
   * records are deleted first: they may belong to it.
   *
   * @param signal - Aborted, this stops waiting; the scrub is repeated later.
   */
  async function scrub(signal: AbortSignal): Promise<void> {
    const scrubbed = await notes.claimTraces(randomUUID());
    if (!scrubbed) return;
    signal.throwIfAborted();
    const begunAt = now();
    let pauseMs = scrubFailurePauseMs;
    try {
      await sweep(signal);
      await within(store.scrub(), { signal });
      pauseMs = 0;
    } finally {
      const endedAt = now();
      nextScrubAt = endedAt + Math.max(pauseMs, scrubPauseFactor * (endedAt - begunAt));
    }
    await scrubbed();
  }

  /**
   * Whether a subject can be forgotten by this process: its posts, if it was taken back, and its workspace if the
   * bot is really gone. It may have been added back, or the removal event was wrong.
   */
  async function isConfirmed(note: ForgetNote): Promise<boolean> {
    const workspace = workspaceOfSubject(note.subject);
    if (note.dueAt === undefined) return !('isTakenBack' in note.subject) || serves(workspace);
    if (!serves(workspace)) return false;
    const isBack = await isMember(workspace);
    if (isBack) await notes.remove(note);
    return !isBack;
  }

  async function finish(note: ForgetNote, signal: AbortSignal): Promise<ForgetReport> {
    const unlock = await lock(`forgetting:${note.id}`, signal);
    try {
      const left = (await notes.read()).filter(isDue);
      if (!left.some(({ id }) => id === note.id)) return nothing;
      // Once started, this finishes even if the bot is added back, so nothing is left half forgotten.
      if (note.dueAt !== undefined) await notes.confirm(note);
      return await forgetAll(note, signal);
    } finally {
      unlock();
    }
  }

  async function forgetAll(note: ForgetNote, signal: AbortSignal): Promise<ForgetReport> {
    const { subject } = note;
    const sum = { turns: 0, messages: 0, shards: 0 };
    const threads = new Set<string>();
    for await (const batch of batchesOf(store, subject)) {
      signal.throwIfAborted();
      const gone = await forgetBatch(batch, subject);
      sum.turns += gone.turns;
      sum.messages += gone.messages;
      sum.shards += gone.shards;
      threads.add(batch.threadId);
    }
    await removeHeard(store, subject, now);
    await relatedData.afterSubject(subject);
    await notes.setForgotten(note);
    return { ...sum, threads: threads.size };
  }

  async function forgetBatch(batch: ForgetBatch, subject: ForgetSubject) {
    const { threadId, turns, messageIds } = batch;
    const running = turns.filter(({ status }) => status !== 'ended');
    await Promise.all(running.map(({ turnId }) => stop(turnId)));
    await relatedData.beforeBatch(batch, subject);
    await Promise.all(turns.map((turn) => removeHeardOf(store, turn, now)));
    await shardNotes.remove(turns);
    // Noted first, so that shards of the remaining messages are made even if this process crashes next.
    if (isPartial(subject)) await shardNotes.add({ turnId: `forgotten:${threadId}`, threadId });
    return store.forget({ threadId, turnIds: turns.map(({ turnId }) => turnId), messageIds });
  }

  return { preview, forget, forgetLater, resume, sweep, scrub };
}

/**
 * Forgets a subject with everything made of it: messages, answers, reviews, verdicts,
 * receipts, shards, vectors, and what is kept beside them. After a crash the
 * next process finishes what was begun.
 */

import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import { within } from '../../waiting.ts';
import { ShardNotes } from '../shards/notes.ts';
import { countHeard, emptyHeard, forgetHeardWith } from './heard.ts';
import {
  type ForgetNote,
  ForgetNotes,
  type ForgetSubject,
  isPartial,
  workspaceOfSubject,
} from './notes.ts';
import { type ForgetPortion, portionsOf } from './portions.ts';
import { countPortions, type ForgetPreview } from './preview.ts';

export { type ForgetSubject, workspaceOfSubject } from './notes.ts';
export type { ForgetPortion } from './portions.ts';
export type { ForgetPreview } from './preview.ts';

/** What has gone. Zeros: nothing of it was there, or another process has done it. */
export interface ForgetReport {
  /** Questions that were asked here, each with all that came of it. */
  readonly turns: number;
  /** Questions, answers and imported messages. */
  readonly messages: number;
  readonly shards: number;
  readonly threads: number;
}

/** What is kept beside turns and messages, and is to go with them. Asked for again after a death. */
export interface Traces {
  /** Called before a portion goes: afterwards it is unknown who asked. */
  ofPortion(portion: ForgetPortion, subject: ForgetSubject): Promise<void>;
  /** Called when all portions are gone. */
  ofSubject(subject: ForgetSubject): Promise<void>;
}

/**
 * Whether the bot is in a workspace (`platform:workspace`); `unknown` where this process is not on its
 * platform. Throws when the platform does not say.
 */
export type Membership = (workspace: string) => Promise<'member' | 'gone' | 'unknown'>;

export interface ForgettingOptions {
  readonly store: Pick<
    Store,
    'turns' | 'messages' | 'memories' | 'settings' | 'forget' | 'scrub' | 'sweep'
  >;
  /** Asks for a turn to be stopped, in whatever process it runs or waits. */
  readonly stop: (turnId: string) => Promise<void>;
  readonly traces: Traces;
  readonly membership: Membership;
  /** Waits until no other process is at work on what has this name; what it gives lets others be. */
  readonly lock: (name: string, signal: AbortSignal) => Promise<() => void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Of what has expired, how much is deleted at once. */
const sweptAtOnce = 500;
/** Clearing a file reads all of it: the next time is not before so many times as long. */
const scrubRest = 20;
/** After one that failed, e.g. because of the disk, in milliseconds. */
const scrubFailureRestMs = 600_000;
const nothing: ForgetReport = { turns: 0, messages: 0, shards: 0, threads: 0 };

export class Forgetting {
  readonly #options: ForgettingOptions;
  readonly #notes: ForgetNotes;
  readonly #shardNotes: ShardNotes;
  /** The next time that a file may be cleared, in milliseconds since 1970. */
  #scrubsFrom = 0;

  constructor(options: ForgettingOptions) {
    const { store, now } = options;
    this.#options = options;
    this.#notes = new ForgetNotes(store.settings, now);
    this.#shardNotes = new ShardNotes(store.settings, now);
  }

  /** What would go. Changes nothing. Throws what the store throws, as all verbs do. */
  async preview(subject: ForgetSubject): Promise<ForgetPreview> {
    const { store } = this.#options;
    const counted = await countPortions(store, portionsOf(store, subject));
    return { ...counted, heardIn: await countHeard(store, subject) };
  }

  /**
   * Forgets: afterwards nothing of it can be read. Its traces in the store's file go with the next
   * {@link resume}, for all that was forgotten until then. When it throws, what is left is gone on
   * with there.
   *
   * @param signal - Aborted at shutdown.
   */
  async forget(subject: ForgetSubject, signal: AbortSignal): Promise<ForgetReport> {
    return this.#finish(await this.#notes.add(randomUUID(), subject), signal);
  }

  /**
   * Forgets a workspace (`platform:workspace`) that the bot was taken out of, with a later
   * {@link resume}, unless it is back by then. Told again, the time begins anew.
   *
   * @param dueAt - Milliseconds since 1970.
   */
  async forgetLater(workspace: string, dueAt: number): Promise<void> {
    await this.#notes.addDeparture(workspace, dueAt);
  }

  /**
   * The background work: goes on with what was begun and not finished, and clears the store's file of
   * what was forgotten. One that fails keeps none from its turn; its error comes last, an
   * `AggregateError` where there are several.
   */
  async resume(signal: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const due = (await this.#notes.read()).filter((note) => this.#isDue(note));
    for (const note of due) {
      try {
        if (await this.#isStillMeant(note)) await this.#finish(note, signal);
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
      }
    }
    if (this.#options.now() >= this.#scrubsFrom) {
      await this.scrub(signal).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Clears the store's file of what was forgotten, if anything was; at a shutdown, without a pause.
   *
   * @param signal - Aborted, it is waited for no longer, and stays to be done.
   */
  async scrub(signal: AbortSignal): Promise<void> {
    const cleared = await this.#notes.takeTraces(randomUUID());
    if (!cleared) return;
    signal.throwIfAborted();
    const { store, now } = this.#options;
    const begunAt = now();
    let restMs = scrubFailureRestMs;
    try {
      await within(store.scrub(), { signal });
      restMs = 0;
    } finally {
      const endedAt = now();
      this.#scrubsFrom = endedAt + Math.max(restMs, scrubRest * (endedAt - begunAt));
    }
    await cleared();
  }

  #isDue({ dueAt = 0 }: ForgetNote): boolean {
    return dueAt <= this.#options.now();
  }

  /** Who took the bot out by mistake has put it back in; the word of it may also have been wrong. */
  async #isStillMeant(note: ForgetNote): Promise<boolean> {
    if (note.dueAt === undefined) return true;
    const membership = await this.#options.membership(workspaceOfSubject(note.subject));
    if (membership === 'member') await this.#notes.remove(note);
    // Once begun it is finished, even if the bot is put back meanwhile: no half stays.
    if (membership === 'gone') await this.#notes.setCertain(note);
    return membership === 'gone';
  }

  async #finish(note: ForgetNote, signal: AbortSignal): Promise<ForgetReport> {
    const unlock = await this.#options.lock(`forgetting:${note.id}`, signal);
    try {
      const notes = await this.#notes.read();
      const isDue = notes.some((known) => known.id === note.id && this.#isDue(known));
      return isDue ? await this.#forgetAll(note, signal) : nothing;
    } finally {
      unlock();
    }
  }

  async #forgetAll(note: ForgetNote, signal: AbortSignal): Promise<ForgetReport> {
    const { store, traces } = this.#options;
    const { subject } = note;
    const sum = { turns: 0, messages: 0, shards: 0 };
    const threads = new Set<string>();
    for await (const portion of portionsOf(store, subject)) {
      signal.throwIfAborted();
      const gone = await this.#forgetPortion(portion, subject);
      sum.turns += gone.turns;
      sum.messages += gone.messages;
      sum.shards += gone.shards;
      threads.add(portion.threadId);
    }
    await emptyHeard(store, subject, this.#options.now);
    await traces.ofSubject(subject);
    // What has expired is not found by any of this, and is to go all the same.
    while ((await store.sweep(sweptAtOnce)) === sweptAtOnce) signal.throwIfAborted();
    await this.#notes.setForgotten(note);
    return { ...sum, threads: threads.size };
  }

  async #forgetPortion(portion: ForgetPortion, subject: ForgetSubject) {
    const { store, stop, traces } = this.#options;
    const { threadId, turns, messageIds } = portion;
    const running = turns.filter(({ status }) => status !== 'ended');
    await Promise.all(running.map(({ turnId }) => stop(turnId)));
    await traces.ofPortion(portion, subject);
    await Promise.all(turns.map((turn) => forgetHeardWith(store, turn, this.#options.now)));
    await this.#shardNotes.remove(turns);
    // Of what stays of a shard another is made, also when this process dies right after the next step.
    if (isPartial(subject)) {
      await this.#shardNotes.add({ turnId: `forgotten:${threadId}`, threadId });
    }
    return store.forget({ threadId, turnIds: turns.map(({ turnId }) => turnId), messageIds });
  }
}

/**
 * The queue of a single process: everything in memory, and nothing lost, because what waits is in
 * the store as well and comes back from there at the next start.
 */

import type { Queue, QueuedTurn, TurnRunner } from './queue.ts';
import { pauseAfter } from './tries.ts';

export interface InlineQueueOptions {
  /** How many threads are served at the same time; at least 1. */
  readonly concurrency: number;
  /** What an earlier process left unfinished, oldest first, at most so many. Asked once, at the start. */
  readonly unfinished: (most: number) => Promise<readonly QueuedTurn[]>;
  /** How often a turn is run that throws; at least 1. Default 1: it is left for the next start. */
  readonly tries?: number;
}

/**
 * Told what a run threw.
 *
 * @param againInMs - `undefined`: it was the last try.
 */
export type OnThrown = (turn: QueuedTurn, error: unknown, againInMs: number | undefined) => void;

export function createInlineQueue(options: InlineQueueOptions, onError: OnThrown): Queue {
  return new InlineQueue(options, onError);
}

class InlineQueue implements Queue {
  readonly #options: InlineQueueOptions;
  readonly #onError: OnThrown;
  /** Turns by thread, the running one first; in the order in which the threads came. */
  readonly #threads = new Map<string, QueuedTurn[]>();
  readonly #running = new Map<string, Promise<void>>();
  /** Threads whose first turn threw, and is tried again when its pause is over. */
  readonly #pausing = new Map<string, NodeJS.Timeout>();
  /** How often a turn has thrown, by its id. */
  readonly #thrown = new Map<string, number>();
  readonly #shutdown = new AbortController();
  #run: TurnRunner | undefined;
  #onPutAside: (turn: QueuedTurn) => Promise<void> = async () => undefined;
  #isStopping = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: InlineQueueOptions, onError: OnThrown) {
    this.#options = options;
    this.#onError = onError;
  }

  async add(turn: QueuedTurn): Promise<void> {
    const waiting = this.#threads.get(turn.threadId) ?? [];
    if (waiting.some((known) => known.turnId === turn.turnId)) return;
    this.#threads.set(turn.threadId, [...waiting, turn]);
    this.#startNext();
  }

  async start(run: TurnRunner, onPutAside = this.#onPutAside): Promise<void> {
    const unfinished = await this.#options.unfinished(Number.MAX_SAFE_INTEGER);
    for (const turn of unfinished) await this.add(turn);
    this.#run = run;
    this.#onPutAside = onPutAside;
    this.#startNext();
  }

  async waiting(threadId: string): Promise<number> {
    return this.#threads.get(threadId)?.length ?? 0;
  }

  async idle(): Promise<void> {
    if (this.#threads.size === 0) return;
    this.#idle ??= Promise.withResolvers<void>();
    await this.#idle.promise;
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const pause of this.#pausing.values()) clearTimeout(pause);
    const timer = setTimeout(() => this.#shutdown.abort(new Error('Shutting down.')), graceMs);
    await Promise.all(this.#running.values());
    clearTimeout(timer);
  }

  #startNext(): void {
    const run = this.#run;
    if (!run || this.#isStopping) return;
    for (const [threadId, turns] of this.#threads) {
      if (this.#running.size >= this.#options.concurrency) return;
      const [turn] = turns;
      if (!turn || this.#running.has(threadId) || this.#pausing.has(threadId)) continue;
      this.#running.set(threadId, this.#drain(turn, run));
    }
  }

  async #drain(turn: QueuedTurn, run: TurnRunner): Promise<void> {
    let isKept = false;
    try {
      await run(turn, this.#shutdown.signal);
    } catch (error) {
      isKept = await this.#isTriedAgain(turn, error);
    } finally {
      this.#finish(turn, isKept);
    }
  }

  async #isTriedAgain(turn: QueuedTurn, error: unknown): Promise<boolean> {
    const { turnId, threadId } = turn;
    const { tries = 1 } = this.#options;
    const thrown = (this.#thrown.get(turnId) ?? 0) + 1;
    const againInMs = thrown < tries ? pauseAfter(thrown) : undefined;
    this.#onError(turn, error, againInMs);
    if (againInMs === undefined) {
      if (tries > 1) await this.#onPutAside(turn);
      return false;
    }
    this.#thrown.set(turnId, thrown);
    const pause = setTimeout(() => {
      this.#pausing.delete(threadId);
      this.#startNext();
    }, againInMs);
    this.#pausing.set(threadId, pause.unref());
    return true;
  }

  /** @param isKept - It stays the first of its thread. */
  #finish(turn: QueuedTurn, isKept: boolean): void {
    const { turnId, threadId } = turn;
    const turns = this.#threads.get(threadId) ?? [];
    const rest = isKept ? turns : turns.filter((other) => other !== turn);
    if (!isKept) this.#thrown.delete(turnId);
    this.#running.delete(threadId);
    // To the end of the line, so that a busy thread does not starve the others.
    this.#threads.delete(threadId);
    if (rest.length > 0) this.#threads.set(threadId, rest);
    if (this.#threads.size === 0) {
      this.#idle?.resolve();
      this.#idle = undefined;
    }
    this.#startNext();
  }
}

/**
 * The queue of a single process: everything in memory, and nothing lost, because what waits is in
 * the store as well and comes back from there at the next start.
 */

import type { Queue, QueuedTurn, TurnRunner } from './queue.ts';

export interface InlineQueueOptions {
  /** How many threads are served at the same time; at least 1. */
  readonly concurrency: number;
  /** What an earlier process left unfinished, oldest first. Asked once, at the start. */
  readonly unfinished: () => Promise<readonly QueuedTurn[]>;
}

/** A runner that throws ends its turn as far as the queue is concerned; `onError` hears of it. */
export function createInlineQueue(
  options: InlineQueueOptions,
  onError: (turn: QueuedTurn, error: unknown) => void,
): Queue {
  return new InlineQueue(options, onError);
}

class InlineQueue implements Queue {
  readonly #options: InlineQueueOptions;
  readonly #onError: (turn: QueuedTurn, error: unknown) => void;
  /** Turns by thread, the running one first; in the order in which the threads came. */
  readonly #threads = new Map<string, QueuedTurn[]>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #shutdown = new AbortController();
  #run: TurnRunner | undefined;
  #isStopping = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: InlineQueueOptions, onError: (turn: QueuedTurn, error: unknown) => void) {
    this.#options = options;
    this.#onError = onError;
  }

  async add(turn: QueuedTurn): Promise<void> {
    const waiting = this.#threads.get(turn.threadId) ?? [];
    if (waiting.some((known) => known.turnId === turn.turnId)) return;
    this.#threads.set(turn.threadId, [...waiting, turn]);
    this.#startNext();
  }

  async start(run: TurnRunner): Promise<void> {
    for (const turn of await this.#options.unfinished()) await this.add(turn);
    this.#run = run;
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
      if (turn && !this.#running.has(threadId)) this.#running.set(threadId, this.#drain(turn, run));
    }
  }

  async #drain(turn: QueuedTurn, run: TurnRunner): Promise<void> {
    try {
      await run(turn, this.#shutdown.signal);
    } catch (error) {
      this.#onError(turn, error);
    } finally {
      this.#finish(turn);
    }
  }

  #finish(turn: QueuedTurn): void {
    const rest = (this.#threads.get(turn.threadId) ?? []).filter((other) => other !== turn);
    this.#running.delete(turn.threadId);
    // To the end of the line, so that a busy thread does not starve the others.
    this.#threads.delete(turn.threadId);
    if (rest.length > 0) this.#threads.set(turn.threadId, rest);
    if (this.#threads.size === 0) {
      this.#idle?.resolve();
      this.#idle = undefined;
    }
    this.#startNext();
  }
}

/**
 * The queue of a single process: everything in memory, and nothing lost, because what waits is in
 * the store as well and comes back from there at the next start.
 */

import type { Log } from '../../domain/log.ts';
import { pauseAfter, type Queue, type QueuedTurn, type TurnRunner } from '../queue.ts';

export interface InlineQueueOptions {
  /** How many threads are served at the same time; at least 1. */
  readonly concurrency: number;
  /** What an earlier process left unfinished, oldest first, at most so many. Asked once, at the start. */
  readonly unfinished: (most: number) => Promise<readonly QueuedTurn[]>;
  /** How often a turn is run that throws; at least 1. What is put aside then is left for the next start. */
  readonly tries: number;
  /** Whether what a turn threw will pass however long it takes: it is then no try. Not asked with one try. */
  readonly willPass: (error: unknown) => boolean;
  readonly log: Log;
}

/** A turn that threw, and waits to be tried again. */
interface Pause {
  readonly timer: NodeJS.Timeout | undefined;
  /** How often it was run in vain. */
  readonly runs: number;
  /** How many of these count. */
  readonly tries: number;
}

const noPause: Pause = { timer: undefined, runs: 0, tries: 0 };

export class InlineQueue implements Queue {
  readonly #options: InlineQueueOptions;
  /** Turns by thread, the running one first; in the order in which the threads came. */
  readonly #threads = new Map<string, QueuedTurn[]>();
  readonly #running = new Map<string, Promise<void>>();
  /** By thread, whose first turn has thrown. */
  readonly #pauses = new Map<string, Pause>();
  readonly #shutdown = new AbortController();
  #run: TurnRunner | undefined;
  #onPutAside: (turn: QueuedTurn) => Promise<void> = async () => undefined;
  #isStopping = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: InlineQueueOptions) {
    this.#options = options;
  }

  /** What was stored before a turn needs no look: it was added by this process, or comes with the start. */
  async add(turn: QueuedTurn): Promise<void> {
    this.#append(turn);
    this.#startNext();
  }

  #append(turn: QueuedTurn): void {
    const waiting = this.#threads.get(turn.threadId) ?? [];
    if (waiting.some((known) => known.turnId === turn.turnId)) return;
    this.#threads.set(turn.threadId, [...waiting, turn]);
  }

  async start(run: TurnRunner, onPutAside = this.#onPutAside): Promise<void> {
    const unfinished = await this.#options.unfinished(Number.MAX_SAFE_INTEGER);
    // What was added since the process began is behind it, and may be among it.
    const added = [...this.#threads.values()].flat();
    this.#threads.clear();
    for (const turn of [...unfinished, ...added]) this.#append(turn);
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
    for (const { timer } of this.#pauses.values()) clearTimeout(timer);
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
      const isHeldUp = this.#running.has(threadId) || this.#pauses.get(threadId)?.timer;
      if (turn && !isHeldUp) this.#running.set(threadId, this.#drain(turn, run));
    }
  }

  async #drain(turn: QueuedTurn, run: TurnRunner): Promise<void> {
    let isOver = true;
    try {
      await run(turn, this.#shutdown.signal);
    } catch (error) {
      isOver = await this.#giveUp(turn, error);
    }
    this.#running.delete(turn.threadId);
    if (isOver) this.#finish(turn);
    this.#startNext();
  }

  /** @returns Whether the turn is put aside until the next start; otherwise it is run again after a pause. */
  async #giveUp(turn: QueuedTurn, error: unknown): Promise<boolean> {
    const { tries: mostTries, willPass, log } = this.#options;
    const before = this.#pauses.get(turn.threadId) ?? noPause;
    const isPassing = mostTries > 1 && willPass(error);
    const tries = before.tries + (isPassing ? 0 : 1);
    if (tries >= mostTries) {
      log.error({ ...turn, error }, 'turn could not be run; it is left for the next start');
      if (mostTries > 1) await this.#onPutAside(turn);
      return true;
    }
    const runs = before.runs + 1;
    const againInMs = pauseAfter(runs);
    // What holds for long is said once: every turn waits for the same.
    if (!isPassing || before.runs === before.tries) {
      log.warn({ ...turn, againInMs, error }, 'turn is retried');
    }
    if (this.#isStopping) return false;
    const timer = setTimeout(() => {
      this.#pauses.set(turn.threadId, { timer: undefined, runs, tries });
      this.#startNext();
    }, againInMs);
    this.#pauses.set(turn.threadId, { timer, runs, tries });
    return false;
  }

  #finish(turn: QueuedTurn): void {
    const rest = (this.#threads.get(turn.threadId) ?? []).filter((other) => other !== turn);
    this.#pauses.delete(turn.threadId);
    // To the end of the line, so that a busy thread does not starve the others.
    this.#threads.delete(turn.threadId);
    if (rest.length > 0) this.#threads.set(turn.threadId, rest);
    if (this.#threads.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}

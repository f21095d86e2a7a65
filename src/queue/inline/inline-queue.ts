/**
 * The queue of a single process, in memory. Nothing is lost: the store has every waiting turn, and the next
 * start loads them from there.
 */

import type { Log } from '../../domain/log.ts';
import { partsOf } from '../../domain/thread-id.ts';
import { pauseAfter, type Queue, type QueuedTurn, type QueueStart } from '../queue.ts';

export interface InlineQueueOptions {
  /** How many threads are served in parallel; at least 1. */
  readonly concurrency: number;
  /** Lists up to `most` turns that an earlier process left unfinished, oldest first. Called at the start. */
  readonly unfinished: (most: number) => Promise<readonly QueuedTurn[]>;
  /** How often a turn that throws is tried; at least 1. After that it waits for the next start. */
  readonly tries: number;
  /** Whether an error will pass eventually, so the run doesn't count as a try. Not called with one try. */
  readonly willPass: (error: unknown) => boolean;
  readonly log: Log;
}

/** The pause of a turn that threw, before its next try. */
interface Pause {
  readonly timer: NodeJS.Timeout | undefined;
  /** How often the turn has thrown. */
  readonly runs: number;
  /** How many of these runs count as tries. */
  readonly tries: number;
}

const noPause: Pause = { timer: undefined, runs: 0, tries: 0 };

export class InlineQueue implements Queue {
  readonly #options: InlineQueueOptions;
  /** Turns by thread, the running one first; threads in order of arrival. */
  readonly #threads = new Map<string, QueuedTurn[]>();
  readonly #running = new Map<string, Promise<void>>();
  /** By thread; the turn is the thread's first. */
  readonly #pauses = new Map<string, Pause>();
  readonly #shutdown = new AbortController();
  #started: QueueStart | undefined;
  #isStopping = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: InlineQueueOptions) {
    this.#options = options;
  }

  /** Ignores `earlier`: this process added those turns, or `start` loads them. */
  async add(turn: QueuedTurn): Promise<void> {
    this.#append(turn);
    this.#startNext();
  }

  #append(turn: QueuedTurn): void {
    const waiting = this.#threads.get(turn.threadId) ?? [];
    if (waiting.some((known) => known.turnId === turn.turnId)) return;
    this.#threads.set(turn.threadId, [...waiting, turn]);
  }

  async start(start: QueueStart): Promise<void> {
    const unfinished = await this.#options.unfinished(Number.MAX_SAFE_INTEGER);
    const isOurs = ({ threadId }: QueuedTurn) =>
      start.platforms.includes(partsOf(threadId).platform);
    // Turns added since the process began come last; the list may include them.
    const added = [...this.#threads.values()].flat();
    this.#threads.clear();
    for (const turn of [...unfinished.filter(isOurs), ...added]) this.#append(turn);
    this.#started = start;
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
    const started = this.#started;
    if (!started || this.#isStopping) return;
    for (const [threadId, turns] of this.#threads) {
      if (this.#running.size >= this.#options.concurrency) return;
      const [turn] = turns;
      const isBusy = this.#running.has(threadId) || this.#pauses.get(threadId)?.timer;
      if (turn && !isBusy) this.#running.set(threadId, this.#runTurn(turn, started));
    }
  }

  async #runTurn(turn: QueuedTurn, { run, onAbandoned }: QueueStart): Promise<void> {
    let isOver = true;
    try {
      await run(turn, this.#shutdown.signal);
    } catch (error) {
      isOver = await this.#afterFailure(turn, error, onAbandoned);
    }
    this.#running.delete(turn.threadId);
    if (isOver) this.#finish(turn);
    this.#startNext();
  }

  /** @returns Whether the turn is left for the next start; otherwise it is retried after a pause. */
  async #afterFailure(
    turn: QueuedTurn,
    error: unknown,
    onAbandoned: QueueStart['onAbandoned'],
  ): Promise<boolean> {
    const { tries: mostTries, willPass, log } = this.#options;
    const before = this.#pauses.get(turn.threadId) ?? noPause;
    const isPassing = mostTries > 1 && willPass(error);
    const tries = before.tries + (isPassing ? 0 : 1);
    if (tries >= mostTries) {
      log.error({ ...turn, error }, 'turn could not be run; it is left for the next start');
      if (mostTries > 1) await onAbandoned?.(turn);
      return true;
    }
    const runs = before.runs + 1;
    const againInMs = pauseAfter(runs);
    // Log a long outage once, not for every turn.
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
    // To the back of the queue, so a busy thread doesn't starve the others.
    this.#threads.delete(turn.threadId);
    if (rest.length > 0) this.#threads.set(turn.threadId, rest);
    if (this.#threads.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}

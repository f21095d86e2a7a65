/** Work that a process does beside turns. It can be interrupted at any time: the store has what is left to do. */

import type { Log } from '../domain/log.ts';
import { FailureLog } from '../queue/failure-log.ts';

/** @param signal - Aborted at shutdown. */
type Work = (signal: AbortSignal) => Promise<unknown>;

export class Background {
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #shutdown = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Repeats work, each time `everyMs` after the previous run ended, the first time after now. The first failure
   * of several in a row is logged.
   *
   * @param what - A plural subject for the log, e.g. `searches for expired records`.
   */
  repeat(what: string, everyMs: number, work: Work): void {
    const failures = new FailureLog(this.#log, what);
    const run = async () => {
      await this.#run(work);
      return true;
    };
    void failures.repeat(() => everyMs, run, this.#stopping.signal);
  }

  /** Starts work. If it fails, that is logged, and the next repetition of the same work has to do it. */
  start(what: string, work: Work): void {
    if (this.#stopping.signal.aborted) return;
    this.#run(work).catch((error: unknown) => {
      if (!this.#shutdown.signal.aborted)
        this.#log.warn({ error }, `${what} fail, and are retried`);
    });
  }

  async #run(work: Work): Promise<void> {
    const running = work(this.#shutdown.signal);
    this.#running.add(running);
    await running.finally(() => this.#running.delete(running));
  }

  /** Starts nothing more, waits up to `graceMs` for what is running, then aborts it. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const late = setTimeout(() => this.#shutdown.abort(new Error('Shutting down.')), graceMs);
    await Promise.allSettled(this.#running);
    clearTimeout(late);
  }
}

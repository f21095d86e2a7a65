import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../domain/log.ts';
import { CoordinationError } from './coordination.ts';

/**
 * Logs the first failure of something that is done repeatedly, and its recovery. Skips outages of the
 * shared server: the watch of that server logs them.
 */
export class FailureLog {
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #what: string;
  #since: number | undefined;

  /** @param what - A plural subject, e.g. `searches for turns`. */
  constructor(log: Pick<Log, 'info' | 'warn'>, what: string) {
    this.#log = log;
    this.#what = what;
  }

  failed(error: unknown): void {
    if (error instanceof CoordinationError && error.isLogged) return;
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    this.#log.warn({ error }, `${this.#what} fail, and are retried`);
  }

  worked(): void {
    if (this.#since === undefined) return;
    const failedMs = Date.now() - this.#since;
    this.#since = undefined;
    this.#log.info({ failedMs }, `${this.#what} work again`);
  }

  /**
   * Repeats work until the signal is aborted, which also ends the current pause, and logs failures and
   * recoveries. Doesn't keep the process alive.
   *
   * @param pauseMs - Called before each run for the pause that precedes it.
   * @param work - Returns whether there was anything to do.
   */
  async repeat(
    pauseMs: () => number,
    work: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      await wait(pauseMs(), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (await work()) this.worked();
      } catch (error) {
        if (!signal.aborted) this.failed(error);
      }
    }
  }
}

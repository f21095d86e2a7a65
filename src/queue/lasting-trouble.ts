import type { Log } from '../domain/log.ts';
import { CoordinationError } from './coordination.ts';

/**
 * Says once that something which is done again and again fails, and once that it works again. It says
 * nothing of a server that is away or takes no changes: whoever watches that server does.
 */
export class LastingTrouble {
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #what: string;
  #since: number | undefined;

  /** @param what - That is done, as a subject of which there are several, e.g. `searches for turns`. */
  constructor(log: Pick<Log, 'info' | 'warn'>, what: string) {
    this.#log = log;
    this.#what = what;
  }

  failed(error: unknown): void {
    if (error instanceof CoordinationError && error.isTold) return;
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    this.#log.warn({ error }, `${this.#what} fail, and are tried again`);
  }

  worked(): void {
    if (this.#since === undefined) return;
    const failedMs = Date.now() - this.#since;
    this.#since = undefined;
    this.#log.info({ failedMs }, `${this.#what} work again`);
  }
}

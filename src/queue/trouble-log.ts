import type { Log } from '../domain/log.ts';
import { repeat } from '../waiting.ts';
import { type BackgroundWork, CoordinationError, mostRuns } from './coordination.ts';

/**
 * Says once that something which is done again and again fails, and once that it works again. It says
 * nothing of a server that is away or refuses writes: the watch of that server does.
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
    this.#log.warn({ error }, `${this.#what} fail, and are retried`);
  }

  worked(): void {
    if (this.#since === undefined) return;
    const failedMs = Date.now() - this.#since;
    this.#since = undefined;
    this.#log.info({ failedMs }, `${this.#what} work again`);
  }

  /**
   * Does something again and again until the signal is aborted, and says how it goes.
   *
   * @param pauseMs - Asked before each time for the pause that comes first.
   * @param work - Gives whether there was anything to do.
   */
  repeat(pauseMs: () => number, work: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const workAndTell = async () => {
      try {
        if (await work()) this.worked();
      } catch (error) {
        if (!signal.aborted) this.failed(error);
      }
    };
    return repeat(pauseMs, workAndTell, signal);
  }
}

/** A piece of work, and how often it was run for the same request. */
interface Run {
  readonly work: string;
  readonly subject: string;
  readonly runs: number;
}

/**
 * Tells of background work that throws: each time of what was asked for, once of what repeats by itself,
 * which is never given up.
 */
export class BackgroundLog {
  readonly #log: Log;
  readonly #repeated: ReadonlyMap<string, LastingTrouble>;

  /** @param works - By name. */
  constructor(log: Log, works: Readonly<Record<string, BackgroundWork>>) {
    this.#log = log;
    this.#repeated = new Map(
      Object.entries(works).flatMap(([name, { everyMs }]) =>
        everyMs === undefined ? [] : [[name, new LastingTrouble(log, `runs of “${name}”`)]],
      ),
    );
  }

  worked({ work, subject }: Omit<Run, 'runs'>): void {
    if (subject === '') this.#repeated.get(work)?.worked();
  }

  failed({ work, subject, runs }: Run, error: unknown): void {
    const repeated = subject === '' ? this.#repeated.get(work) : undefined;
    const facts = { work, subject, runs, error };
    if (repeated) repeated.failed(error);
    else if (runs < mostRuns) this.#log.warn(facts, 'background work is retried');
    else this.#log.error(facts, 'background work was abandoned');
  }
}

import type { Log } from '../domain/log.ts';
import { type BackgroundWork, mostRuns } from './background.ts';
import { LastingTrouble } from './lasting-trouble.ts';

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
    else if (runs < mostRuns) this.#log.warn(facts, 'background work is tried again');
    else this.#log.error(facts, 'background work was given up');
  }
}

import type { Log } from '../../domain/log.ts';
import {
  type BackgroundJobs,
  type BackgroundWork,
  mostRuns,
  pauseAfterRun,
} from '../background.ts';
import { BackgroundLog } from '../trouble-log.ts';

/** Background work of a single process, kept in memory: what is asked for is gone with it. */
export function createInlineBackground(log: Log): BackgroundJobs {
  return new InlineBackground(log);
}

interface Errand {
  readonly work: string;
  readonly subject: string;
  timer: NodeJS.Timeout | undefined;
  running: Promise<void> | undefined;
  /** Asked for while it ran: how long after that run it runs again. */
  againInMs: number | undefined;
  /** In a row that threw. */
  failures: number;
}

class InlineBackground implements BackgroundJobs {
  readonly #log: Log;
  #told: BackgroundLog;
  readonly #errands = new Map<string, Errand>();
  readonly #shutdown = new AbortController();
  #works: Readonly<Record<string, BackgroundWork>> | undefined;
  #isStopping = false;

  constructor(log: Log) {
    this.#log = log;
    this.#told = new BackgroundLog(log, {});
  }

  async request(work: string, subject: string, delayMs: number): Promise<void> {
    const key = JSON.stringify([work, subject]);
    const known = this.#errands.get(key);
    const errand = known ?? {
      ...{ work, subject, failures: 0 },
      ...{ timer: undefined, running: undefined, againInMs: undefined },
    };
    this.#errands.set(key, errand);
    if (errand.running) errand.againInMs = delayMs;
    else if (errand.timer === undefined || delayMs === 0) this.#wait(key, errand, delayMs);
  }

  async start(works: Readonly<Record<string, BackgroundWork>>): Promise<void> {
    this.#works = works;
    this.#told = new BackgroundLog(this.#log, works);
    for (const [name, { everyMs }] of Object.entries(works)) {
      if (everyMs !== undefined) await this.request(name, '', everyMs);
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const { timer } of this.#errands.values()) clearTimeout(timer);
    const late = setTimeout(() => this.#shutdown.abort(new Error('Shutting down.')), graceMs);
    await Promise.all([...this.#errands.values()].map(({ running }) => running));
    clearTimeout(late);
  }

  #wait(key: string, errand: Errand, delayMs: number): void {
    clearTimeout(errand.timer);
    errand.timer = setTimeout(() => {
      errand.timer = undefined;
      errand.running = this.#run(errand).then((againInMs) => {
        errand.running = undefined;
        errand.againInMs = undefined;
        if (againInMs === undefined) this.#errands.delete(key);
        else if (!this.#isStopping) this.#wait(key, errand, againInMs);
      });
    }, delayMs);
    errand.timer.unref();
  }

  /** @returns After how long it is to run again; `undefined`: not by itself. */
  async #run(errand: Errand): Promise<number | undefined> {
    const { work, subject } = errand;
    const known = this.#works?.[work];
    try {
      if (!known) throw new Error(`No work named “${work}” is known here.`);
      await known.run(subject, this.#shutdown.signal);
      errand.failures = 0;
      this.#told.worked(errand);
    } catch (error) {
      errand.failures += 1;
      const runs = errand.failures;
      this.#told.failed({ work, subject, runs }, error);
      if (runs < mostRuns) return pauseAfterRun(runs);
      errand.failures = 0;
    }
    return errand.againInMs ?? (subject === '' ? known?.everyMs : undefined);
  }
}

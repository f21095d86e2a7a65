/** Until when events came in, kept beyond the end of the process: the next one looks for what came after. */

import type { Log } from '../../../domain/log.ts';

/** Where that is kept, for each app by what it is known by. */
export interface ListenedRecords {
  /** Milliseconds since 1970; `undefined` where nothing was kept. */
  read(app: string): Promise<number | undefined>;
  write(app: string, until: number): Promise<void>;
}

export interface ListenedOptions {
  readonly records: ListenedRecords;
  /** As `Workspaces.knownBy`. */
  readonly app: string;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** After a crash, what came in for so long is looked at once more. */
const keptEveryMs = 60_000;

export class Listened {
  readonly #options: ListenedOptions;
  #timer: NodeJS.Timeout | undefined;
  #isListening = () => false;

  constructor(options: ListenedOptions) {
    this.#options = options;
  }

  /** Never throws. `undefined`: this is the first start, or the store can't tell. */
  async until(): Promise<number | undefined> {
    const { records, app, log } = this.#options;
    return records.read(app).catch((error: unknown) => {
      log.warn({ error }, 'messages missed before the start can’t be looked for: the store failed');
      return undefined;
    });
  }

  /** Call it once all that was missed before was looked for: then it is missed no more. */
  async keep(isListening: () => boolean): Promise<void> {
    this.#isListening = isListening;
    this.#timer = setInterval(() => void this.#write(), keptEveryMs).unref();
    await this.#write();
  }

  /** Keeps it a last time; nothing where it was not kept before. Never throws. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#timer) await this.#write();
    this.#timer = undefined;
  }

  async #write(): Promise<void> {
    const { records, app, log, now } = this.#options;
    if (!this.#isListening()) return;
    await records.write(app, now()).catch((error: unknown) => {
      log.warn({ error }, 'the time of the last event can’t be stored: the store failed');
    });
  }
}

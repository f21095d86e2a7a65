import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../domain/log.ts';
import { LastingTrouble } from '../lasting-trouble.ts';
import type { Commands } from './commands.ts';
import { adoptingKey } from './keys.ts';
import { mostAdopting } from './settings.ts';

interface AdoptionOptions {
  readonly commands: Commands;
  readonly log: Log;
  readonly everyMs: number;
  /** Adds all that is unfinished; what is in its inbox already stays where it is. */
  readonly adopt: () => Promise<void>;
}

/** Queues, at the start and every while, what is in the store and in no inbox. One process at a time does it. */
export class Adoption {
  readonly #options: AdoptionOptions;
  readonly #end = new AbortController();

  constructor(options: AdoptionOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#options.adopt();
    void this.#repeat(this.#end.signal);
  }

  stop(): void {
    this.#end.abort();
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    const { commands, log, everyMs, adopt } = this.#options;
    const trouble = new LastingTrouble(log, 'searches for unfinished turns');
    const expiration = { type: 'PX', value: Math.ceil(everyMs * 0.9) } as const;
    let pauseMs = everyMs;
    for (;;) {
      try {
        await wait(pauseMs, undefined, { signal, ref: false });
        const mine = await commands.once((client) =>
          client.set(adoptingKey, '1', { condition: 'NX', expiration }),
        );
        if (mine === null) continue;
        const startedAt = performance.now();
        await adopt();
        pauseMs = Math.max(everyMs, (performance.now() - startedAt) / mostAdopting);
        trouble.worked();
      } catch (error) {
        if (signal.aborted) return;
        trouble.failed(error);
      }
    }
  }
}

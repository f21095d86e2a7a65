import { setTimeout as wait } from 'node:timers/promises';
import type { QueueLog } from '../queue-log.ts';
import type { Client } from './connection.ts';
import { adoptingKey } from './keys.ts';
import { adoptEveryMs } from './settings.ts';

/** Queues, at the start and every while, what is in the store and in no inbox. One process at a time does it. */
export class Adoption {
  readonly #client: Client;
  readonly #log: QueueLog;
  readonly #adopt: () => Promise<void>;
  readonly #end = new AbortController();

  /** @param adopt - Adds all that is unfinished; what is in its inbox already stays where it is. */
  constructor(client: Client, log: QueueLog, adopt: () => Promise<void>) {
    this.#client = client;
    this.#log = log;
    this.#adopt = adopt;
  }

  async start(): Promise<void> {
    await this.#adopt();
    void this.#repeat(this.#end.signal);
  }

  stop(): void {
    this.#end.abort();
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await wait(adoptEveryMs, undefined, { signal, ref: false });
        const mine = await this.#client.set(adoptingKey, '1', {
          condition: 'NX',
          expiration: { type: 'PX', value: adoptEveryMs - 1000 },
        });
        if (mine !== null) await this.#adopt();
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ error }, 'unfinished turns could not be looked for');
      }
    }
  }
}

import type { QueueLog } from '../queue-log.ts';
import { isConnectionTrouble } from './connection-trouble.ts';

/** Says once when the server goes away, and once when it is back, however many commands fail meanwhile. */
export class ServerWatch {
  readonly #name: string;
  readonly #log: QueueLog;
  #trouble: { readonly since: number; readonly reason: string } | undefined;

  /** @param name - The server's, without a secret. */
  constructor(name: string, log: QueueLog) {
    this.#name = name;
    this.#log = log;
  }

  /** For a connection that lives as long as the process. */
  readonly listeners = {
    onTrouble: (error: unknown) => {
      if (this.#trouble) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#trouble = { since: Date.now(), reason };
      const sentence = `the queue lost the Redis server ${this.#name}; turns wait until it is back`;
      this.#log.error({ error }, sentence);
    },
    onReady: () => {
      if (!this.#trouble) return;
      const awayMs = Date.now() - this.#trouble.since;
      this.#trouble = undefined;
      this.#log.info({ awayMs }, `the Redis server ${this.#name} is back; turns go on`);
    },
  } as const;

  /** Takes what BullMQ could not do; that there is no connection is told already. */
  readonly onError = (error: unknown): void => {
    if (isConnectionTrouble(error)) return;
    this.#log.warn({ error }, 'the queue could not do something, and tries again');
  };

  health(): { readonly isReady: boolean; readonly text: string } {
    if (!this.#trouble) return { isReady: true, text: `connected to ${this.#name}` };
    const seconds = Math.round((Date.now() - this.#trouble.since) / 1000);
    const text = `no connection to ${this.#name} for ${seconds} s (${this.#trouble.reason}); turns wait`;
    return { isReady: false, text };
  }
}

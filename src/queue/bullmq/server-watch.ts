import type { QueueLog } from '../queue-log.ts';
import { isConnectionTrouble } from './connection-trouble.ts';
import { isRefusalOfChanges } from './refusals.ts';

/** Since when (ms since 1970) something has been wrong, and what. */
interface Trouble {
  readonly since: number;
  readonly reason: string;
}

/**
 * Says once when the server goes away or takes no changes, and once when it is well again, however many
 * commands fail meanwhile.
 */
export class ServerWatch {
  readonly #name: string;
  readonly #log: QueueLog;
  #away: Trouble | undefined;
  #refusing: Trouble | undefined;

  /** @param name - The server's, without a secret. */
  constructor(name: string, log: QueueLog) {
    this.#name = name;
    this.#log = log;
  }

  /** For a connection that lives as long as the process. */
  readonly listeners = {
    onTrouble: (error: unknown) => {
      const known = this.#away;
      // The latest reason tells most: a server that is back may want another password.
      this.#away = { ...troubleOf(error), ...(known && { since: known.since }) };
      if (known) return;
      const sentence = `the queue lost the Redis server ${this.#name}; turns wait until it is back`;
      this.#log.error({ error }, sentence);
    },
    onReady: () => {
      if (!this.#away) return;
      const awayMs = Date.now() - this.#away.since;
      this.#away = undefined;
      this.#log.info({ awayMs }, `the Redis server ${this.#name} is back; turns go on`);
    },
  } as const;

  /** Takes what a command failed with; @returns whether it is told already. */
  heard(error: unknown): boolean {
    if (isConnectionTrouble(error)) return true;
    if (!isRefusalOfChanges(error)) return false;
    if (this.#refusing) return true;
    this.#refusing = troubleOf(error);
    const sentence = `the Redis server ${this.#name} takes no changes of the queue; turns wait until it does`;
    this.#log.error({ error }, sentence);
    return true;
  }

  /** The server has taken a change. */
  readonly onChange = (): void => {
    if (!this.#refusing) return;
    const refusedMs = Date.now() - this.#refusing.since;
    this.#refusing = undefined;
    this.#log.info(
      { refusedMs },
      `the Redis server ${this.#name} takes changes again; turns go on`,
    );
  };

  /** Takes what BullMQ could not do. */
  readonly onError = (error: unknown): void => {
    if (this.heard(error)) return;
    this.#log.warn({ error }, 'the queue could not do something, and tries again');
  };

  health(): { readonly isReady: boolean; readonly text: string } {
    const trouble = this.#away ?? this.#refusing;
    if (!trouble) return { isReady: true, text: `connected to ${this.#name}` };
    const seconds = Math.round((Date.now() - trouble.since) / 1000);
    const what = this.#away ? `no connection to ${this.#name}` : `${this.#name} takes no changes`;
    return { isReady: false, text: `${what} for ${seconds} s (${trouble.reason}); turns wait` };
  }
}

function troubleOf(error: unknown): Trouble {
  return { since: Date.now(), reason: error instanceof Error ? error.message : String(error) };
}

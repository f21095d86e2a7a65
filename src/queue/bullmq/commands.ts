/** Commands to the queue's server, which wait a while for it when it is away. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { CoordinationError } from '../coordination.ts';
import { isConnectionTrouble } from './connection-trouble.ts';
import { isForNow } from './refusals.ts';
import type { Client } from './server.ts';
import { commandTimeoutMs } from './settings.ts';

/** What the server runs as one step. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
}

const retryPauseMs = 50;
const longestPauseMs = 1000;

/** @param names - Files of the folder `scripts` whose texts are put together, in this order. */
export function loadScript(...names: readonly string[]): Script {
  const read = (name: string) =>
    readFileSync(new URL(`scripts/${name}.lua`, import.meta.url), 'utf8');
  const source = names.map(read).join('\n');
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

export class Commands {
  /** Its commands fail after a while. */
  readonly client: Client;
  readonly #onError: (error: unknown) => void;

  /** @param onError - Told what the server refused, or why it was not reached, at each try. */
  constructor(client: Client, onError: (error: unknown) => void) {
    this.client = client;
    this.#onError = onError;
  }

  /**
   * Does something again that was refused only for now, or whose answer was lost with the connection.
   *
   * @param work - Done twice, it comes to the same as once.
   * @throws {CoordinationError}
   */
  async send<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (let pauseMs = retryPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        return await work(this.client);
      } catch (error) {
        if (error instanceof CoordinationError) throw error;
        this.#onError(error);
        const hasTime = performance.now() - startedAt < commandTimeoutMs;
        const isPassing = isConnectionTrouble(error) || isForNow(error);
        if (!isPassing || !hasTime) throw new CoordinationError(error);
      }
      await wait(pauseMs);
    }
  }

  /** Runs a script as {@link send} does; one that the server has forgotten is sent anew. */
  run(
    { source, sha1 }: Script,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<unknown> {
    const given = { keys: [...keys], arguments: [...values] };
    return this.send(async (client) => {
      try {
        return await client.evalSha(sha1, given);
      } catch (error) {
        if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
        return client.eval(source, given);
      }
    });
  }
}

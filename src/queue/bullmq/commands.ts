/** Commands to the queue's server, which wait a while for it when it is away. */

import { type Script, scriptsIn } from '../../store/redis/commands.ts';
import { backOff, retry, within } from '../../waiting.ts';
import { CoordinationError } from '../coordination.ts';
import { isConnectionTrouble, isForNow, isRefusal, SilentServerError } from './refusals.ts';
import type { Client } from './server.ts';
import { usualCommandTimeoutMs } from './settings.ts';

const pauses = backOff(50, 1000);

/** @param name - Of a file in the folder `scripts`. */
export function queueScripts(name: string): (name: string) => Script {
  return scriptsIn(new URL(`scripts/${name}.lua`, import.meta.url));
}

export class Commands {
  /** Its commands fail when they find no connection for a while. */
  readonly client: Client;
  readonly #isTold: (error: unknown) => boolean;
  readonly #timeoutMs: number;

  /**
   * @param isTold - Given what the server refused, or why it was not reached, at each try; says whether
   *   the operator is told of that.
   * @param timeoutMs - How long each may take.
   */
  constructor(
    client: Client,
    isTold: (error: unknown) => boolean,
    timeoutMs: number = usualCommandTimeoutMs,
  ) {
    this.#timeoutMs = timeoutMs;
    this.client = client;
    this.#isTold = isTold;
  }

  /**
   * Does something, and waits no longer than it may take for the answer.
   *
   * @throws {CoordinationError}
   */
  async once<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.#answer(work);
    } catch (error) {
      throw new CoordinationError(error, this.#isTold(error));
    }
  }

  /**
   * Does something again that was refused only for now, or whose answer was lost with the connection.
   *
   * @param work - Done twice, it comes to the same as once.
   * @throws {CoordinationError}
   */
  async send<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let refusal: Error | undefined;
    let isTold = false;
    const pauseAfter = (failures: number, error: unknown) => {
      isTold = this.#isTold(error);
      // Why a server was left tells more than that it was.
      if (isRefusal(error)) refusal = error;
      const hasTime = performance.now() - startedAt < this.#timeoutMs;
      const isPassing = isConnectionTrouble(error) || isForNow(error);
      return isPassing && hasTime ? pauses(failures) : undefined;
    };
    try {
      return await retry(() => this.#answer(work), pauseAfter);
    } catch (error) {
      throw new CoordinationError(refusal ?? error, isTold);
    }
  }

  /** Runs a script as {@link send} does; one that the server has forgotten is sent anew. */
  run(
    { source, sha1 }: Script,
    keys: readonly string[],
    values: readonly string[],
  ): Promise<unknown> {
    return this.send(async (client) => {
      try {
        return await client.evalsha(sha1, keys.length, ...keys, ...values);
      } catch (error) {
        if (!isRefusal(error) || !error.message.startsWith('NOSCRIPT')) throw error;
        return client.eval(source, keys.length, ...keys, ...values);
      }
    });
  }

  /** The client gives up on commands that it could not send, and waits for ever for the others. */
  #answer<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const late = () => new SilentServerError(this.#timeoutMs);
    return within(work(this.client), { ms: this.#timeoutMs, late });
  }
}

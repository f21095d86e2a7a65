/** Commands to the queue's server, which wait a while for it when it is away, and what its refusals mean. */

import { ErrorCode } from 'bullmq';
import { type Script, scriptsIn } from '../../store/redis/commands.ts';
import {
  isOfFormerPrimary,
  isPassing,
  isUnknownNow,
  refusalCode,
} from '../../store/redis/errors.ts';
import { backOff, retry, within } from '../../waiting.ts';
import { CoordinationError } from '../coordination.ts';
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

/** Whether a server has said it. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** What the client says of a connection; it has neither a class nor a code for it. */
const ofConnections =
  /^(Connection is closed|Command aborted|Stream isn't writeable|Cluster isn't ready|Cluster is ended|Failed to refresh slots|None of startup nodes|Too many Cluster|All sentinels)/;

/** There is a connection, and nothing is said on it. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  /** @param waitedMs - For how long it was waited for an answer. */
  constructor(waitedMs: number) {
    super(`no answer within ${waitedMs / 1000} s`);
  }
}

/** Whether it only says that there is no connection, which the watch tells once. */
export function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of the system, e.g. ECONNREFUSED.
  return (
    ofConnections.test(error.message) ||
    'syscall' in error ||
    ('errors' in error && 'code' in error)
  );
}

/** The node of a cluster that has the queue is gone, and no other has its place yet. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Too many Cluster redirections');
}

/** Said by a server that another has followed. */
const elsewhere = ['UNBLOCKED', 'MASTERDOWN'];

/** It is not, or no longer, the server to ask: the connection is made again, to the right one. */
export function isWrongServer(error: unknown): boolean {
  if (!isRefusal(error)) return false;
  const { message } = error;
  return (
    isOfFormerPrimary(message) || isUnknownNow(message) || elsewhere.includes(refusalCode(message))
  );
}

/** A connection can't be made again: each of them hears so, the one that is watched among them. */
export function isRefusedLogin(error: unknown): boolean {
  return isRefusal(error) && refusalCode(error.message) === 'WRONGPASS';
}

/** It refused before it had done anything, and may not a moment later. */
function isForNow(error: unknown): boolean {
  return isWrongServer(error) || (isRefusal(error) && isPassing(error.message));
}

/** It takes no changes: because it is full, follows another server, or is just starting. */
export function isRefusalOfChanges(error: unknown): boolean {
  if (!isRefusal(error)) return false;
  return isForNow(error) || ['OOM', 'MISCONF'].includes(refusalCode(error.message));
}

/** A job is another worker's by now, or will be: BullMQ tells of it by an event of its own as well. */
export function isOfLostLock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === ErrorCode.JobLockNotExist || code === ErrorCode.JobLockMismatch) return true;
  // It has no class and no code of its own.
  return error.message.startsWith('could not renew lock');
}

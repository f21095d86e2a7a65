/**
 * The coordination that many processes share in Redis. Every thread has an inbox; each BullMQ job runs one
 * turn of an inbox. `docs/fleet.md` lists the keys and the guarantees.
 */

import type { Log } from '../domain/log.ts';
import { connect } from '../store/redis/connection.ts';
import { within } from '../waiting.ts';
import { BullmqQueue, type BullmqQueueOptions } from './bullmq/bullmq-queue.ts';
import { redisQuotas, redisSemaphores, redisStopRequests } from './bullmq/redis-coordination.ts';
import { isConnectionError, isLostLock, isRefusal, SilentServerError } from './bullmq/refusals.ts';
import { Commands, QueueServer } from './bullmq/server.ts';
import { defaultCommandTimeoutMs, heartbeatEveryMs } from './bullmq/settings.ts';
import { type Coordination, unservedText } from './coordination.ts';
import { FailureLog } from './failure-log.ts';

export { isConnectionError, SilentServerError } from './bullmq/refusals.ts';

export interface SharedOptions extends Omit<BullmqQueueOptions, 'server' | 'onError'> {
  /** `redis://user:password@host:6379/0`; `rediss://…` for TLS; `redis+sentinel://…` for Sentinel. */
  readonly url: string;
  /** The server's name for people, without secrets. */
  readonly name: string;
  /** Timeout of commands, except those of workers, in milliseconds. Default 10,000. */
  readonly commandTimeoutMs?: number;
}

/**
 * Connects to the server. A process runs turns only after the queue's `start`; before that it can only add them.
 *
 * @throws Why the server wasn't usable: a `StoreError` if it can't be reached or refuses the connection.
 */
export async function openShared(options: SharedOptions): Promise<Coordination> {
  const { url, name, log } = options;
  const watch = new ServerWatch(name, log);
  const { onError, report } = watch;
  // ioredis hides why sentinels, nodes and certificates fail; the store's client says so.
  const probe = await connect({ url });
  await probe.infos().finally(() => probe.close());
  const server = new QueueServer(url);
  try {
    const client = await server.connect(false, watch.onFailure);
    // Permits need the server's clock: without the right to TIME, calls would wait forever.
    const late = () => new SilentServerError(defaultCommandTimeoutMs);
    await within(client.time(), { ms: defaultCommandTimeoutMs, late });
    const commands = new Commands(client, report, options.commandTimeoutMs);
    const closing = new AbortController();
    const queue = new BullmqQueue({ ...options, server, onError }, commands);
    void watch.heartbeat(() => queue.beat(), closing.signal);
    return {
      queue,
      stops: redisStopRequests(commands, log, closing.signal),
      quotas: redisQuotas(commands),
      semaphores: redisSemaphores(commands, log),
      // The server keeps the quotas while processes restart.
      unreserved: async () => [],
      health: () => watch.health(),
      close: async () => {
        closing.abort();
        server.close();
      },
    };
  } catch (error) {
    server.close();
    throw error;
  }
}

/** How often the heartbeat is tried during an outage, in milliseconds; also how often it is decided whether to try. */
const heartbeatRetryMs = 1000;
/**
 * An outage ends this long after the last refusal, in milliseconds: a worker's connection may be refused, once a
 * second, while this one still works, e.g. after the password was changed.
 */
const quietMs = 2000;

/**
 * Logs once when the server can't be used, because it is away, hangs or refuses writes, and once when it can
 * again, however many commands fail in between. Likewise for platforms that no process serves.
 */
class ServerWatch {
  readonly #name: string;
  readonly #server: string;
  readonly #log: Log;
  readonly #failures: FailureLog;
  /** In milliseconds: `since` since 1970, `failedAt` on the monotonic clock. */
  #outage:
    | { readonly since: number; readonly failedAt: number; readonly reason: string }
    | undefined;
  /** Platforms that no process served at the last heartbeat, and those that the operator knows of. */
  #unserved: readonly string[] = [];
  #reported: readonly string[] = [];
  #dataSince: string | undefined;

  /** @param name - The server's, without secrets. */
  constructor(name: string, log: Log) {
    this.#name = name;
    this.#server = `the Redis server ${name}`;
    this.#log = log;
    this.#failures = new FailureLog(log, 'commands of the queue');
  }

  /** Takes the error of the connection that lives as long as the process. */
  readonly onFailure = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (!this.#outage) {
      this.#log.error({ error }, `the queue can't use ${this.#server}; turns wait until it can`);
    }
    const failedAt = performance.now();
    // Keep the latest reason: a server that came back may refuse the password.
    this.#outage = { since: Date.now(), ...this.#outage, failedAt, reason };
  };

  /** Takes the error of a failed command; @returns whether the log has it, as an outage. */
  readonly report = (error: unknown): boolean => {
    const isOfServer = error instanceof SilentServerError || isRefusal(error);
    if (!isOfServer && !isConnectionError(error)) return false;
    // That there is no connection says less than why there is none.
    if (isOfServer || !this.#outage) this.onFailure(error);
    return true;
  };

  /**
   * Repeats the heartbeat until the signal is aborted, so an idle process notices too when the server refuses
   * writes, or has lost its data.
   */
  async heartbeat(write: BullmqQueue['beat'], signal: AbortSignal): Promise<void> {
    let dueAt = 0;
    const beat = async () => {
      if (!this.#outage && performance.now() < dueAt) return false;
      dueAt = performance.now() + heartbeatEveryMs;
      const [since, unserved] = await write();
      if (since !== (this.#dataSince ?? since)) {
        const lost = 'has lost all that was stored; open questions get no answer';
        this.#log.error({}, `${this.#server} ${lost}. docs/backup.md says how to restore a copy`);
      }
      this.#dataSince = since;
      const outage = this.#outage;
      if (!outage) this.#noteUnserved(unserved);
      if (!outage || performance.now() - outage.failedAt <= quietMs) return true;
      this.#outage = undefined;
      const lastedMs = Date.now() - outage.since;
      this.#log.info({ lastedMs }, `the queue can use ${this.#server} again; turns resume`);
      return true;
    };
    await this.#failures.repeat(() => heartbeatRetryMs, beat, signal);
  }

  /** Reports a platform at its second heartbeat in a row: after an outage, the others may be a moment later. */
  #noteUnserved(unserved: readonly string[]): void {
    const reported = unserved.filter((platform) => this.#unserved.includes(platform));
    this.#unserved = unserved;
    const fresh = reported.filter((platform) => !this.#reported.includes(platform));
    const served = this.#reported.filter((platform) => !unserved.includes(platform));
    this.#reported = reported;
    if (fresh.length > 0) {
      this.#log.error({ platforms: fresh }, `${unservedText(fresh)}; start one that can`);
    }
    if (served.length > 0) this.#log.info({ platforms: served }, 'these questions wait no longer');
  }

  /** Takes BullMQ's errors. */
  readonly onError = (error: unknown): void => {
    // A run that lost its lock is aborted and logged by the worker.
    if (isLostLock(error)) return;
    // A worker restores its own connections; whether the server is away, the heartbeat finds out.
    if (isConnectionError(error) || this.report(error)) return;
    this.#failures.failed(error);
  };

  health(): { readonly isReady: boolean; readonly text: string } {
    if (!this.#outage) {
      const waiting = this.#reported.length === 0 ? '' : `; ${unservedText(this.#reported)}`;
      return { isReady: true, text: `connected to ${this.#name}${waiting}` };
    }
    const { since, reason } = this.#outage;
    const seconds = Math.round((Date.now() - since) / 1000);
    const text = `turns have waited for ${this.#name} for ${seconds} s (${reason})`;
    return { isReady: false, text };
  }
}

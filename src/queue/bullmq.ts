/**
 * The coordination that many processes share in Redis. Every thread has an inbox; each BullMQ job runs one
 * turn of an inbox. `docs/fleet.md` lists the keys and the guarantees.
 */

import type { Log } from '../domain/log.ts';
import { connect } from '../store/redis/connection.ts';
import { BullmqBackground } from './bullmq/bullmq-background.ts';
import { BullmqQueue, type BullmqQueueOptions } from './bullmq/bullmq-queue.ts';
import { RedisQuotas, RedisSemaphores, RedisStopRequests } from './bullmq/redis-coordination.ts';
import { isConnectionError, isLostLock, isRefusal, SilentServerError } from './bullmq/refusals.ts';
import { Commands, QueueServer } from './bullmq/server.ts';
import { heartbeatKey } from './bullmq/settings.ts';
import type { Coordination } from './coordination.ts';
import { FailureLog } from './failure-log.ts';

export { SilentServerError } from './bullmq/refusals.ts';

export interface SharedOptions extends Omit<BullmqQueueOptions, 'server' | 'onError'> {
  /** `redis://user:password@host:6379/0`; `rediss://…` for TLS; `redis+sentinel://…` for Sentinel. */
  readonly url: string;
  /** The server's name for people, without secrets. */
  readonly name: string;
  /** Timeout of commands, except those of workers, in milliseconds. Default 10,000. */
  readonly commandTimeoutMs?: number;
}

/**
 * Connects to the server. A process runs turns and background work only after `start`; before that it
 * can only add them.
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
    await client.time();
    const commands = new Commands(client, report, options.commandTimeoutMs);
    const closing = new AbortController();
    void watch.heartbeat(commands, closing.signal);
    return {
      queue: new BullmqQueue({ ...options, server, onError }, commands),
      background: new BullmqBackground({ server, commands, log, onError }),
      stops: new RedisStopRequests(commands, log, closing.signal),
      quotas: new RedisQuotas(commands),
      semaphores: new RedisSemaphores(commands, log),
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

/** How often writing is tried, in milliseconds. Some providers charge per command; other commands report failures in between. */
const heartbeatEveryMs = 5000;
/** The same during an outage; also how often it is decided whether to try. */
const heartbeatRetryMs = 1000;
const heartbeatTtlMs = 60_000;
/**
 * An outage ends this long after the last refusal, in milliseconds: a worker's connection may be refused, once a
 * second, while this one still works, e.g. after the password was changed.
 */
const quietMs = 2000;

/**
 * Logs once when the server can't be used, because it is away, hangs or refuses writes, and once when it can
 * again, however many commands fail in between.
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

  /** Checks until the signal is aborted that the server accepts writes, so an idle process notices too. */
  async heartbeat(commands: Commands, signal: AbortSignal): Promise<void> {
    let dueAt = 0;
    const beat = async () => {
      if (!this.#outage && performance.now() < dueAt) return false;
      dueAt = performance.now() + heartbeatEveryMs;
      await commands.once((client) => client.set(heartbeatKey, '1', 'PX', heartbeatTtlMs));
      const outage = this.#outage;
      if (!outage || performance.now() - outage.failedAt <= quietMs) return true;
      this.#outage = undefined;
      const lastedMs = Date.now() - outage.since;
      this.#log.info({ lastedMs }, `the queue can use ${this.#server} again; turns resume`);
      return true;
    };
    await this.#failures.repeat(() => heartbeatRetryMs, beat, signal);
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
    if (!this.#outage) return { isReady: true, text: `connected to ${this.#name}` };
    const { since, reason } = this.#outage;
    const seconds = Math.round((Date.now() - since) / 1000);
    const text = `turns have waited for ${this.#name} for ${seconds} s (${reason})`;
    return { isReady: false, text };
  }
}

/**
 * The coordination that many processes share in Redis. Every thread has an inbox; each BullMQ job runs one
 * turn of an inbox. `docs/fleet.md` lists the keys and the guarantees.
 */

import type { Log } from '../domain/log.ts';
import { connect } from '../store/redis/connection.ts';
import { BullmqBackground } from './bullmq/bullmq-background.ts';
import { BullmqQueue, type BullmqQueueOptions } from './bullmq/bullmq-queue.ts';
import { RedisQuotas, RedisSemaphores, RedisStopRequests } from './bullmq/redis-coordination.ts';
import {
  isConnectionError,
  isLostLock,
  isNodeGone,
  isWriteRefusal,
  isWrongPassword,
  SilentServerError,
} from './bullmq/refusals.ts';
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
  const { onError } = watch;
  // ioredis hides why sentinels, nodes and certificates fail; the store's client says so.
  const probe = await connect({ url });
  await probe.infos().finally(() => probe.close());
  const server = new QueueServer(url);
  try {
    const client = await server.connect(false, watch.listeners);
    // Permits need the server's clock: without the right to TIME, calls would wait forever.
    await client.time();
    const report = (error: unknown) => watch.report(error);
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
/** The same during an outage. */
const heartbeatRetryMs = 1000;
const heartbeatTtlMs = 60_000;

/** What can be wrong with the server; the operator reads these texts. */
const outages = {
  away: {
    is: (name: string) => `no connection to ${name}`,
    begins: (name: string) =>
      `the queue lost the Redis server ${name}; turns wait until it is back`,
    ends: 'is back; turns resume',
  },
  refusing: {
    is: (name: string) => `${name} refuses writes`,
    begins: (name: string) =>
      `the Redis server ${name} refuses writes to the queue; turns wait until it accepts them`,
    ends: 'accepts writes again; turns resume',
  },
  silent: {
    is: (name: string) => `${name} does not answer`,
    begins: (name: string) => `the Redis server ${name} does not answer; turns wait until it does`,
    ends: 'answers again; turns resume',
  },
} as const;

interface Outage {
  readonly kind: keyof typeof outages;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
}

/**
 * Logs once when the server goes away, hangs or refuses writes, and once when it recovers, however many
 * commands fail in between.
 */
class ServerWatch {
  readonly #name: string;
  readonly #log: Log;
  readonly #failures: FailureLog;
  #outage: Outage | undefined;

  /** @param name - The server's, without secrets. */
  constructor(name: string, log: Log) {
    this.#name = name;
    this.#log = log;
    this.#failures = new FailureLog(log, 'commands of the queue');
  }

  /** For the connection that lives as long as the process. */
  readonly listeners = {
    onFailure: (error: unknown) => this.#begin('away', error),
    onReady: () => {
      if (this.#outage?.kind === 'away') this.#end(this.#outage);
    },
  } as const;

  /** Takes the error of a failed command; @returns whether the log has it, as an outage. */
  report(error: unknown): boolean {
    // A cluster client stays connected as long as any node is there.
    if (isNodeGone(error)) this.#begin('away', error);
    if (isConnectionError(error) || isWrongPassword(error)) return true;
    if (error instanceof SilentServerError) this.#begin('silent', error);
    else if (isWriteRefusal(error)) this.#begin('refusing', error);
    else return false;
    return true;
  }

  /** Checks until the signal is aborted that the server accepts writes, so an idle process notices too. */
  async heartbeat(commands: Commands, signal: AbortSignal): Promise<void> {
    const failures = new FailureLog(this.#log, 'changes of the queue');
    let isWell = true;
    const beat = async () => {
      isWell = false;
      await commands.once((client) => client.set(heartbeatKey, '1', 'PX', heartbeatTtlMs));
      isWell = true;
      this.#failures.worked();
      if (this.#outage) this.#end(this.#outage);
      return true;
    };
    await failures.repeat(() => (isWell ? heartbeatEveryMs : heartbeatRetryMs), beat, signal);
  }

  /** Takes BullMQ's errors. */
  readonly onError = (error: unknown): void => {
    // A run that lost its lock is aborted and logged by the worker.
    if (isLostLock(error) || this.report(error)) return;
    this.#failures.failed(error);
  };

  health(): { readonly isReady: boolean; readonly text: string } {
    if (!this.#outage) return { isReady: true, text: `connected to ${this.#name}` };
    const { kind, since, reason } = this.#outage;
    const seconds = Math.round((Date.now() - since) / 1000);
    const text = `${outages[kind].is(this.#name)} for ${seconds} s (${reason}); turns wait`;
    return { isReady: false, text };
  }

  #begin(kind: Outage['kind'], error: unknown): void {
    const known = this.#outage;
    // While the server is away, nothing else can be known about it.
    if (known?.kind === 'away' && kind !== 'away') return;
    const reason = error instanceof Error ? error.message : String(error);
    const isKnown = known?.kind === kind;
    // Keep the latest reason: a server that came back may refuse the password.
    this.#outage = { kind, reason, since: isKnown ? known.since : Date.now() };
    if (!isKnown) this.#log.error({ error }, outages[kind].begins(this.#name));
  }

  #end({ kind, since }: Outage): void {
    this.#outage = undefined;
    const lastedMs = Date.now() - since;
    this.#log.info({ lastedMs }, `the Redis server ${this.#name} ${outages[kind].ends}`);
  }
}

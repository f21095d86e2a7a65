/** The Redis server of the queue: connections that follow it through failovers, and commands sent over them. */

import { Cluster, Redis } from 'ioredis';
import { readAddress, type ServerAddress } from '../../store/redis/address.ts';
import { type Script, scriptsIn } from '../../store/redis/commands.ts';
import { serverName } from '../../store/redis/errors.ts';
import { backOff, retry, within } from '../../waiting.ts';
import { CoordinationError } from '../coordination.ts';
import {
  isConnectionError,
  isRedisReply,
  isRetryable,
  isWrongServer,
  SilentServerError,
} from './refusals.ts';
import { defaultCommandTimeoutMs, heartbeatKey } from './settings.ts';

export type Client = Redis | Cluster;

/**
 * ioredis listens for only one error of a socket. A TLS socket may emit two (an alert from the server, then
 * a reset), and the second would end the process. Patched on the prototype because ioredis and BullMQ open
 * connections that this code never sees.
 */
const { silentEmit } = Redis.prototype;
Redis.prototype.silentEmit = function emitSafely(event, error) {
  const isUnhandled = event === 'error' && this.stream?.listenerCount('error') === 0;
  if (isUnhandled) this.stream.on('error', () => undefined);
  return silentEmit.call(this, event, error);
};

const pauses = backOff(50, 1000);
const connectTimeoutMs = 5000;
const disconnectTimeoutMs = 100;
/** Two cluster nodes may redirect to each other until they agree. */
const movedPauseMs = 50;
/** The shortest time between two reconnects to a server that keeps refusing, in milliseconds. */
const reconnectIntervalMs = 1000;
/** How often the cluster's slots are refreshed, in milliseconds: a node that hangs closes no connection. */
const slotsRefreshMs = 2000;

export class QueueServer {
  readonly #address: ServerAddress;
  readonly #clients: Client[] = [];
  readonly #sentinels: readonly Redis[];

  /** @param url - `redis://…`, `rediss://…`, or the address of sentinels or a cluster. */
  constructor(url: string) {
    this.#address = readAddress(url);
    this.#sentinels = this.#address.kind === 'sentinel' ? this.#watchFailover(this.#address) : [];
  }

  /** Reconnects all clients after a failover: a former primary that hangs closes no connection itself. */
  #watchFailover({ hosts, name, isEncrypted, sentinelUser }: ServerAddress): readonly Redis[] {
    return hosts.map((host) => {
      const sentinel = new Redis({
        ...host,
        ...sentinelUser,
        ...(isEncrypted && { tls: {} }),
        // If ioredis resubscribed by itself, an unhandled refusal would end the process.
        autoResubscribe: false,
        retryStrategy: pauses,
        maxRetriesPerRequest: null,
      });
      // The clients report it when no sentinel can be reached.
      sentinel.on('error', () => undefined);
      sentinel.on('message', (_channel, message: string) => {
        if (message.split(' ')[0] !== name) return;
        // Clients that are still connecting will ask for the primary anyway.
        for (const client of this.#clients) {
          if (['connect', 'ready'].includes(client.status)) client.disconnect(true);
        }
      });
      sentinel.on('ready', () => sentinel.subscribe('+switch-master').catch(() => undefined));
      return sentinel;
    });
  }

  /**
   * Connects. A broken connection is restored, however long that takes, as is one to a server that is no
   * longer the primary by its own word or its sentinels'.
   *
   * @param waits - Commands wait indefinitely for a server that is away, as BullMQ's workers require;
   *   otherwise they fail.
   * @param onFailure - Called when the connection can't be restored, with the reason.
   * @throws Why the server wasn't reached within {@link defaultCommandTimeoutMs}. ioredis doesn't always
   *   know: it hides what sentinels and cluster nodes reply.
   */
  async connect(waits: boolean, onFailure?: (error: unknown) => void): Promise<Client> {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    let wasReady = false;
    let failure: unknown;
    const client = clientFor(this.#address, waits);
    this.#clients.push(client);
    const fail = (error: unknown) => {
      failure = error;
      if (wasReady) onFailure?.(error);
    };
    client.on('error', (error: unknown) => fail(reasonOf(error)));
    // A cluster is ready before it has connected to the node that holds the queue.
    client.on('ready', () => client.exists(heartbeatKey).then(() => resolve(), fail));
    // A server may accept the connection and never answer; ioredis would wait forever.
    const late = () =>
      failure instanceof Error ? failure : new SilentServerError(defaultCommandTimeoutMs);
    try {
      await within(ready, { ms: defaultCommandTimeoutMs, late });
      wasReady = true;
      return client;
    } catch (error) {
      client.disconnect();
      throw error;
    }
  }

  /** Closes all connections, including those still being opened, which would keep the process alive. */
  close(): void {
    for (const client of [...this.#clients, ...this.#sentinels]) client.disconnect();
  }
}

function clientFor(address: ServerAddress, waits: boolean): Client {
  const { kind, hosts, name, database, isEncrypted, user, sentinelUser } = address;
  let reconnectedAt = Number.NEGATIVE_INFINITY;
  const common = {
    connectionName: 'council-queue',
    connectTimeout: connectTimeoutMs,
    keepAlive: connectTimeoutMs,
    maxRetriesPerRequest: null,
    enableOfflineQueue: waits,
    // A server that hangs doesn't acknowledge the end of the connection.
    disconnectTimeout: disconnectTimeoutMs,
  };
  const following = {
    ...common,
    retryStrategy: pauses,
    reconnectOnError: (error: Error) => {
      const isTooSoon = performance.now() - reconnectedAt < reconnectIntervalMs;
      if (!isWrongServer(error) || isTooSoon) return false;
      reconnectedAt = performance.now();
      return true;
    },
  };
  if (kind === 'cluster') {
    const { enableOfflineQueue, ...redisOptions } = common;
    return new Cluster([...hosts], {
      enableOfflineQueue,
      enableReadyCheck: false,
      clusterRetryStrategy: pauses,
      ...(waits && { maxRedirections: Number.MAX_SAFE_INTEGER }),
      retryDelayOnMoved: movedPauseMs,
      slotsRefreshInterval: slotsRefreshMs,
      redisOptions: { ...redisOptions, ...user, ...(isEncrypted && { tls: {} }) },
      // Keep the name instead of resolving it: certificates are issued for names.
      dnsLookup: (host, give) => give(null, host),
    });
  }
  const [{ host, port }] = hosts;
  if (kind === 'server') {
    const tls = isEncrypted && { tls: serverName(host) };
    return new Redis({ ...following, ...user, host, port, db: database, ...tls });
  }
  return new Redis({
    ...following,
    ...user,
    name,
    db: database,
    sentinels: [...hosts],
    sentinelUsername: sentinelUser.username,
    sentinelPassword: sentinelUser.password,
    sentinelRetryStrategy: pauses,
    sentinelCommandTimeout: connectTimeoutMs,
    ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

/** A cluster error only says that no node was reached; the reason is that of the last node. */
function reasonOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : error;
}

/** @param name - Of a file in the folder `scripts`. */
export function queueScripts(name: string): (name: string) => Script {
  return scriptsIn(new URL(`scripts/${name}.lua`, import.meta.url));
}

/** Runs a script, loading it if the server doesn't know it. */
export async function evaluate(
  client: Client,
  { source, sha1 }: Script,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  try {
    return await client.evalsha(sha1, keys.length, ...keys, ...values);
  } catch (error) {
    if (!isRedisReply(error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.eval(source, keys.length, ...keys, ...values);
  }
}

/** Sends commands with a timeout, and retries them for that long while the server is away. */
export class Commands {
  readonly client: Client;
  readonly #report: (error: unknown) => boolean;
  readonly #timeoutMs: number;

  /**
   * @param client - Connected with `waits` off.
   * @param report - Called with the error of each failed try; returns whether the operator's log has it.
   * @param timeoutMs - Of each command.
   */
  constructor(
    client: Client,
    report: (error: unknown) => boolean,
    timeoutMs: number = defaultCommandTimeoutMs,
  ) {
    this.client = client;
    this.#report = report;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Tries once.
   *
   * @throws {CoordinationError}
   */
  async once<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await this.#answer(work);
    } catch (error) {
      throw new CoordinationError(error, this.#report(error));
    }
  }

  /**
   * Retries after a lost connection or a refusal that may pass.
   *
   * @param work - Must be idempotent.
   * @throws {CoordinationError}
   */
  async send<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let refusal: Error | undefined;
    let isLogged = false;
    const pauseAfter = (failures: number, error: unknown) => {
      isLogged = this.#report(error);
      // A refusal is more informative than the disconnect that follows it.
      if (isRedisReply(error)) refusal = error;
      const hasTime = performance.now() - startedAt < this.#timeoutMs;
      const mayPass = isConnectionError(error) || isRetryable(error);
      return mayPass && hasTime ? pauses(failures) : undefined;
    };
    try {
      return await retry(() => this.#answer(work), pauseAfter);
    } catch (error) {
      throw new CoordinationError(refusal ?? error, isLogged);
    }
  }

  /** Runs a script like {@link send}. */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    return this.send((client) => evaluate(client, script, keys, values));
  }

  /** ioredis fails commands that it can't send, but waits forever for replies. */
  #answer<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const late = () => new SilentServerError(this.#timeoutMs);
    return within(work(this.client), { ms: this.#timeoutMs, late });
  }
}

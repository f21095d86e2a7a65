/** The server that the queue is on at the moment, and the connections to it. */

import { Cluster, Redis } from 'ioredis';
import { readAddress, type ServerAddress } from '../../store/redis/address.ts';
import { nameToShow } from '../../store/redis/errors.ts';
import { backOff, within } from '../../waiting.ts';
import { isWrongServer, SilentServerError } from './refusals.ts';
import { heartbeatKey, usualCommandTimeoutMs } from './settings.ts';

/** Told how a connection fares. */
interface ConnectionListeners {
  /** It broke, or can't be made again, and why. */
  readonly onTrouble?: (error: unknown) => void;
  readonly onReady?: () => void;
}

export type Client = Redis | Cluster;

/**
 * A connection of the client listens for one error of its socket. An encrypted socket may have two, an alert
 * of the server and then a reset, and the second would end the process. Changed for all of them, because
 * the client and BullMQ make connections that are not seen here.
 */
const { silentEmit } = Redis.prototype;
Redis.prototype.silentEmit = function heard(event, what) {
  const isUnheard = event === 'error' && this.stream?.listenerCount('error') === 0;
  if (isUnheard) this.stream.on('error', () => undefined);
  return silentEmit.call(this, event, what);
};

const pauses = backOff(50, 1000);
const connectTimeoutMs = 5000;
const disconnectTimeoutMs = 100;
/** Two nodes of a cluster may send to each other until they agree. */
const movedPauseMs = 50;
/** A server that goes on refusing is left no more often, in milliseconds. */
const leaveEveryMs = 1000;
/** How often a cluster is asked where the queue is, in milliseconds: a node that hangs breaks no connection. */
const askEveryMs = 2000;

export class QueueServer {
  readonly #address: ServerAddress;
  readonly #clients: Client[] = [];
  readonly #sentinels: readonly Redis[];

  /** @param url - `redis://…`, `rediss://…`, or that of sentinels or of a cluster. */
  constructor(url: string) {
    this.#address = readAddress(url);
    this.#sentinels = this.#address.kind === 'sentinel' ? this.#follow(this.#address) : [];
  }

  /** A former primary that hangs breaks no connection: they are broken here when there is another one. */
  #follow({ hosts, name, isEncrypted, sentinelUser }: ServerAddress): readonly Redis[] {
    return hosts.map((host) => {
      const sentinel = new Redis({
        ...{ ...host, ...sentinelUser, ...(isEncrypted && { tls: {} }) },
        // The client would subscribe again by itself, and a refusal, heard by nobody, would end the process.
        autoResubscribe: false,
        retryStrategy: pauses,
        maxRetriesPerRequest: null,
      });
      // What is wrong with all of them is told by those that need one.
      sentinel.on('error', () => undefined);
      sentinel.on('message', (_channel, said: string) => {
        if (said.split(' ')[0] !== name) return;
        // The others are about to ask who it is.
        for (const client of this.#clients) if (isMade(client)) client.disconnect(true);
      });
      sentinel.on('ready', () => sentinel.subscribe('+switch-master').catch(() => undefined));
      return sentinel;
    });
  }

  /**
   * Connects. A connection that breaks is made again, for as long as it takes; so is one to a server
   * that says it is not the primary any more, or whose sentinels have made another one.
   *
   * @param waits - Commands wait for ever for a server that is away, as BullMQ's workers need it;
   *   without it they fail then.
   * @throws After {@link usualCommandTimeoutMs}, why it was not reached. The client does not always know:
   *   it keeps what sentinels and the nodes of a cluster say.
   */
  async connect(waits: boolean, { onTrouble, onReady }: ConnectionListeners = {}): Promise<Client> {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    let wasReady = false;
    let isLeaving = false;
    let trouble: unknown;
    const client = clientFor(this.#address, waits, () => {
      isLeaving = true;
    });
    this.#clients.push(client);
    const hear = (error: unknown) => {
      trouble = error;
      if (wasReady) onTrouble?.(error);
    };
    client.on('error', (error: unknown) => hear(reasonOf(error)));
    client.on('close', () => isLeaving || hear(trouble ?? new Error('Connection is closed.')));
    client.on('ready', () => {
      [isLeaving, trouble] = [false, undefined];
      if (wasReady) onReady?.();
      // A cluster is ready before the node that has the queue is spoken to.
      else client.exists(heartbeatKey).then(() => resolve(), hear);
    });
    // Of one that takes the connection and says nothing: the client would wait for ever.
    const late = () =>
      trouble instanceof Error ? trouble : new SilentServerError(usualCommandTimeoutMs);
    try {
      await within(ready, { ms: usualCommandTimeoutMs, late });
      wasReady = true;
      return client;
    } catch (error) {
      client.disconnect();
      throw error;
    }
  }

  /** Lets go of all connections to it, also those that are still being made: they would keep the process. */
  close(): void {
    for (const client of [...this.#clients, ...this.#sentinels]) client.disconnect();
  }
}

/** @param onLeave - Told when it leaves a server, to connect anew. */
function clientFor(address: ServerAddress, waits: boolean, onLeave: () => void): Client {
  const { kind, hosts, name, database, isEncrypted, user, sentinelUser } = address;
  let leftAt = Number.NEGATIVE_INFINITY;
  const common = {
    connectionName: 'council-queue',
    connectTimeout: connectTimeoutMs,
    keepAlive: connectTimeoutMs,
    maxRetriesPerRequest: null,
    enableOfflineQueue: waits,
    // One that hangs does not take its leave.
    disconnectTimeout: disconnectTimeoutMs,
  };
  const following = {
    ...common,
    retryStrategy: pauses,
    reconnectOnError: (error: Error) => {
      if (!isWrongServer(error) || performance.now() - leftAt < leaveEveryMs) return false;
      leftAt = performance.now();
      onLeave();
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
      slotsRefreshInterval: askEveryMs,
      redisOptions: { ...redisOptions, ...user, ...(isEncrypted && { tls: {} }) },
      // A certificate is for a name.
      dnsLookup: (host, give) => give(null, host),
    });
  }
  const [{ host, port }] = hosts;
  if (kind === 'server') {
    const tls = isEncrypted && { tls: nameToShow(host) };
    return new Redis({ ...following, ...user, host, port, db: database, ...tls });
  }
  return new Redis({
    ...{ ...following, ...user, name, db: database, sentinels: [...hosts] },
    sentinelUsername: sentinelUser.username,
    sentinelPassword: sentinelUser.password,
    sentinelRetryStrategy: pauses,
    sentinelCommandTimeout: connectTimeoutMs,
    ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

function isMade({ status }: Client): boolean {
  return status === 'connect' || status === 'ready';
}

/** A cluster only says that it has reached none of its nodes. */
function reasonOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : error;
}

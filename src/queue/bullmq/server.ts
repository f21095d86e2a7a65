/** The server that the queue is on at the moment, and the connections to it. */

import { Cluster, Redis, type RedisOptions } from 'ioredis';
import {
  clusterAddress,
  isClusterAddress,
  isSentinelAddress,
  sentinelAddress,
  shownAddress,
  unlessMisspoken,
} from '../../store/redis/address.ts';
import { encryptionRefusal, nameToShow } from '../../store/redis/errors.ts';
import { backOff, repeat, within } from '../../waiting.ts';
import { isLasting, isWrongServer, SilentServerError } from './refusals.ts';
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
/** The client would subscribe again by itself, and a refusal, heard by nobody, would end the process. */
const unsubscribed = { autoResubscribe: false };
const connectTimeoutMs = 5000;
const disconnectTimeoutMs = 100;
/** Two nodes of a cluster may send to each other until they agree. */
const movedPauseMs = 50;
/** A server that goes on refusing is left no more often, in milliseconds. */
const leaveEveryMs = 1000;
/** How often it is looked into why a connection is not made yet, in milliseconds. */
const lookEveryMs = 1000;
/** How often a cluster is asked where the queue is, in milliseconds: a node that hangs breaks no connection. */
const askEveryMs = 2000;

export class QueueServer {
  readonly #url: string;
  readonly #clients: Client[] = [];
  readonly #sentinels: readonly Redis[];

  /** @param url - `redis://…`, `rediss://…`, or that of sentinels or of a cluster. */
  constructor(url: string) {
    this.#url = url;
    this.#sentinels = isSentinelAddress(url) ? this.#follow(url) : [];
  }

  /** A former primary that hangs breaks no connection: they are broken here when there is another one. */
  #follow(url: string): readonly Redis[] {
    return askedAt(url).map(({ at }) => {
      const sentinel = new Redis({
        ...{ ...at, ...unsubscribed },
        retryStrategy: pauses,
        maxRetriesPerRequest: null,
      });
      // What is wrong with all of them is told by those that need one.
      sentinel.on('error', () => undefined);
      sentinel.on('message', (_channel, said: string) => {
        if (said.split(' ')[0] !== sentinelAddress(url).name) return;
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
   * @throws What the server said that refused it, in words what is wrong with the encryption, or,
   *   after {@link usualCommandTimeoutMs}, why it was not reached.
   */
  async connect(waits: boolean, { onTrouble, onReady }: ConnectionListeners = {}): Promise<Client> {
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    let wasReady = false;
    let isLeaving = false;
    let trouble: unknown;
    const client = clientFor(this.#url, waits, () => {
      isLeaving = true;
    });
    this.#clients.push(client);
    const hear = (error: unknown) => {
      trouble = error;
      if (wasReady) onTrouble?.(error);
      else if (isLasting(error)) reject(error);
    };
    client.on('error', (error: unknown) => hear(reasonOf(error)));
    client.on('node error', (error: unknown) => wasReady || hear(error));
    client.on('close', () => isLeaving || hear(trouble ?? new Error('Connection is closed.')));
    client.on('ready', () => {
      [isLeaving, trouble] = [false, undefined];
      if (wasReady) onReady?.();
      // A cluster is ready before the node that has the queue is spoken to.
      else client.exists(heartbeatKey).then(() => resolve(), hear);
    });
    const look = async () => {
      const refusals = await Promise.all(askedAt(this.#url).map(refusalOf));
      for (const refusal of refusals) if (isLasting(refusal)) reject(refusal);
    };
    const looking = new AbortController();
    void repeat(() => lookEveryMs, look, looking.signal);
    // Of one that takes the connection and says nothing: the client would wait for ever.
    const late = () =>
      trouble instanceof Error ? trouble : new SilentServerError(usualCommandTimeoutMs);
    try {
      await within(unlessMisspoken(this.#url, ready), { ms: usualCommandTimeoutMs, late });
      wasReady = true;
      return client;
    } catch (error) {
      client.disconnect();
      throw encryptionRefusal(shownAddress(this.#url), error) ?? error;
    } finally {
      looking.abort();
    }
  }

  /** Lets go of all connections to it, also those that are still being made: they would keep the process. */
  close(): void {
    for (const client of [...this.#clients, ...this.#sentinels]) client.disconnect();
  }
}

/** @param onLeave - Told when it leaves a server, to connect anew. */
function clientFor(url: string, waits: boolean, onLeave: () => void): Client {
  let leftAt = Number.NEGATIVE_INFINITY;
  const common = {
    ...unsubscribed,
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
  if (isClusterAddress(url)) {
    const { hosts, isEncrypted, user } = clusterAddress(url);
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
  if (!isSentinelAddress(url)) {
    const { protocol, hostname = '' } = URL.parse(url) ?? {};
    return new Redis(url, {
      ...following,
      ...(protocol === 'rediss:' && { tls: nameToShow(hostname) }),
    });
  }
  const { sentinels, name, database, isEncrypted, user, sentinelUser } = sentinelAddress(url);
  return new Redis({
    ...{ ...following, ...user, name, db: database, sentinels: [...sentinels] },
    sentinelUsername: sentinelUser.username,
    sentinelPassword: sentinelUser.password,
    sentinelRetryStrategy: pauses,
    sentinelCommandTimeout: connectTimeoutMs,
    ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

/** One that knows where the server is, and what it is asked. */
interface Asked {
  readonly at: RedisOptions;
  readonly words: readonly [string, ...string[]];
}

/** Those that the client asks, and of whose refusals it tells nothing. */
function askedAt(url: string): readonly Asked[] {
  if (isClusterAddress(url)) {
    const { hosts, isEncrypted, user } = clusterAddress(url);
    const way = { ...user, ...(isEncrypted && { tls: {} }) };
    return hosts.map((host) => ({ at: { ...host, ...way }, words: ['CLUSTER', 'SLOTS'] }));
  }
  if (!isSentinelAddress(url)) return [];
  const { sentinels, name, isEncrypted, sentinelUser } = sentinelAddress(url);
  const way = { ...sentinelUser, ...(isEncrypted && { tls: {} }) };
  return sentinels.map((host) => ({
    at: { ...host, ...way },
    words: ['SENTINEL', 'MASTER', name],
  }));
}

/** What it says, or what its certificate is, that keeps it from telling; `undefined` when it tells. */
async function refusalOf({ at, words: [word, ...rest] }: Asked): Promise<unknown> {
  const client = new Redis({
    ...at,
    lazyConnect: true,
    retryStrategy: null,
    connectTimeout: connectTimeoutMs,
  });
  let trouble: unknown;
  client.on('error', (error: unknown) => {
    // A broken connection may be told before its reason.
    if (!isLasting(trouble)) trouble = error;
  });
  try {
    await client.connect();
    await client.call(word, ...rest);
    return undefined;
  } catch (error) {
    return trouble ?? error;
  } finally {
    client.disconnect();
  }
}

function isMade({ status }: Client): boolean {
  return status === 'connect' || status === 'ready';
}

/** A cluster only says that it has reached none of its nodes. */
function reasonOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : error;
}

/** The client library's ways to a server: to one, by sentinels, and to those of a cluster. */

import { createSentinel, ErrorReply, RedisClient, RedisCluster } from '@redis/client';
import { retry } from '../../waiting.ts';
import type { ServerAddress } from './address.ts';
import { encryptionTrouble, isTransient, serverName } from './errors.ts';

/** Where a command goes: to the holder of a key's slot, or to a server by its address. */
export type Destination = { readonly key: string } | { readonly server: string };

export interface Transport {
  /** It finds the primary after a failover by itself; else it is to be left for a new transport. */
  readonly follows: boolean;
  /** Resolves at the first connection; one that breaks later is made again by itself. */
  connect(): Promise<unknown>;
  /** Addresses of the servers that hold keys: of a cluster several, else the one. */
  servers(): readonly string[];
  /** What is sent in one tick of the event loop goes out together. */
  send(words: readonly string[], to: Destination, signal: AbortSignal): Promise<unknown>;
  /** What is under way fails. Safe to call at any time. */
  destroy(): Promise<void>;
}

export interface TransportOptions {
  readonly address: ServerAddress;
  /** How long a command waits for the connection, in milliseconds. */
  readonly waitMs: number;
  /** How long to wait before the next try, in milliseconds; an error: not to try again. */
  readonly pause: (tries: number, cause: Error) => number | Error;
  readonly onTrouble: (error: unknown) => void;
  readonly onReady: () => void;
}

export const connectTimeoutMs = 5000;
const retryPauseMs = 200;

/** Whether it stays until it is fixed: a refusal, or what is wrong with TLS. */
export function isLasting(error: unknown): boolean {
  if (error instanceof ErrorReply) return !isTransient(error.message);
  return encryptionTrouble(error) !== undefined;
}

/** The library's way to several servers, of which it finds one. */
interface Finder {
  connect(): Promise<unknown>;
  on(event: 'error', listen: (error: unknown) => void): unknown;
  off(event: 'error', listen: (error: unknown) => void): unknown;
}

/**
 * Tries until one of several servers is found.
 *
 * @param finder - Gives the one to try with; `undefined` when it is not to be tried any more.
 * @throws What one of them said or showed that lasts, when none is found.
 */
async function connectToAny(
  finder: () => Finder | undefined,
  onTrouble: TransportOptions['onTrouble'],
): Promise<void> {
  const pauseAfter = (_failures: number, error: unknown) => {
    if (isLasting(error)) return undefined;
    onTrouble(error);
    return retryPauseMs;
  };
  await retry(async () => {
    const used = finder();
    if (used === undefined) return;
    // What the library throws in the end only says that there was none.
    const troubles: unknown[] = [];
    const note = (error: unknown) => void troubles.push(error);
    used.on('error', note);
    try {
      await used.connect();
    } catch (error) {
      throw [...troubles, error].find(isLasting) ?? troubles.at(-1) ?? error;
    } finally {
      used.off('error', note);
    }
  }, pauseAfter);
}

/** Replies have the shape that HTTP gives too. */
const replies = { RESP: 2 } as const;
const common = { ...replies, maintNotifications: 'disabled' } as const;

function socketOf({ address, waitMs, pause }: TransportOptions) {
  return {
    ...{ connectTimeout: Math.min(connectTimeoutMs, waitMs), reconnectStrategy: pause },
    ...(address.isEncrypted && { tls: true as const }),
  };
}

/** A way to one server; the name in its address is looked up anew for each connection. */
function directTransport(options: TransportOptions): Transport {
  const { address, waitMs, onTrouble, onReady } = options;
  const { hosts, database, isEncrypted, user } = address;
  const [{ host, port }] = hosts;
  // `createClient` would make all of the library's commands anew for each address, in 30 ms of CPU.
  const client = RedisClient.factory(replies)({
    ...{ ...common, ...user, database, name: 'council', commandOptions: { timeout: waitMs } },
    socket: { ...socketOf(options), host, port, ...(isEncrypted && serverName(host)) },
  });
  // Without a listener, the first trouble would end the process. Who asks for something hears of it.
  client.on('error', onTrouble);
  client.on('ready', onReady);
  return {
    follows: false,
    connect: () => client.connect(),
    servers: () => [host],
    send: (words, _to, signal) => client.sendCommand([...words], { abortSignal: signal }),
    destroy: async () => {
      if (client.isOpen) client.destroy();
    },
  };
}

/** How often the sentinels are asked, besides what they tell by themselves, in milliseconds. */
const askEveryMs = 5000;
/** How often the library looks for the primary within a call; the caller tries again. */
const mostSearches = 1;

/** The servers are asked for with the address's user; the library finds the primary again by itself. */
function sentinelTransport(options: TransportOptions): Transport {
  const { address, waitMs, onTrouble, onReady } = options;
  const { hosts, name, database, user, sentinelUser } = address;
  const { reconnectStrategy, ...socket } = socketOf(options);
  const client = createSentinel({
    name,
    sentinelRootNodes: [...hosts],
    ...replies,
    maxCommandRediscovers: mostSearches,
    scanInterval: askEveryMs,
    commandOptions: { timeout: waitMs },
    passthroughClientErrorEvents: true,
    nodeClientOptions: {
      ...{ ...common, ...user, name: 'council', database },
      socket: { ...socket, reconnectStrategy },
    },
    sentinelClientOptions: { ...common, ...sentinelUser, socket },
  });
  client.on('error', onTrouble);
  client.on('ready', onReady);
  let isDestroyed = false;

  return {
    follows: true,
    connect: () => connectToAny(() => (isDestroyed ? undefined : client), onTrouble),
    servers: () => [name],
    send: (words, _to, signal) => client.sendCommand(false, [...words], { abortSignal: signal }),
    destroy: async () => {
      isDestroyed = true;
      if (client.isOpen) await client.destroy();
    },
  };
}

/** How long a server is to be gone before the others are asked who has its slots. */
const missedMs = 500;
/** A server that was never reached, or halts, is not missed by the library. */
const longestStallMs = 3000;

/**
 * The library follows slots to where they are moved, and a server to the replica that takes its place.
 * Where it does not, because nothing is answered at all, the servers are looked up anew.
 */
function clusterTransport(options: TransportOptions): Transport {
  const { waitMs, onTrouble, onReady } = options;
  const stallMs = Math.min(longestStallMs, waitMs / 3);
  let client = makeClient(options);
  let known: readonly string[] = [];
  let isDestroyed = false;

  /** Tries until one of the servers tells who has which slots. */
  async function connect(): Promise<void> {
    await connectToAny(() => (isDestroyed ? undefined : client), onTrouble);
    if (!isDestroyed) onReady();
  }

  /** What is under way fails, and is sent again. */
  function renew(stalled: typeof client): void {
    if (client !== stalled || isDestroyed) return;
    client = makeClient(options);
    stalled.destroy();
    connect().catch(onTrouble);
  }

  function servers(): readonly string[] {
    if (client.masters.length > 0) known = client.masters.map(({ address }) => address);
    return known;
  }

  async function sendTo(to: Destination, words: readonly string[], signal: AbortSignal) {
    const sent = { abortSignal: signal };
    if ('key' in to) return client.sendCommand(to.key, false, [...words], sent);
    const master = client.masters.find(({ address }) => address === to.server);
    if (master === undefined) throw new Error(`${to.server} holds no keys now`);
    const node = await client.nodeClient(master);
    return node.sendCommand([...words], sent);
  }

  return {
    follows: true,
    servers,
    connect,
    send: async (words, to, signal) => {
      const used = client;
      const stalled = setTimeout(() => renew(used), stallMs);
      try {
        return await sendTo(to, words, signal);
      } finally {
        clearTimeout(stalled);
      }
    },
    destroy: async () => {
      isDestroyed = true;
      client.destroy();
    },
  };
}

function makeClient(options: TransportOptions) {
  const { address, waitMs, onTrouble, onReady } = options;
  const { hosts, user } = address;
  const { maintNotifications } = common;
  const shape = { ...replies, commandOptions: { timeout: waitMs } } as const;
  const client = RedisCluster.factory(shape)({
    ...shape,
    rootNodes: hosts.map((socket) => ({ socket })),
    defaults: {
      ...{ ...user, name: 'council', maintNotifications },
      socket: socketOf(options),
    },
    // Else a server that is gone keeps all the others waiting for a connection to it.
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: missedMs,
  });
  client.on('error', onTrouble);
  client.on('node-error', onTrouble);
  client.on('node-ready', onReady);
  return client;
}

/** The way to servers of each kind. */
export const transports = {
  server: directTransport,
  sentinel: sentinelTransport,
  cluster: clusterTransport,
} as const;

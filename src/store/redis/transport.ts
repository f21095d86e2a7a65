/** Transports over the client library: to a single server, through sentinels, and to a cluster. */

import { createSentinel, ErrorReply, RedisClient, RedisCluster } from '@redis/client';
import { retry } from '../../waiting.ts';
import type { ServerAddress } from './address.ts';
import { isCertificateError, isTransient, serverName } from './errors.ts';

/** The destination of a command: the server with a key's slot, or a server by its address. */
export type Destination = { readonly key: string } | { readonly server: string };

export interface Transport {
  /** Resolves at the first connection; later ones are restored automatically. */
  connect(): Promise<unknown>;
  /** Addresses of the servers that have keys: one, except in a cluster; none before it is connected. */
  servers(): readonly string[];
  /** Commands sent in one tick of the event loop are pipelined. */
  send(words: readonly string[], to: Destination, signal: AbortSignal): Promise<unknown>;
  /** Fails pending commands. Safe to call at any time. */
  destroy(): void;
}

export interface TransportOptions {
  readonly address: ServerAddress;
  /** How long a command waits for the connection, in milliseconds. */
  readonly waitMs: number;
  /** Returns the pause before the next try, in milliseconds, or false to stop trying. */
  readonly pause: (tries: number, cause: unknown) => number | false;
  readonly onError: (error: unknown) => void;
  readonly onReady: () => void;
}

const connectTimeoutMs = 5000;

/** Whether an error persists until someone fixes it: a refusal or a bad certificate. */
export function isLasting(error: unknown): boolean {
  if (error instanceof ErrorReply) return !isTransient(error.message);
  return isCertificateError(error);
}

/** Tries until one of several servers is found. The library's own error only says that none was. */
async function connectToAny(
  connect: () => Promise<unknown>,
  { pause }: TransportOptions,
): Promise<void> {
  await retry(connect, (failures, error) => pause(failures - 1, error) || undefined);
}

/** With RESP 2, replies have the same shape as over HTTP. */
const replies = { RESP: 2 } as const;
const common = { ...replies, maintNotifications: 'disabled' } as const;
/** The caller limits its commands. The library's own limit also fails those of a process that was halted. */
const commandOptions = { timeout: 0 } as const;

function socketOf({ address, waitMs, pause }: TransportOptions) {
  return {
    connectTimeout: Math.min(connectTimeoutMs, waitMs),
    reconnectStrategy: pause,
    ...(address.isEncrypted && { tls: true as const }),
  };
}

/** Connects to one server, resolving its name for each connection. */
function directTransport(options: TransportOptions): Transport {
  const { address, onError, onReady } = options;
  const { hosts, database, isEncrypted, user } = address;
  const [{ host, port }] = hosts;
  // `createClient` would recreate all of the library's commands for each address, in 30 ms of CPU.
  const client = RedisClient.factory(replies)({
    ...common,
    ...user,
    database,
    name: 'council',
    commandOptions,
    socket: { ...socketOf(options), host, port, ...(isEncrypted && serverName(host)) },
  });
  // Without a listener, the first error would end the process.
  client.on('error', onError);
  client.on('ready', onReady);
  return {
    connect: () => client.connect(),
    servers: () => [host],
    send: (words, _to, signal) => client.sendCommand([...words], { abortSignal: signal }),
    destroy: () => {
      if (client.isOpen) client.destroy();
    },
  };
}

/** How often the sentinels are polled, besides their notifications, in milliseconds. */
const scanEveryMs = 5000;
/** How often the library looks for the primary within one call; the caller retries. */
const maxRediscovers = 1;

/** Connects to the primary that the sentinels name, again after each failover. */
function sentinelTransport(options: TransportOptions): Transport {
  const { address, onError, onReady } = options;
  const { hosts, name, database, user, sentinelUser } = address;
  const { reconnectStrategy, ...socket } = socketOf(options);
  const client = createSentinel({
    name,
    sentinelRootNodes: [...hosts],
    ...replies,
    maxCommandRediscovers: maxRediscovers,
    scanInterval: scanEveryMs,
    commandOptions,
    passthroughClientErrorEvents: true,
    nodeClientOptions: {
      ...common,
      ...user,
      name: 'council',
      database,
      socket: { ...socket, reconnectStrategy },
    },
    sentinelClientOptions: { ...common, ...sentinelUser, socket },
  });
  client.on('error', onError);
  client.on('ready', onReady);
  let isDestroyed = false;

  return {
    connect: () => connectToAny(async () => isDestroyed || client.connect(), options),
    servers: () => [name],
    send: (words, _to, signal) => client.sendCommand(false, [...words], { abortSignal: signal }),
    destroy: () => {
      isDestroyed = true;
      // Without waiting: it ends only once the sentinel asked last has answered, which may be silent.
      if (client.isOpen) void client.destroy();
    },
  };
}

/** How long a node may be disconnected before the topology is refreshed from another one, in milliseconds. */
const refreshTopologyAfterMs = 500;

/** Connects to a cluster. The library follows moved slots and promoted replicas. */
function clusterTransport(options: TransportOptions): Transport {
  const { address, onError, onReady } = options;
  const { hosts, user } = address;
  const { maintNotifications } = common;
  const shape = { ...replies, commandOptions } as const;
  const client = RedisCluster.factory(shape)({
    ...shape,
    rootNodes: hosts.map((socket) => ({ socket })),
    defaults: {
      ...user,
      name: 'council',
      maintNotifications,
      socket: socketOf(options),
    },
    // Otherwise, all nodes wait for the connection to one that is gone.
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: refreshTopologyAfterMs,
  });
  client.on('error', onError);
  client.on('node-error', onError);
  client.on('node-ready', onReady);
  let isDestroyed = false;

  function masterAt(server: string) {
    const master = client.masters.find(({ address }) => address === server);
    if (master === undefined) throw new Error(`${server} holds no keys now`);
    return master;
  }

  return {
    connect: async () => {
      await connectToAny(async () => isDestroyed || client.connect(), options);
      if (!isDestroyed) onReady();
    },
    servers: () => client.masters.map(({ address }) => address),
    send: async (words, to, signal) => {
      const sent = { abortSignal: signal };
      if ('key' in to) return client.sendCommand(to.key, false, [...words], sent);
      const node = await client.nodeClient(masterAt(to.server));
      return node.sendCommand([...words], sent);
    },
    destroy: () => {
      isDestroyed = true;
      client.destroy();
    },
  };
}

/** The transport for each kind of address. */
export const transports = {
  server: directTransport,
  sentinel: sentinelTransport,
  cluster: clusterTransport,
} as const;

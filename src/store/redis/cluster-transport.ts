/** A way to the servers of a cluster, each for the slots that it holds. */

import { createCluster } from '@redis/client';
import { clusterAddress } from './address.ts';
import {
  connectTimeoutMs,
  connectToAny,
  type Destination,
  type Transport,
  type TransportOptions,
} from './transport.ts';

/** How long a server is to be gone before the others are asked who has its slots. */
const missedMs = 500;
/** A server that was never reached, or halts, is not missed by the library. */
const longestStallMs = 3000;

/**
 * The library follows slots to where they are moved, and a server to the replica that takes its place.
 * Where it does not, because nothing is answered at all, the servers are looked up anew.
 */
export function clusterTransport(options: TransportOptions): Transport {
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

function makeClient({ url, waitMs, pause, onTrouble, onReady }: TransportOptions) {
  const { hosts, isEncrypted, username, password } = clusterAddress(url);
  const client = createCluster({
    rootNodes: hosts.map((socket) => ({ socket })),
    defaults: {
      name: 'council',
      maintNotifications: 'disabled',
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      socket: {
        connectTimeout: Math.min(connectTimeoutMs, waitMs),
        reconnectStrategy: pause,
        ...(isEncrypted && { tls: true as const }),
      },
    },
    RESP: 2,
    // Else a server that is gone keeps all the others waiting for a connection to it.
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: missedMs,
    commandOptions: { timeout: waitMs },
  });
  client.on('error', onTrouble);
  client.on('node-error', onTrouble);
  client.on('node-ready', onReady);
  return client;
}

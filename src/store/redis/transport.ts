/** The client library's way to a server, as far as a connection needs it. */

import { createClient, createSentinel, ErrorReply } from '@redis/client';
import { retry } from '../../waiting.ts';
import { sentinelAddress } from './address.ts';
import { encryptedSocket, encryptionTrouble } from './encryption.ts';
import { isPassing } from './errors.ts';

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
  readonly url: string;
  /** How long a command waits for the connection, in milliseconds. */
  readonly waitMs: number;
  /** How long to wait before the next try, in milliseconds; an error: not to try again. */
  readonly pause: (tries: number, cause: Error) => number | Error;
  readonly onTrouble: (error: unknown) => void;
  readonly onReady: () => void;
}

export const connectTimeoutMs = 5000;
const retryPauseMs = 200;

/** Whether it stays until it is mended: a refusal, or what is wrong with TLS. */
export function isLasting(error: unknown): boolean {
  if (error instanceof ErrorReply) return !isPassing(error.message);
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
export async function connectToAny(
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

/** A way to one server; the name in its address is looked up anew for each connection. */
export function directTransport(options: TransportOptions): Transport {
  const { url, waitMs, pause, onTrouble, onReady } = options;
  const client = createClient({
    url,
    name: 'council',
    // The shape of replies that HTTP gives too.
    RESP: 2,
    maintNotifications: 'disabled',
    commandOptions: { timeout: waitMs },
    socket: {
      connectTimeout: Math.min(connectTimeoutMs, waitMs),
      reconnectStrategy: pause,
      ...encryptedSocket(url),
    },
  });
  // Without a listener, the first trouble would end the process. Who asks for something hears of it.
  client.on('error', onTrouble);
  client.on('ready', onReady);
  return {
    follows: false,
    connect: () => client.connect(),
    servers: () => [url],
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
export function sentinelTransport(options: TransportOptions): Transport {
  const { url, waitMs, pause, onTrouble, onReady } = options;
  const address = sentinelAddress(url);
  const { sentinels, name, database, isEncrypted, username, password } = address;
  const { sentinelUsername, sentinelPassword } = address;
  const socket = {
    connectTimeout: Math.min(connectTimeoutMs, waitMs),
    ...(isEncrypted && { tls: true as const }),
  };
  const common = { RESP: 2, maintNotifications: 'disabled' } as const;
  const client = createSentinel({
    name,
    sentinelRootNodes: sentinels.map(({ host, port }) => ({ host, port })),
    RESP: 2,
    maxCommandRediscovers: mostSearches,
    scanInterval: askEveryMs,
    commandOptions: { timeout: waitMs },
    passthroughClientErrorEvents: true,
    nodeClientOptions: {
      ...common,
      name: 'council',
      database,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      socket: { ...socket, reconnectStrategy: pause },
    },
    sentinelClientOptions: {
      ...common,
      ...(sentinelUsername !== undefined && { username: sentinelUsername }),
      ...(sentinelPassword !== undefined && { password: sentinelPassword }),
      socket,
    },
  });
  client.on('error', onTrouble);
  client.on('ready', onReady);
  let isDestroyed = false;

  return {
    follows: true,
    connect: () => connectToAny(() => (isDestroyed ? undefined : client), onTrouble),
    servers: () => [url],
    send: (words, _to, signal) => client.sendCommand(false, [...words], { abortSignal: signal }),
    destroy: async () => {
      isDestroyed = true;
      if (client.isOpen) await client.destroy();
    },
  };
}

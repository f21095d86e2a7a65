/** The client library's way to a server, as far as a connection needs it. */

import { createClient } from 'redis';

/** Where a command goes: to whoever holds the slot of a key, or to a server by its address. */
export type Destination = { readonly key: string } | { readonly server: string };

export interface Line {
  /** It finds the primary after a failover by itself; else it is to be left for a new line. */
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

export interface LineOptions {
  readonly url: string;
  /** How long a command waits for the connection, in milliseconds. */
  readonly waitMs: number;
  /** For TLS: certificates, in PEM, of whom to trust besides the system's. */
  readonly certificates?: string;
  /** How long to wait before the next try, in milliseconds; an error: not to try again. */
  readonly pause: (tries: number, cause: Error) => number | Error;
  readonly onTrouble: (error: unknown) => void;
  readonly onReady: () => void;
}

export const connectTimeoutMs = 5000;

/** A line to one server; the name in its address is looked up anew for each connection. */
export function directLine(options: LineOptions): Line {
  const { url, waitMs, certificates, pause, onTrouble, onReady } = options;
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
      ...(certificates !== undefined && { tls: true, ca: certificates }),
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

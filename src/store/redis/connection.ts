/** A server reached by its own protocol. */

import { setTimeout as wait } from 'node:timers/promises';
import { createClient, ErrorReply } from 'redis';
import type { StoreError } from '../store.ts';
import { shownAddress } from './address.ts';
import type { Commands, Script } from './commands.ts';
import { closed, isPassing, refusal, unreachable } from './errors.ts';

/** Where the server is, and how long it may be away. */
export interface ConnectionOptions {
  /** `redis://user:password@host:6379/0`; `rediss://…` for TLS. */
  readonly url: string;
  /** How long a command waits for a server that does not answer, in milliseconds. Default 10 000. */
  readonly waitMs?: number;
  /** For TLS: certificates, in PEM, of whom to trust besides the system's. */
  readonly certificates?: string;
}

/** A connection, and the one command that is no script. */
export interface Connection extends Commands {
  /** What the server tells about itself, as `INFO` does. */
  info(): Promise<string>;
}

const defaultWaitMs = 10_000;
const connectTimeoutMs = 5000;
const longestPauseMs = 2000;
const retryPauseMs = 50;

/**
 * Connects. A connection that breaks later is made again, for as long as it takes, with pauses that
 * grow to 2 s; what is asked for meanwhile waits for `waitMs` and then fails.
 *
 * @throws {@link StoreError} `refused` at once for a wrong user, password or address; `unreachable`
 *   when no server answers within `waitMs`.
 */
export async function connect({
  url,
  waitMs = defaultWaitMs,
  certificates,
}: ConnectionOptions): Promise<Connection> {
  const server = shownAddress(url);
  const openedAt = performance.now();
  let wasReady = false;
  let isClosed = false;
  let lastTrouble: unknown;
  const ongoing = new Set<Promise<unknown>>();

  const client = createClient({
    url,
    name: 'council',
    // The shape of replies that HTTP gives too.
    RESP: 2,
    maintNotifications: 'disabled',
    commandOptions: { timeout: waitMs },
    socket: {
      connectTimeout: Math.min(connectTimeoutMs, waitMs),
      reconnectStrategy: (retries, cause) => {
        const isRefused = cause instanceof ErrorReply && !isPassing(cause.message);
        const hasTime = performance.now() - openedAt < waitMs;
        if (!wasReady && (isRefused || !hasTime)) return cause;
        return Math.min(longestPauseMs, retryPauseMs * 2 ** Math.min(retries, 10));
      },
      ...(certificates !== undefined && { tls: true, ca: certificates }),
    },
  });
  // Without a listener, the first trouble would end the process. Who asks for something hears of it.
  client.on('error', (error: unknown) => {
    lastTrouble = error;
  });
  client.on('ready', () => {
    wasReady = true;
    lastTrouble = undefined;
  });

  function describe(error: unknown): StoreError {
    const trouble = error instanceof ErrorReply ? error : (lastTrouble ?? error);
    if (trouble instanceof ErrorReply) return refusal(server, trouble.message);
    return unreachable(server, waitMs, trouble);
  }

  /** Sends until there is an answer that is not only for now, or the signal is aborted. */
  async function send(call: readonly string[], signal: AbortSignal): Promise<unknown> {
    for (;;) {
      try {
        return await client.sendCommand([...call], { abortSignal: signal });
      } catch (error) {
        if (signal.aborted) throw error;
        if (error instanceof ErrorReply && !isPassing(error.message)) throw error;
        await wait(retryPauseMs, undefined, { signal });
      }
    }
  }

  /** Gives up on a server that took the call and never answers, as on one that is away. */
  async function bounded(call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    if (isClosed) throw closed(server);
    const giveUp = new AbortController();
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      giveUp.abort();
      reject(new Error('no answer'));
    }, waitMs);
    const answer = Promise.race([call(giveUp.signal), tooLate]);
    ongoing.add(answer);
    try {
      return await answer;
    } catch (error) {
      throw describe(error);
    } finally {
      clearTimeout(timer);
      ongoing.delete(answer);
    }
  }

  async function runScript(
    { sha1, source }: Script,
    rest: readonly string[],
    signal: AbortSignal,
  ): Promise<unknown> {
    try {
      return await send(['EVALSHA', sha1, ...rest], signal);
    } catch (error) {
      if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
      return send(['EVAL', source, ...rest], signal);
    }
  }

  try {
    await bounded(() => client.connect());
  } catch (error) {
    // A server that takes the connection and says nothing leaves it half open.
    if (client.isOpen) client.destroy();
    throw error;
  }

  return {
    run: (script, keys, values) =>
      bounded((signal) => runScript(script, [String(keys.length), ...keys, ...values], signal)),
    info: async () => String(await bounded((signal) => send(['INFO'], signal))),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(ongoing);
      client.destroy();
    },
  };
}

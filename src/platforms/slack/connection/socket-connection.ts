/** Socket Mode: an outgoing connection, so the bot needs no public address. */

import https from 'node:https';
import { type Receiver, SocketModeReceiver } from '@slack/bolt';
import { WebAPIPlatformError } from '@slack/web-api';
import { type Dispatcher, getGlobalDispatcher } from 'undici';
import { z } from 'zod';
import { retry, within } from '../../../waiting.ts';
import { HandlingFailures } from '../../chat/handling-failures.ts';
import { reconnectWaitMs } from '../../chat/pacing/back-off.ts';
import { RateLimitedError, SetupError, UnansweredError } from '../../chat/pacing/platform-error.ts';
import { createSlackApi, type SlackApi } from '../api/slack-api.ts';
import { boltLog } from './bolt.ts';
import type { Connection, ConnectionOptions } from './workspaces.ts';

export type SocketOptions = ConnectionOptions & { readonly appToken: string };

/** Slack renews each socket every few hours, and delivers each event on one of the open ones. */
const socketCount = 2;

/** How long Slack may take to return a socket address. */
const answeredWithinMs = 15_000;

/** How long a socket stays open for renewal until another is connected. Slack closes it about 10 s after announcing it. */
const renewalGraceMs = 10_000;

/** How long Slack may take to confirm that a socket is closed. */
const closedWithinMs = 2000;

export function socketConnection(options: SocketOptions): Connection {
  const { appToken, apiUrl, log, openWithinMs, onFatal, onReconnect } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const access = { tokenOf: () => appToken, apiUrl, timeoutMs: answeredWithinMs };
  /** Uses the app-level token. */
  const api = createSlackApi({ ...access, signal });
  const failures = new HandlingFailures(log);
  const connected = new Set<SocketModeReceiver>();
  const opened = Promise.withResolvers<void>();
  // `open` awaits it, but may not have been called yet.
  opened.promise.catch(() => undefined);
  let isOpen = false;
  let hasTooMany = false;
  /** An outage of hours is one line in the log, whatever the number of sockets. */
  let isTrying = false;
  /** By `performance.now()`; absent while any socket is connected. */
  let silentSince: number | undefined = performance.now();
  /** The library reopens each some seconds after it closes. */
  const sockets = Array.from({ length: socketCount }, newSocket);

  function newSocket(): SocketModeReceiver {
    const logger = boltLog(log);
    const socket = new SocketModeReceiver({
      appToken,
      ...proxied(),
      // The library opens a socket anew after any error.
      logger: { ...logger, error: logger.warn },
      processEventErrorHandler: async ({ error }) => {
        failures.note('an event', error);
        return false;
      },
      installerOptions: {
        clientOptions: {
          slackApiUrl: apiUrl,
          // The client only ever requests a socket address.
          fetch: async () => Response.json({ ok: true, url: await nextAddress() }),
        },
      },
    });
    guard(socket);
    socket.client.on('connected', () => onConnected(socket));
    socket.client.on('close', () => onLost(socket));
    return socket;
  }

  /** The library does not await its handler of frames, so an error in it would end the process. */
  function guard(socket: SocketModeReceiver): void {
    const { client } = socket;
    const listeners = client.listeners('ws_message');
    if (listeners.length === 0) throw new Error('The library no longer listens for ws_message.');
    client.removeAllListeners('ws_message');
    client.on('ws_message', async (...args: readonly unknown[]) => {
      try {
        const reason = disconnectReasonIn(args[0]);
        if (reason !== undefined && !(await mayClose(socket, reason))) return;
        for (const listener of listeners) await Reflect.apply(listener, client, args);
      } catch (error) {
        failures.note('a frame', error);
      }
    });
  }

  /**
   * Waits until another socket is connected, or this one can't wait any longer for its renewal.
   *
   * @returns `false` if Slack has closed the socket meanwhile: the library may already have a new one open.
   */
  async function mayClose(socket: SocketModeReceiver, reason: string): Promise<boolean> {
    // By the same frame, Slack also turns away a new socket.
    if (!connected.has(socket)) {
      if (reason === 'too_many_websockets' && !hasTooMany) log.warn({}, tooManyWords);
      hasTooMany ||= reason === 'too_many_websockets';
      return true;
    }
    const { websocket } = socket.client;
    const others = sockets.filter((other) => other !== socket);
    if (!others.some((other) => connected.has(other))) {
      const another = Promise.race(others.map(nextConnection));
      await within(another, { ms: renewalGraceMs, signal }).catch(() => undefined);
    }
    if (socket.client.websocket !== websocket || !connected.has(socket)) return false;
    onLost(socket);
    return true;
  }

  function onConnected(socket: SocketModeReceiver): void {
    if (isOpen && silentSince !== undefined) {
      log.info({}, 'connected to Slack again');
      onReconnect();
    }
    connected.add(socket);
    silentSince = undefined;
    isTrying = false;
    isOpen = true;
    opened.resolve();
  }

  /** The socket is closed or about to be. */
  function onLost(socket: SocketModeReceiver): void {
    connected.delete(socket);
    if (signal.aborted || connected.size > 0 || silentSince !== undefined) return;
    log.info({}, 'the last socket to Slack closed; reconnecting');
    silentSince = performance.now();
  }

  /**
   * Requests a socket address until Slack returns one. Slack's own client backs off without bound, for hours after
   * an outage of hours, and ends the process when the token is no longer valid. Never settles once Slack has
   * rejected the token: in the library, a failure would end the process as well.
   */
  async function nextAddress(): Promise<string> {
    const pauseAfter = (failed: number, error: unknown) => {
      if (error instanceof SetupError) return undefined;
      const askedForMs = error instanceof RateLimitedError ? error.retryAfterMs : 0;
      const waitMs = Math.max(reconnectWaitMs(failed), askedForMs);
      const reason = error instanceof Error ? error.message : 'unknown';
      if (!isTrying) log.warn({ reason }, 'Slack gave no socket address; trying again');
      isTrying = true;
      return waitMs;
    };
    try {
      return await retry(() => socketAddress(api, signal), pauseAfter, signal);
    } catch (error) {
      if (error instanceof SetupError) {
        opened.reject(error);
        if (isOpen) onFatal(error);
      }
      return new Promise(() => undefined);
    }
  }

  const receiver: Receiver = {
    init: (app) => sockets.forEach((one) => void one.init(app)),
    start: () => Promise.all(sockets.map((one) => one.start())),
    stop: () => Promise.all(sockets.map((one) => one.stop())),
  };

  return {
    receiver,
    redeliveredForMs: 0,
    listeningOn: undefined,

    async open() {
      // If the token was rejected, `opened` already has that error, with the fix.
      receiver.start().catch((cause: unknown) => opened.reject(notOpened(unreachableWords, cause)));
      await within(opened.promise, {
        ms: openWithinMs,
        late: () => notOpened(hasTooMany ? tooManyWords : unreachableWords),
      });
    },

    health: () =>
      failures.health(silentSince, 'connected to Slack', 'waiting for the socket to Slack'),

    async close() {
      if (signal.aborted) return;
      closing.abort();
      opened.reject(new UnansweredError('The socket to Slack was closed before it was open.'));
      await Promise.all(sockets.map(closeSocket));
    },
  };
}

/** Sends the socket through the proxy of the process. Without one, the library's own dispatcher can cut a stalled socket. */
function proxied(): { readonly dispatcher?: Dispatcher } {
  return https.globalAgent.options.proxyEnv ? { dispatcher: getGlobalDispatcher() } : {};
}

/** Resolves when a socket connects the next time. */
function nextConnection({ client }: SocketModeReceiver): Promise<void> {
  return new Promise((resolve) => void client.once('connected', () => resolve()));
}

async function closeSocket(socket: SocketModeReceiver): Promise<void> {
  const { client } = socket;
  // A pending start() rejects on this event, and nothing handles that rejection.
  client.removeAllListeners('disconnected');
  // The library takes half a minute to give up a socket that is still connecting.
  const isConnecting = client.websocket?.readyState === WebSocket.CONNECTING;
  if (isConnecting) await within(nextConnection(socket), { ms: closedWithinMs });
  // A second disconnect() closes the socket without waiting for Slack.
  const timer = setTimeout(() => void client.disconnect(), closedWithinMs);
  await within(client.disconnect(), { ms: 2 * closedWithinMs });
  clearTimeout(timer);
}

const disconnectSchema = z.object({
  type: z.literal('disconnect'),
  reason: z.string().default(''),
});

/** Why Slack will close the socket, if a frame announces it. The library closes it as soon as it sees this frame. */
function disconnectReasonIn(frame: unknown): string | undefined {
  if (typeof frame !== 'string' || !frame.includes('"disconnect"')) return undefined;
  return disconnectSchema.safeParse(JSON.parse(frame)).data?.reason;
}

const tooManyWords =
  'Slack allows an app ten sockets, and other processes have them all; each process of the bot takes two. End some of them, or have Slack send requests over HTTP.';
const unreachableWords =
  'Check https://slack-status.com, and that wss:// addresses of slack.com can be reached from here.';

function notOpened(why: string, cause?: unknown): UnansweredError {
  return new UnansweredError(`The socket to Slack could not be opened in time. ${why}`, { cause });
}

const socketModeOff = 'socket_mode_not_enabled';
/** Slack's error codes for an app token that will never be accepted, besides those of any token. */
const permanentErrorCodes: ReadonlySet<string> = new Set([
  socketModeOff,
  'not_allowed_token_type',
  'missing_scope',
  'no_permission',
  'access_denied',
  'team_disabled',
  'user_removed_from_team',
]);

const openedSchema = z.object({ url: z.string() });

/**
 * Requests a socket address, once.
 *
 * @param api - Uses the app-level token.
 * @throws {SetupError} if the token is rejected; otherwise as {@link SlackApi.call} does.
 */
export async function socketAddress(api: SlackApi, signal?: AbortSignal): Promise<string> {
  try {
    return openedSchema.parse(await api.call('app', 'apps.connections.open', {}, signal)).url;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const word = cause instanceof WebAPIPlatformError ? cause.data.error : '';
    const isRejected = error instanceof SetupError || permanentErrorCodes.has(word);
    throw isRejected ? rejectedAppToken(word) : error;
  }
}

function rejectedAppToken(word: string): SetupError {
  if (word === socketModeOff) {
    return new SetupError(
      'Socket Mode is off for the app, so Slack opens no socket. Switch it on at api.slack.com/apps, under Socket Mode; or have Slack send requests over HTTP.',
    );
  }
  const wrong =
    word === 'missing_scope' || word === 'no_permission'
      ? 'SLACK_APP_TOKEN lacks the scope connections:write.'
      : `Slack does not accept SLACK_APP_TOKEN (${word}).`;
  return new SetupError(
    `${wrong} Make a new one on your app’s page at api.slack.com/apps, under Basic Information, App-Level Tokens, with the scope connections:write; and check that Socket Mode is on.`,
  );
}

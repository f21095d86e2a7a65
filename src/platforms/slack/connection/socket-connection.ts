/** Socket Mode: an outgoing connection, so the bot needs no public address. */

import { AuthorizationError, type Receiver } from '@slack/bolt';
import { WebAPIPlatformError } from '@slack/web-api';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { retry, within } from '../../../waiting.ts';
import { HandlingFailures } from '../../chat/handling-failures.ts';
import { reconnectWaitMs } from '../../chat/pacing/back-off.ts';
import { RateLimitedError, SetupError, UnansweredError } from '../../chat/pacing/platform-error.ts';
import type { ConnectionHealth } from '../../platform.ts';
import { createSlackApi, type SlackApi } from '../api/slack-api.ts';
import { boltLog, isUndecided } from './bolt.ts';
import { Socket } from './socket.ts';
import type { Connection, ConnectionOptions } from './workspaces.ts';

export type SocketOptions = ConnectionOptions & { readonly appToken: string };

/** Slack renews each socket every few hours, and delivers each event on one of the open ones. */
const socketCount = 2;

/** How long Slack may take to return a socket address. */
const answeredWithinMs = 15_000;

/** How long a socket stays open for renewal until another is connected. Slack closes it about 10 s after announcing it. */
const renewalGraceMs = 10_000;

/** A time without any connected socket. */
interface Outage {
  /** By `performance.now()`. */
  readonly since: number;
  /** Milliseconds since 1970; long before `since` if the machine was asleep. */
  readonly lastFrameAt: number;
}

function outageSince(lastFrameAt: number): Outage {
  return { since: performance.now(), lastFrameAt };
}

export class SocketConnection implements Connection {
  readonly receiver: Receiver;
  readonly redeliveredForMs = 0;
  readonly listeningOn = undefined;
  readonly #options: SocketOptions;
  /** Uses the app-level token. */
  readonly #api: SlackApi;
  readonly #failures: HandlingFailures;
  readonly #closing = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  readonly #sockets: readonly Socket[];
  #isOpen = false;
  #isRejected = false;
  /** Absent while any socket is connected. */
  #outage: Outage | undefined = outageSince(Date.now());
  #lastFrameAt = Date.now();

  constructor(options: SocketOptions) {
    this.#options = options;
    const { appToken, apiUrl } = options;
    const { signal } = this.#closing;
    const access = { tokenOf: () => appToken, apiUrl, timeoutMs: answeredWithinMs };
    this.#api = createSlackApi({ ...access, signal });
    this.#failures = new HandlingFailures(options.log);
    this.#sockets = Array.from({ length: socketCount }, () => this.#newSocket());
    const receivers = this.#sockets.map(({ receiver }) => receiver);
    this.receiver = {
      init: (app) => receivers.forEach((one) => void one.init(app)),
      start: () => Promise.all(receivers.map((one) => one.start())),
      stop: () => Promise.all(receivers.map((one) => one.stop())),
    };
    // `open` awaits it, but may not have been called yet.
    this.#opened.promise.catch(() => undefined);
  }

  async open(): Promise<void> {
    const { openWithinMs } = this.#options;
    this.receiver.start().catch((error: unknown) => {
      // If the token was rejected, `opened` already has that error, with the fix.
      this.#opened.reject(
        new UnansweredError(
          'The socket to Slack could not be opened. Check https://slack-status.com, and start again.',
          { cause: error },
        ),
      );
    });
    const late = () => openTimeout(openWithinMs);
    await within(this.#opened.promise, { ms: openWithinMs, late });
  }

  health(): ConnectionHealth {
    const waiting = 'waiting for the socket to Slack';
    return this.#failures.health(this.#outage?.since, 'connected to Slack', waiting);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#opened.reject(new UnansweredError('The socket to Slack was closed before it was open.'));
    await Promise.all(this.#sockets.map((socket) => socket.close()));
  }

  #newSocket(): Socket {
    const { appToken, apiUrl, log } = this.#options;
    return new Socket({
      receiver: {
        appToken,
        logger: boltLog(log),
        processEventErrorHandler: async (failed) => {
          if (!isUndecided(failed.error)) this.#failures.note('an event', failed.error);
          return failed.error instanceof AuthorizationError;
        },
        installerOptions: {
          clientOptions: {
            slackApiUrl: apiUrl,
            // The client only ever requests a socket address.
            fetch: async () => Response.json({ ok: true, url: await this.#address() }),
          },
        },
      },
      onConnected: () => this.#connected(),
      onClosed: () => this.#closed(),
      onFrame: () => {
        this.#lastFrameAt = Date.now();
      },
      onFailure: (what, error) => this.#failures.note(what, error),
      whenReplaceable: (socket) => this.#whenReplaceable(socket),
    });
  }

  /** Never settles once Slack has rejected the token: in the library, a failure would end the process. */
  async #address(): Promise<string> {
    const { signal } = this.#closing;
    try {
      return await retrySocketAddress(this.#api, this.#options.log, signal);
    } catch (error) {
      if (error instanceof SetupError) this.#rejected(error);
      return new Promise(() => undefined);
    }
  }

  #connected(): void {
    const outage = this.#outage;
    this.#outage = undefined;
    if (this.#isOpen && outage) this.#options.onReconnect(outage.lastFrameAt);
    this.#isOpen = true;
    this.#opened.resolve();
  }

  #closed(): void {
    const isConnected = this.#sockets.some(({ isConnected }) => isConnected);
    if (this.#closing.signal.aborted || isConnected || this.#outage) return;
    this.#options.log.info({}, 'the last socket to Slack closed; reconnecting');
    this.#outage = outageSince(this.#lastFrameAt);
  }

  /** Resolves once another socket is connected, or this one can't wait any longer. */
  async #whenReplaceable(socket: Socket): Promise<void> {
    const others = this.#sockets.filter((other) => other !== socket);
    const connected = Promise.race(others.map((other) => other.connected));
    await within(connected, { ms: renewalGraceMs, signal: this.#closing.signal }).catch(
      () => undefined,
    );
  }

  #rejected(error: SetupError): void {
    if (this.#isRejected) return;
    this.#isRejected = true;
    if (this.#isOpen) this.#options.onFatal(error);
    else this.#opened.reject(error);
  }
}

function openTimeout(withinMs: number): UnansweredError {
  return new UnansweredError(
    `The socket to Slack could not be opened within ${withinMs / 1000} s. Check https://slack-status.com, and that wss:// addresses of slack.com can be reached from here.`,
  );
}

/** Slack's error codes for an app token that will never be accepted. */
const permanentErrorCodes: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
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
    throw permanentErrorCodes.has(word) ? rejectedAppToken(word) : error;
  }
}

/**
 * Requests a socket address until Slack returns one. Slack's own client backs off without bound, for hours after
 * an outage of hours, and ends the process when the token is no longer valid.
 *
 * @param signal - Ends every wait; the promise then rejects with its reason.
 * @throws {SetupError} if the token is rejected.
 */
function retrySocketAddress(api: SlackApi, log: Log, signal: AbortSignal): Promise<string> {
  return retry(
    () => socketAddress(api, signal),
    (failures, error) => {
      if (error instanceof SetupError) return undefined;
      const askedForMs = error instanceof RateLimitedError ? error.retryAfterMs : 0;
      const waitMs = Math.max(reconnectWaitMs(failures), askedForMs);
      const reason = error instanceof Error ? error.message : 'unknown';
      log.warn({ reason, waitMs }, 'Slack gave no socket address; trying again');
      return waitMs;
    },
    signal,
  );
}

function rejectedAppToken(word: string): SetupError {
  const wrong =
    word === 'missing_scope' || word === 'no_permission'
      ? 'SLACK_APP_TOKEN lacks the scope connections:write.'
      : `Slack does not accept SLACK_APP_TOKEN (${word}).`;
  return new SetupError(
    `${wrong} Make a new one on your app’s page at api.slack.com/apps, under Basic Information, App-Level Tokens, with the scope connections:write; and check that Socket Mode is on.`,
  );
}

/** Socket Mode: a connection that is opened from here, so that no address has to be reachable. */

import { setTimeout as wait } from 'node:timers/promises';
import { AuthorizationError, SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { linkSignals, within } from '../../../waiting.ts';
import { Mishaps } from '../../chat/mishaps.ts';
import { reconnectWaitMs } from '../../chat/pacing/back-off.ts';
import type { ConnectionHealth } from '../../platform.ts';
import { SlackSetupError, SlackUnanswered } from '../slack-error.ts';
import { boltLog, isUndecided } from './bolt.ts';
import type { Connection, ConnectionOptions } from './workspaces.ts';

export type SocketOptions = ConnectionOptions & { readonly appToken: string };

/** What the library tells itself of: a frame as it came, and what it found in it. */
const heardFrames = [
  ['ws_message', 'a frame'],
  ['slack_event', 'an event'],
] as const;

/** How long the other side may take to answer that the connection is closed. */
const closedWithinMs = 2000;

export class SocketConnection implements Connection {
  readonly receiver: SocketModeReceiver;
  readonly listeningOn = undefined;
  readonly #options: SocketOptions;
  readonly #mishaps: Mishaps;
  readonly #closing = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  #isOpen = false;
  /** Absent while the socket is connected. */
  #silentSince: number | undefined = performance.now();

  constructor(options: SocketOptions) {
    this.#options = options;
    const { appToken, apiUrl, log } = options;
    this.#mishaps = new Mishaps(log);
    this.receiver = new SocketModeReceiver({
      appToken,
      logger: boltLog(log),
      processEventErrorHandler: async (failed) => {
        if (!isUndecided(failed.error)) this.#mishaps.note('an event', failed.error);
        return failed.error instanceof AuthorizationError;
      },
      installerOptions: {
        clientOptions: {
          slackApiUrl: apiUrl,
          // The policy of its retries stays the library's: it is the one that reconnects by, too.
          fetch: createSteadyFetch({
            log,
            signal: this.#closing.signal,
            onRefusal: (word) => this.#refused(refusedAppToken(word)),
          }),
        },
      },
    });
    this.#guard();
    const { client } = this.receiver;
    client.on('connected', () => {
      this.#silentSince = undefined;
      if (this.#isOpen) this.#options.onBack();
      this.#isOpen = true;
      this.#opened.resolve();
    });
    client.on('close', () => {
      if (!this.#closing.signal.aborted && this.#silentSince === undefined) {
        log.info({}, 'the socket to Slack was closed; connecting anew');
      }
      this.#silentSince ??= performance.now();
    });
    // `open` passes a refusal on; it may not have been called yet.
    this.#opened.promise.catch(() => undefined);
  }

  async open(): Promise<void> {
    const { openWithinMs } = this.#options;
    this.receiver.start().catch((error: unknown) => {
      // A refusal of the token comes before this, with what to do about it.
      this.#opened.reject(
        new SlackUnanswered(
          'The socket to Slack could not be opened. Look at https://slack-status.com, and start again.',
          { cause: error },
        ),
      );
    });
    const late = () => unreached(openWithinMs);
    await within(this.#opened.promise, { ms: openWithinMs, late });
  }

  health(): ConnectionHealth {
    const waiting = 'waiting for the socket to Slack';
    return this.#mishaps.health(this.#silentSince, 'connected to Slack', waiting);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#opened.reject(new SlackUnanswered('The socket to Slack was closed before it was open.'));
    const { client } = this.receiver;
    // A connection that is being made waits for this event, and its failure would be an unhandled rejection.
    client.removeAllListeners('disconnected');
    // Asking a second time ends it without the other side.
    const timer = setTimeout(() => void client.disconnect(), closedWithinMs);
    await client.disconnect().finally(() => clearTimeout(timer));
  }

  /** The library handles frames in functions that it does not await: what they throw would end the process. */
  #guard(): void {
    const { client } = this.receiver;
    for (const [event, what] of heardFrames) {
      const hearers = client.listeners(event);
      if (hearers.length === 0) throw new Error(`Nobody hears ${event} in the library any more.`);
      client.removeAllListeners(event);
      client.on(event, async (...told: readonly unknown[]) => {
        try {
          for (const hear of hearers) await Reflect.apply(hear, client, told);
        } catch (error) {
          this.#mishaps.note(what, error);
        }
      });
    }
  }

  #refused(error: SlackSetupError): void {
    if (this.#isOpen) this.#options.onFatal(error);
    else this.#opened.reject(error);
  }
}

/** @param word - Slack's own, e.g. `invalid_auth`. */
export function refusedAppToken(word: string): SlackSetupError {
  const wrong =
    word === 'missing_scope' || word === 'no_permission'
      ? 'SLACK_APP_TOKEN lacks the scope connections:write.'
      : `Slack does not accept SLACK_APP_TOKEN (${word}).`;
  return new SlackSetupError(
    `${wrong} Make a new one on your app’s page at api.slack.com/apps, under Basic Information, App-Level Tokens, with the scope connections:write; and see that Socket Mode is on.`,
  );
}

function unreached(withinMs: number): SlackUnanswered {
  return new SlackUnanswered(
    `The socket to Slack could not be opened within ${withinMs / 1000} s. See that wss:// addresses of slack.com can be reached from here, and look at https://slack-status.com.`,
  );
}

/** How long one request may stay unanswered. */
const answeredWithinMs = 15_000;

/**
 * What Slack says of an app token that no further try mends. All else, e.g. `internal_error`, is
 * left to the library, which tries again.
 */
const finalWords: ReadonlySet<string> = new Set([
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

const refusalSchema = z.object({ ok: z.literal(false), error: z.string() });

export interface SteadyFetchOptions {
  readonly log: Log;
  /** Ends every wait; what was asked for then is never answered. */
  readonly signal: AbortSignal;
  /** Slack said that there is nothing to hope for; that request is never answered either. */
  readonly onRefusal: (word: string) => void;
}

/**
 * The requests with which Socket Mode asks where to connect. Its own policy would wait ever longer,
 * hours after an outage of hours, keep the process from ending meanwhile, and bring the process down
 * when the token is no longer good: so it is given an answer that is worth having, or none.
 */
function createSteadyFetch({ log, signal, onRefusal }: SteadyFetchOptions) {
  const never = new Promise<never>(() => undefined);
  return async (url: string | URL, init?: RequestInit): Promise<Response> => {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const answer = await tryOnce(url, init, signal);
      if (answer instanceof Response && answer.ok) {
        const word = await finalWord(answer.clone());
        if (word === undefined) return answer;
        onRefusal(word);
        return never;
      }
      if (signal.aborted) break;
      const waitMs = reconnectWaitMs(failures);
      const askedForMs = answer instanceof Response ? retryAfterMs(answer) : 0;
      log.warn({ reason: reasonOf(answer), waitMs }, 'Slack names no socket; trying again');
      await wait(Math.max(waitMs, askedForMs), undefined, { signal }).catch(() => undefined);
    }
    return never;
  };
}

async function tryOnce(
  url: string | URL,
  init: RequestInit | undefined,
  signal: AbortSignal,
): Promise<Response | Error> {
  try {
    using soon = linkSignals(signal, AbortSignal.timeout(answeredWithinMs));
    const response = await fetch(url, { ...init, signal: soon.signal });
    // Read here, so that an answer that breaks off is tried again as well.
    const { status, headers } = response;
    return new Response(await response.arrayBuffer(), { status, headers });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function finalWord(answer: Response): Promise<string | undefined> {
  const refusal = refusalSchema.safeParse(await answer.json().catch(() => undefined));
  return refusal.success && finalWords.has(refusal.data.error) ? refusal.data.error : undefined;
}

function retryAfterMs(answer: Response): number {
  const seconds = Number(answer.headers.get('retry-after'));
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** The library's words hold the address at most; the token is in a header, which is never printed. */
function reasonOf(answer: Response | Error): string {
  return answer instanceof Response ? `status ${answer.status}` : answer.message;
}

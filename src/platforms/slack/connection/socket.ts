/** Socket Mode: a connection that is opened from here, so that no address has to be reachable. */

import { AuthorizationError, SocketModeReceiver } from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import { Mishaps } from '../../chat/mishaps.ts';
import type { ConnectionHealth } from '../../platform.ts';
import { SlackSetupError, SlackUnanswered } from '../slack-error.ts';
import { boltLog } from './bolt-log.ts';
import type { Connection } from './connection.ts';
import { createSteadyFetch } from './steady-fetch.ts';
import { isUndecided } from './undecided.ts';

export interface SocketOptions {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly log: Log;
  /** How long the first connection may take before Slack counts as out of reach. */
  readonly openWithinMs: number;
  /** The connection has ended for good; called at most once, and not before it was open. */
  readonly onFatal: (error: SlackSetupError) => void;
  /** It is open again after it was lost. */
  readonly onBack: () => void;
}

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
    // Whoever opens it hears of a refusal; nobody may have yet.
    this.#opened.promise.catch(() => undefined);
  }

  async open(): Promise<void> {
    const { openWithinMs } = this.#options;
    const timer = setTimeout(() => this.#opened.reject(unreached(openWithinMs)), openWithinMs);
    this.receiver.start().catch((error: unknown) => {
      // A refusal of the token comes before this, with what to do about it.
      this.#opened.reject(
        new SlackUnanswered(
          'The socket to Slack could not be opened. Look at https://slack-status.com, and start again.',
          { cause: error },
        ),
      );
    });
    await this.#opened.promise.finally(() => clearTimeout(timer));
  }

  health(): ConnectionHealth {
    if (this.#silentSince === undefined) {
      const text = `connected to Slack${this.#mishaps.inWords}`;
      return { isListening: true, silentMs: 0, text };
    }
    const silentMs = performance.now() - this.#silentSince;
    return { isListening: false, silentMs, text: 'waiting for the socket to Slack' };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#opened.reject(new SlackUnanswered('The socket to Slack was closed before it was open.'));
    const { client } = this.receiver;
    // A connection that is being made waits for this event, and would fail with nobody to hear it.
    client.removeAllListeners('disconnected');
    // Asking a second time ends it without the other side.
    const timer = setTimeout(() => void client.disconnect(), closedWithinMs);
    await client.disconnect().finally(() => clearTimeout(timer));
  }

  /** The library hears frames in functions that nobody awaits: what they throw would end the process. */
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

/** The council in Slack: what people do comes in through Bolt, what is shown goes out over the Web API. */

import { App } from '@slack/bolt';
import type { TurnEvent } from '../../council/events.ts';
import type { ConnectionHealth, Ingress, PresentedTurn, ServedPlatform } from '../platform.ts';
import type { SlackApi } from './api/slack-api.ts';
import { createSlackApi } from './api/slack-web-api.ts';
import { type SlackAccess, workspacesOf } from './connection/access.ts';
import { boltLog } from './connection/bolt-log.ts';
import type { Connection } from './connection/connection.ts';
import { EventsInHand } from './connection/events-in-hand.ts';
import type { FoundWorkspaces, Workspaces } from './connection/workspaces.ts';
import type { SlackLog } from './slack-log.ts';
import { platformName } from './thread-id.ts';

export type { SlackAccess } from './connection/access.ts';

export interface SlackOptions {
  readonly access: SlackAccess;
  readonly log: SlackLog;
  /** Address of the API; absent: Slack's own. */
  readonly apiUrl?: string;
  /** How long one call may take before it counts as unanswered; absent: 15 s. */
  readonly requestTimeoutMs?: number;
  /** How long the first connection may take; absent: 30 s. */
  readonly openWithinMs?: number;
  /** Milliseconds since 1970; absent: the system's clock. */
  readonly now?: () => number;
}

/** What was found at the start. */
export interface SlackReport extends FoundWorkspaces {
  /** The port that requests come to; absent with a socket. */
  readonly listeningOn?: number;
}

export interface Slack extends ServedPlatform {
  /** After the start. */
  report(): SlackReport;
}

const slackApiUrl = 'https://slack.com/api/';
const usualTimeoutMs = 15_000;
const usualOpenWithinMs = 30_000;

export function createSlack(options: SlackOptions): Slack {
  return new SlackPlatform(options);
}

/** How long what was acknowledged may take to be handed in once the process is to end. */
const handedInWithinMs = 3000;

class SlackPlatform implements Slack {
  readonly name = platformName;
  readonly #options: SlackOptions;
  readonly #workspaces: Workspaces;
  readonly #api: SlackApi;
  readonly #inHand = new EventsInHand();
  readonly #finished = Promise.withResolvers<void>();
  readonly #startedAt = performance.now();
  #connection: Connection | undefined;
  #report: SlackReport | undefined;

  constructor(options: SlackOptions) {
    this.#options = options;
    const { access, log, apiUrl, now = Date.now } = options;
    this.#workspaces = workspacesOf(access, log, now);
    this.#api = createSlackApi({
      tokenOf: (team) => this.#workspaces.tokenOf(team),
      timeoutMs: options.requestTimeoutMs ?? usualTimeoutMs,
      ...(apiUrl === undefined ? {} : { apiUrl }),
    });
    // Whoever waits for the end hears of it; nobody has to.
    this.#finished.promise.catch(() => undefined);
  }

  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  health(): ConnectionHealth {
    const silentMs = performance.now() - this.#startedAt;
    const notYet = { isListening: false, silentMs, text: 'connecting to Slack' };
    return this.#connection?.health() ?? notYet;
  }

  report(): SlackReport {
    if (!this.#report) throw new Error('Slack has not been started.');
    return this.#report;
  }

  async start(_ingress: Ingress): Promise<void> {
    const { log, apiUrl = slackApiUrl, openWithinMs = usualOpenWithinMs } = this.#options;
    const found = await this.#workspaces.examine(this.#api);
    const { connection, authorize } = this.#workspaces.connect({
      ...{ log, apiUrl, openWithinMs },
      onFatal: (error) => this.#finished.reject(error),
    });
    const app = new App({
      receiver: connection.receiver,
      // What a conversation is about is in the store; the library would keep every one it hears of.
      convoStore: false,
      logger: boltLog(log),
      clientOptions: { slackApiUrl: apiUrl },
      ...(authorize ? { authorize } : {}),
    });
    app.use(this.#inHand.middleware);
    app.error(async (error) => log.error({ error }, 'an event of Slack could not be handled'));
    this.#connection = connection;
    await connection.open();
    const { listeningOn } = connection;
    this.#report = { ...found, ...(listeningOn === undefined ? {} : { listeningOn }) };
    log.info({ workspaces: found.names.length }, 'connected to Slack');
    for (const gap of found.gaps) log.warn({ ...gap }, `without ${gap.scope}, ${gap.lost}`);
    for (const workspace of found.unreadable) {
      log.error({ workspace }, 'the token of a workspace was kept under another key');
    }
  }

  async present(_turn: PresentedTurn, events: AsyncIterable<TurnEvent>): Promise<void> {
    for await (const _ of events);
  }

  async reply(): Promise<void> {}

  async stop(): Promise<void> {
    await this.#connection?.close();
    await this.#inHand.settled(handedInWithinMs);
  }
}

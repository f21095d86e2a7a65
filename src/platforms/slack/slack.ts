/** The council in Slack: events come in through Bolt, messages go out over the Web API. */

import { App } from '@slack/bolt';
import type { Place, Reply } from '../../../commands/command.ts';
import type { TurnEvent } from '../../council/events.ts';
import type { Heard } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import type { OpenedFile } from '../../domain/source.ts';
import { partsOf } from '../../domain/thread-id.ts';
import { resumeAbandoned } from '../chat/asking/shown-questions.ts';
import { outageWaitsMs, patientWaitsMs } from '../chat/pacing/back-off.ts';
import type { PacingLimits } from '../chat/pacing/call-ledger.ts';
import { createPacer, type Pacer } from '../chat/pacing/pacer.ts';
import { UnansweredError } from '../chat/pacing/platform-error.ts';
import { PersonaNotices } from '../chat/show/personas.ts';
import { presentTurn } from '../chat/show/turn-presenter.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import type { ConnectionHealth, Ingress, PresentedTurn, ServedPlatform } from '../platform.ts';
import { slackLimits, withRetries, withRetryAfter } from './api/patience.ts';
import { createSlackApi, type SlackApi } from './api/slack-api.ts';
import { type SlackAccess, workspacesOf } from './connection/access.ts';
import { boltLog, isUndecided, PendingEvents } from './connection/bolt.ts';
import { type ChannelIdRecords, channelIdsIn } from './connection/channel-ids.ts';
import { cachedIdentities } from './connection/identity.ts';
import {
  type Connection,
  type FoundWorkspaces,
  membershipOf,
  type Workspaces,
} from './connection/workspaces.ts';
import { deliverIn, showReply } from './ingress/answers.ts';
import { listen } from './ingress/listen.ts';
import { EventWatermark, type WatermarkRecords } from './ingress/missed.ts';
import { People } from './ingress/people.ts';
import { addressOf, platformName, readThreadId } from './place.ts';
import { postVerdict, redraw, retract, unpostVerdict } from './presenter/after-turn.ts';
import { SlackCanvases } from './presenter/slack-canvas.ts';
import { hearInSlack, openAttachment, RecentThreads } from './surroundings/hear.ts';

export type { SlackAccess } from './connection/access.ts';

export interface SlackOptions {
  readonly access: SlackAccess;
  readonly commands: readonly KnownCommand[];
  readonly log: Log;
  /** Base address of the API. */
  readonly apiUrl: string;
  /** How long one call may take before it counts as unanswered; absent: 15 s. */
  readonly requestTimeoutMs?: number;
  /** Rate limits of posts and edits; absent: Slack's known limits. */
  readonly limits?: PacingLimits;
  /** Waits before each retry of an unanswered post; absent: about two hours in all. */
  readonly retryWaitsMs?: readonly number[];
  /** Stores changed channel ids; absent: a channel with a new id is a new channel. */
  readonly channelIds?: ChannelIdRecords;
  /** Stores when events last arrived; absent: messages from before the start are ignored. */
  readonly listened?: WatermarkRecords;
  /** Maximum age of a message that was missed during an outage and is still answered; absent: 30 minutes. */
  readonly answerMissedWithinMs?: number;
  /** How long the first connection may take; absent: 30 s. */
  readonly openWithinMs?: number;
  /** Milliseconds since 1970; absent: the system's clock. */
  readonly now?: () => number;
}

/** The state after the start. */
export interface SlackReport extends FoundWorkspaces {
  /** The port for requests; absent with a socket. */
  readonly listeningOn?: number;
}

export interface Slack extends ServedPlatform {
  /** Call it after {@link start}. */
  report(): SlackReport;
}

const noPersonas =
  'I lack the scope **chat:write.customize** in this workspace, so the sages can’t speak under their own names and pictures. A manager of the app can add it on the app’s page, under OAuth & Permissions, and install the app again.';
const noChannelIds: ChannelIdRecords = {
  read: async () => new Map(),
  write: async () => undefined,
};
const noWatermark: WatermarkRecords = {
  read: async () => undefined,
  write: async () => undefined,
};
const usualTimeoutMs = 15_000;
const usualOpenWithinMs = 30_000;
const usualMissedWithinMs = 1_800_000;

export function createSlack(options: SlackOptions): Slack {
  return new SlackPlatform(options);
}

/** How long acknowledged events may delay the shutdown. */
const drainWithinMs = 3000;

class SlackPlatform implements Slack {
  readonly name = platformName;
  readonly post: Slack['post'] = (turn) => postVerdict(turn, this.#api);
  readonly unpost: Slack['unpost'] = (turn) => unpostVerdict(turn, this.#api);
  readonly #options: SlackOptions;
  readonly #workspaces: Workspaces;
  readonly #canvases: SlackCanvases;
  readonly #api: SlackApi;
  readonly #channelIds: ReturnType<typeof channelIdsIn>;
  readonly #identities: ReturnType<typeof cachedIdentities>;
  /** By workspace, because Slack's limits are per workspace. */
  readonly #pacers = new Map<string, Pacer>();
  readonly #people: People;
  readonly #watermark: EventWatermark;
  readonly #recent = new RecentThreads();
  readonly #notices = new PersonaNotices(noPersonas);
  readonly #pending = new PendingEvents();
  readonly #finished = Promise.withResolvers<void>();
  readonly #startedAt = performance.now();
  #connection: Connection | undefined;
  #report: SlackReport | undefined;
  #isStopped = false;

  constructor(options: SlackOptions) {
    this.#options = options;
    const { access, log, apiUrl, now = Date.now } = options;
    this.#workspaces = workspacesOf(access, log, now);
    this.#channelIds = channelIdsIn(options.channelIds ?? noChannelIds, log);
    this.#watermark = new EventWatermark({
      ...{ records: options.listened ?? noWatermark, app: this.#workspaces.fingerprint, log, now },
    });
    this.#api = this.#channelIds.over(
      createSlackApi({
        tokenOf: (team) => this.#workspaces.tokenOf(team),
        ...{ apiUrl, timeoutMs: options.requestTimeoutMs ?? usualTimeoutMs },
      }),
    );
    this.#people = new People({ api: this.#api, log, now });
    const retryWaitsMs = options.retryWaitsMs ?? [...patientWaitsMs, ...outageWaitsMs];
    const patientApi = withRetries(withRetryAfter(this.#api), retryWaitsMs);
    this.#identities = cachedIdentities(patientApi, now);
    this.#canvases = new SlackCanvases({
      ...{ api: this.#api, log, retryWaitsMs },
      pacerOf: (team) => this.#pacerOf(team),
      identityOf: (team) => this.#identities.forceFetch(team),
      onNoPersonas: (team) => this.#notices.missing(team),
    });
    // The error surfaces when `finished` is awaited, possibly never.
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

  async start(ingress: Ingress): Promise<void> {
    const { commands, log, apiUrl, now = Date.now } = this.#options;
    const { openWithinMs = usualOpenWithinMs } = this.#options;
    const { answerMissedWithinMs = usualMissedWithinMs } = this.#options;
    const membership = membershipOf({
      ...{ workspaces: this.#workspaces, api: this.#api, ingress, log },
      isStopping: () => this.#isStopped,
    });
    const found = await membership.examine();
    if (this.#isStopped) throw new UnansweredError('Slack was stopped before it was connected.');
    const answerMissed = async (since: number) => {
      for (const team of found.teams) {
        if (!this.#isStopped) await listener.answerMissed(team, since);
      }
    };
    const { connection, authorize } = this.#workspaces.connect({
      ...{ log, apiUrl, openWithinMs },
      onFatal: (error) => this.#finished.reject(error),
      onReconnect: (lastEventAt) => {
        void membership.check(found.teams);
        void answerMissed(lastEventAt);
      },
    });
    const app = new App({
      receiver: connection.receiver,
      // Bolt would keep the state of every conversation in memory; ours is in the store.
      convoStore: false,
      logger: boltLog(log),
      clientOptions: { slackApiUrl: apiUrl },
      ...(authorize ? { authorize } : {}),
    });
    app.use(this.#pending.middleware);
    app.use(this.#channelIds.middleware);
    const listener = listen(app, {
      ...{ ingress, commands, log, now, answerMissedWithinMs },
      ...{ people: this.#people, recent: this.#recent },
      api: this.#api,
      noticeFor: (team) => this.#notices.take(team),
      onRemoved: (team) => {
        this.#identities.delete(team);
        return membership.onRemoved(team);
      },
      onIdChanged: (team, before, now) => this.#channelIds.changed(team, before, now),
    });
    app.error(async (error) => {
      log.error({ error }, 'a Slack event could not be handled');
      // Otherwise Bolt would acknowledge it.
      if (isUndecided(error)) throw error;
    });
    this.#connection = connection;
    const until = await this.#watermark.read();
    await connection.open();
    const { listeningOn } = connection;
    this.#report = { ...found, ...(listeningOn === undefined ? {} : { listeningOn }) };
    log.info({ workspaces: found.names.length }, 'connected to Slack');
    void membership.check(found.unverified);
    void this.#catchUp(connection, answerMissed, until);
    void resumeAbandoned({
      ...{ ingress, platform: platformName, log },
      open: (question) => listener.asking.openAgain(question),
      refuse: (question, reason) => listener.asking.refuseAgain(question, reason),
      isStopping: () => this.#isStopped,
    });
  }

  /** @param until - When events last arrived, in an earlier process. */
  async #catchUp(
    connection: Connection,
    answerMissed: (since: number) => Promise<void>,
    until: number | undefined,
  ): Promise<void> {
    const { now = Date.now } = this.#options;
    if (until !== undefined && now() - until > connection.redeliveredForMs)
      await answerMissed(until);
    if (!this.#isStopped) await this.#watermark.start(() => connection.health().isListening);
  }

  present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void> {
    return presentTurn(turn, events, shutdown, this.#canvases, this.#options.log);
  }

  #pacerOf(team: string): Pacer {
    const pacer =
      this.#pacers.get(team) ?? createPacer({ limits: this.#options.limits ?? slackLimits });
    this.#pacers.set(team, pacer);
    return pacer;
  }

  async retract(turn: Parameters<Slack['retract']>[0]): Promise<void> {
    const { botId } = await this.#identities.forceFetch(readThreadId(turn.request.threadId).team);
    await retract(turn, this.#api, botId);
  }

  async redraw(turn: Parameters<Slack['redraw']>[0]): Promise<void> {
    const { botId } = await this.#identities.forceFetch(readThreadId(turn.request.threadId).team);
    await redraw(turn, this.#api, botId);
  }

  hear(...[request, known, limits, signal]: Parameters<Slack['hear']>): Promise<Heard> {
    const identityOf = (team: string) => this.#identities.forceFetch(team);
    const options = { api: this.#api, people: this.#people, recent: this.#recent, identityOf };
    return hearInSlack(request, known, limits, options, signal);
  }

  async openFile(...[place, address, signal]: Parameters<Slack['openFile']>): Promise<OpenedFile> {
    const token = await this.#workspaces.tokenOf(partsOf(place).workspace);
    return openAttachment(address, { token, apiUrl: this.#options.apiUrl }, signal);
  }

  isIn(team: string): Promise<boolean> {
    return this.#workspaces.isIn(team, withRetryAfter(this.#api));
  }

  /** A sage's picture is an emoji or an address, so nothing has to be uploaded. */
  sageChanged(): void {}

  linkTo(threadId: string): string {
    return addressOf(threadId);
  }

  async reply({ threadId }: Place, reply: Reply): Promise<void> {
    const place = readThreadId(threadId);
    await showReply(reply, deliverIn(withRetryAfter(this.#api), place));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#watermark.stop();
    await this.#connection?.close();
    await this.#pending.settled(drainWithinMs);
  }
}

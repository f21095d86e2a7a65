/** The council in Slack: events come in through Bolt, messages go out over the Web API. */

import { App } from '@slack/bolt';
import type { HearingLimits } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import { partsOf } from '../../domain/thread-id.ts';
import { resumeAbandoned } from '../chat/asking/shown-questions.ts';
import { eventWatermark, type WatermarkRecords } from '../chat/event-watermark.ts';
import { outageWaitsMs, patientWaitsMs } from '../chat/pacing/back-off.ts';
import type { PacingLimits } from '../chat/pacing/call-ledger.ts';
import { createPacer, type Pacer } from '../chat/pacing/pacer.ts';
import { UnansweredError } from '../chat/pacing/platform-error.ts';
import { presentTurn } from '../chat/show/turn-presenter.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import type { ConnectionHealth, Ingress, Question, ServedPlatform } from '../platform.ts';
import { slackLimits, withRetries, withRetryAfter } from './api/patience.ts';
import { createSlackApi } from './api/slack-api.ts';
import { type SlackAccess, workspacesOf } from './connection/access.ts';
import { boltLog, isUndecided, PendingEvents } from './connection/bolt.ts';
import { type ChannelIdRecords, channelIdsIn } from './connection/channel-ids.ts';
import { cachedIdentities } from './connection/identity.ts';
import { type Connection, type FoundWorkspaces, membershipOf } from './connection/workspaces.ts';
import { listen } from './ingress/listen.ts';
import { peopleOf } from './ingress/people.ts';
import { addressOf, platformName } from './place.ts';
import { afterTurn } from './presenter/after-turn.ts';
import { personaScope, slackCanvases } from './presenter/slack-canvas.ts';
import { addressOfFile, heardByEvents, hearInSlack, openAttachment } from './surroundings/hear.ts';
import { RecentThreads } from './surroundings/recent-threads.ts';

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
  /** Stores changed channel ids. */
  readonly channelIds: ChannelIdRecords;
  /** Stores when events last arrived. */
  readonly listened: WatermarkRecords;
  /** Whether other processes may receive some of the events, as Slack sends each to one of them. */
  readonly sharesEvents: boolean;
  /** How much of a thread comes with a question, as for `Platform.hear`. */
  readonly hearing: HearingLimits;
  /** Maximum age of a message that was missed during an outage and is still answered. */
  readonly answerMissedWithinMs: number;
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
  /** Identifies the app, or its token; contains no secret. */
  appId(): Promise<string>;
  /** Call it after {@link start}. */
  report(): SlackReport;
}

const noPersonas =
  'I lack the scope **chat:write.customize** in this workspace, so the sages can’t speak under their own names and pictures. A manager of the app can add it on the app’s page, under OAuth & Permissions, and install the app again.';
const usualTimeoutMs = 15_000;
const usualOpenWithinMs = 30_000;

/** How long acknowledged events may delay the shutdown. */
const drainWithinMs = 3000;

export function createSlack(options: SlackOptions): Slack {
  const { access, commands, log, apiUrl, answerMissedWithinMs, now = Date.now } = options;
  const { limits = slackLimits, openWithinMs = usualOpenWithinMs } = options;
  const { requestTimeoutMs: timeoutMs = usualTimeoutMs } = options;
  const { retryWaitsMs = [...patientWaitsMs, ...outageWaitsMs] } = options;
  const isForSeveral = access.kind === 'several workspaces';
  const workspaces = workspacesOf(access, log, now);
  const channelIds = channelIdsIn(options.channelIds, log);
  const watermark = eventWatermark(options.listened, workspaces.fingerprint, log, now);
  const tokenOf = (team: string) => workspaces.tokenOf(team);
  let doubt: ((team: string) => void) | undefined;
  const onTokenRefused = (team: string) => doubt?.(team);
  const api = channelIds.over(createSlackApi({ tokenOf, apiUrl, timeoutMs, onTokenRefused }));
  const identities = cachedIdentities(withRetries(withRetryAfter(api), retryWaitsMs), now);
  const identityOf = (team: string) => identities.forceFetch(team);
  const people = peopleOf({ api, log, now });
  const recent = new RecentThreads();
  const hearing = { api, people, recent, identityOf, sharesEvents: options.sharesEvents };
  const pending = new PendingEvents();
  /** By workspace, because Slack's limits are per workspace. */
  const pacers = new Map<string, Pacer>();
  const pacerOf = (team: string) => {
    const pacer = pacers.get(team) ?? createPacer(limits);
    pacers.set(team, pacer);
    return pacer;
  };
  const canvases = slackCanvases({ api, log, retryWaitsMs, pacerOf, identityOf });
  const startedAt = performance.now();
  const finished = Promise.withResolvers<void>();
  // The error surfaces when `finished` is awaited, possibly never.
  finished.promise.catch(() => undefined);
  let connection: Connection | undefined;
  let report: SlackReport | undefined;
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;

  /** The process that runs the turn may be another one, which received none of the events. */
  async function withEvents(question: Question, botId: string | undefined) {
    if (!options.sharesEvents) return question;
    const heard = await heardByEvents(question, botId, options.hearing, hearing);
    return heard.messages.length === 0 ? question : { ...question, heard };
  }

  /** Workspaces of which a manager was told what is missing. */
  const told = new Set<string>();
  async function noticeFor(team: string): Promise<string | undefined> {
    // If Slack does not answer, the next command tells it.
    const { scopes } = await identityOf(team).catch(() => ({ scopes: undefined }));
    if (scopes?.includes(personaScope) !== false || told.has(team)) return undefined;
    told.add(team);
    return noPersonas;
  }

  async function start(ingress: Ingress): Promise<void> {
    const membership = membershipOf({ workspaces, api, ingress, log, isStopping });
    const found = await membership.examine();
    if (isStopping()) throw new UnansweredError('Slack was stopped before it was connected.');
    const answerMissed = () =>
      watermark.hold(async (since) => {
        if (since === undefined || now() - since <= redeliveredForMs || isStopping()) return;
        // At once: Slack limits each workspace, and the last ones would come too late.
        const teams = await membership.teams();
        await Promise.all(teams.map((team) => listener.answerMissed(team, since, stopping.signal)));
      });
    const onReconnect = () => {
      recent.clear();
      void membership.check();
      void answerMissed();
    };
    const { connection: opened, authorize } = workspaces.connect({
      log,
      apiUrl,
      openWithinMs,
      onReconnect,
      onFatal: (error) => finished.reject(error),
    });
    connection = opened;
    const { redeliveredForMs } = opened;
    const app = new App({
      receiver: opened.receiver,
      // Bolt would keep the state of every conversation in memory; ours is in the store.
      convoStore: false,
      logger: boltLog(log),
      clientOptions: { slackApiUrl: apiUrl },
      ...(authorize && { authorize }),
    });
    app.use(pending.middleware);
    app.use(channelIds.middleware);
    const listener = listen(app, {
      ingress,
      commands,
      log,
      now,
      answerMissedWithinMs,
      people,
      recent,
      api,
      withEvents,
      noticeFor,
      identityElsewhere: async (team) =>
        isForSeveral ? identityOf(team).catch(() => undefined) : undefined,
      onRemoved: (team) => {
        identities.delete(team);
        return membership.onRemoved(team);
      },
      onIdChanged: channelIds.changed,
    });
    app.error(async (error) => {
      log.error({ error }, 'a Slack event could not be handled');
      // Otherwise Bolt would acknowledge it.
      if (isUndecided(error)) throw error;
    });
    await opened.open();
    doubt = (team) => void membership.check([team]);
    report = { ...found, ...(opened.listeningOn && { listeningOn: opened.listeningOn }) };
    log.info({ workspaces: found.names.length }, 'connected to Slack');
    for (const gap of found.gaps) log.warn({ ...gap }, `without ${gap.scope}, ${gap.lost}`);
    for (const workspace of found.unreadable) {
      log.error({ workspace }, 'the token of a workspace was encrypted under another key');
    }
    // The only workspace has just been checked.
    if (isForSeveral) void membership.check();
    void answerMissed().then(async () => {
      if (isStopping()) return;
      await watermark.start(
        () => opened.health().isListening,
        (haltedMs) => {
          // A socket is lost in a halt and reconnects; nothing else notices that requests were missed.
          if (redeliveredForMs > 0 && haltedMs > redeliveredForMs) onReconnect();
        },
      );
    });
    void resumeAbandoned({
      ingress,
      platform: platformName,
      log,
      isStopping,
      open: listener.asking.openAgain,
      refuse: listener.asking.refuseAgain,
    });
  }

  return {
    name: platformName,
    appId: async () => workspaces.fingerprint,
    finished: finished.promise,
    start,

    health(): ConnectionHealth {
      const silentMs = performance.now() - startedAt;
      const notYet = { isListening: false, silentMs, text: 'connecting to Slack' };
      return connection?.health() ?? notYet;
    },

    report() {
      if (!report) throw new Error('Slack has not been started.');
      return report;
    },

    present: (turn, events, shutdown) => presentTurn(turn, events, shutdown, canvases, log),
    ...afterTurn({ api, identityOf, log }),

    hear: (request, known, limits, signal) => hearInSlack(request, known, limits, hearing, signal),

    async openFile(place, address, signal) {
      const team = partsOf(place).workspace;
      const at = await addressOfFile(api, team, address, signal);
      return openAttachment(at, { token: await tokenOf(team), apiUrl }, signal);
    },

    isIn: (team) => workspaces.isIn(team, withRetryAfter(api)),

    linkTo: addressOf,

    async stop() {
      stopping.abort();
      await watermark.stop();
      await connection?.close();
      await pending.settled(drainWithinMs);
    },
  };
}

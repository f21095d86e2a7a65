/** The council in Discord: events come in over the gateway, messages go out over REST. */

import './gateway/proxied-sockets.ts';
import type { Client, ClientOptions } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { turnWordsIn } from '../../domain/languages/languages.ts';
import type { Log } from '../../domain/log.ts';
import { followUpNote } from '../chat/asking/asking-words.ts';
import { RefusalBrake } from '../chat/asking/said-questions.ts';
import { resumeAbandoned } from '../chat/asking/shown-questions.ts';
import { eventWatermark, type WatermarkRecords } from '../chat/event-watermark.ts';
import { patientWaitsMs, outageWaitsMs as usualOutageWaitsMs } from '../chat/pacing/back-off.ts';
import type { PacingLimits } from '../chat/pacing/call-ledger.ts';
import { createPacer } from '../chat/pacing/pacer.ts';
import { UnansweredError } from '../chat/pacing/platform-error.ts';
import { presentTurn } from '../chat/show/turn-presenter.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import type { Ingress, PresentedTurn, ServedPlatform } from '../platform.ts';
import { Gateway } from './gateway/gateway.ts';
import { listen } from './ingress/listen.ts';
import { afterTurn } from './presenter/after-turn.ts';
import { discordCanvases } from './presenter/discord-canvas.ts';
import { openingCards } from './presenter/opening-cards.ts';
import type { OwnPicture } from './presenter/persona.ts';
import { definitionOf, register } from './registration.ts';
import { DiscordRest, type DiscordRestOptions } from './rest/discord-rest.ts';
import {
  type Identity,
  inviteLink,
  isInGuild,
  permissionGaps,
  readIdentity,
} from './rest/identity.ts';
import { postMessage } from './rest/messages.ts';
import { discordLimits } from './rest/request-budget.ts';
import { threadOwner } from './rest/threads.ts';
import { hearingOf, openAttachment } from './surroundings/hear.ts';
import {
  addressOfEvent,
  directMessages,
  placeOf,
  platformName,
  readThreadId,
} from './thread-id.ts';

export interface DiscordOptions
  extends Pick<DiscordRestOptions, 'token' | 'api' | 'clock' | 'intercept'> {
  readonly commands: readonly KnownCommand[];
  readonly log: Log;
  /** Reads the picture next to a sage's file; absent: all faces are drawn. */
  readonly ownPicture?: OwnPicture;
  /** Answers what was missed during an outage, up to this age; absent: not at all. */
  readonly missed?: { readonly listened: WatermarkRecords; readonly answerWithinMs: number };
  /** How the gateway's client paces connecting; absent: Discord's defaults. */
  readonly ws?: ClientOptions['ws'];
  /** Rate limits of posts and edits; absent: Discord's known limits. */
  readonly limits?: PacingLimits;
  /** How long one request may take before it counts as unanswered; absent: 15 s. */
  readonly requestTimeoutMs?: number;
  /** Waits before each retry of an unanswered post; absent: about 3 minutes in all. */
  readonly retryWaitsMs?: readonly number[];
  /** Waits before each later retry, which first checks what has been posted; absent: 2 hours in all. */
  readonly outageWaitsMs?: readonly number[];
  /** Milliseconds since 1970; absent: the system's clock. */
  readonly now?: () => number;
  /** How long a lost connection may take to recover before it is replaced; absent: 30 s. */
  readonly deafAfterMs?: number;
}

/** The state after the start. */
export interface DiscordReport {
  /** The link with which a manager adds the bot to a server. */
  readonly inviteLink: string;
  readonly servers: number;
  /** Whether follow-ups in a thread need no mention. */
  readonly readsContent: boolean;
  readonly gaps: ReturnType<typeof permissionGaps>;
}

export interface Discord extends ServedPlatform {
  /** The id of the application that the token belongs to. */
  appId(): Promise<string>;
  /** Call it after {@link start}. */
  report(): DiscordReport;
}

/** How long the start waits for all servers; the report omits those that are unavailable. */
const maxReadyWaitMs = 20_000;
const usualTimeoutMs = 15_000;
const usualDeafAfterMs = 30_000;

export function createDiscord(options: DiscordOptions): Discord {
  const { token, api, ws, log, commands, clock, intercept, missed, now = Date.now } = options;
  const { requestTimeoutMs: timeoutMs = usualTimeoutMs, ownPicture = () => undefined } = options;
  /** Plans requests within the limits, and holds a channel back after a rate limit error. */
  const pacer = createPacer(options.limits ?? discordLimits, clock);
  const rest = new DiscordRest({
    token,
    api,
    timeoutMs,
    clock,
    intercept,
    retryWaitsMs: options.retryWaitsMs ?? patientWaitsMs,
  });
  /**
   * For requests that a person waits for, and for the start: the operator should soon see that Discord
   * can't be reached.
   */
  const briefRest = rest.brief();
  const brake = new RefusalBrake();
  const offered = new LRUCache<string, string>({ max: 1000 });
  const cards = openingCards(rest, pacer, () => whoAmI());
  const canvases = discordCanvases({
    log,
    rest,
    pacer,
    now,
    whoAmI,
    ownPicture,
    cards,
    followUpNote: noteFor,
    outageWaitsMs: options.outageWaitsMs ?? usualOutageWaitsMs,
  });
  const hear = hearingOf(() => whoAmI());
  const finished = Promise.withResolvers<void>();
  const gateway = new Gateway({
    token,
    api,
    ws,
    log,
    timeoutMs,
    deafAfterMs: options.deafAfterMs ?? usualDeafAfterMs,
    onClient: listenTo,
    onFatal: (error) => finished.reject(error),
  });
  let identity: Promise<Identity> | undefined;
  let startedFor: Ingress | undefined;
  let client: Client | undefined;
  let report: DiscordReport | undefined;
  let watermark: ReturnType<typeof eventWatermark> | undefined;
  let isStopping = false;
  // The error surfaces when `finished` is awaited, possibly never.
  finished.promise.catch(() => undefined);

  function whoAmI(by = rest): Promise<Identity> {
    identity ??= readIdentity(by).catch((error: unknown) => {
      identity = undefined;
      throw error;
    });
    return identity;
  }

  async function start(ingress: Ingress): Promise<void> {
    startedFor = ingress;
    const { applicationId, mayReadContent } = await whoAmI(briefRest);
    const isChanged = await register(briefRest, applicationId, definitionOf(commands));
    if (isStopping) throw new UnansweredError('Discord was stopped before it was connected.');
    watermark = missed && eventWatermark(missed.listened, applicationId, log, now);
    await gateway.connect(mayReadContent);
    await gateway.waitUntilReady(maxReadyWaitMs);
    const { readsContent } = gateway;
    const guilds = [...(client?.guilds.cache.values() ?? [])];
    const gaps = permissionGaps(guilds, log);
    const servers = guilds.length;
    report = { inviteLink: inviteLink(applicationId), servers, readsContent, gaps };
    log.info({ servers, readsContent, commandsChanged: isChanged }, 'connected to Discord');
    await watermark?.start(() => gateway.health().isListening);
    void resumeAbandoned({
      ingress,
      platform: platformName,
      log,
      open: async (question) => {
        const place = readThreadId(question.threadId);
        return placeOf({ ...place, thread: (await cards.open(question)).messageId });
      },
      refuse: async (question, reason) => {
        await cards.fail(question, reason);
      },
      isStopping: () => isStopping,
    });
  }

  function listenTo(connecting: Client): void {
    client = connecting;
    if (!startedFor) throw new Error('Discord was connected before it was started.');
    listen(client, {
      ingress: startedFor,
      commands,
      log,
      brake,
      offered,
      cards,
      rest: briefRest,
      now,
      catchUp,
      post: async (thread, message) => {
        const post = { ...message, key: crypto.randomUUID() };
        const send = () => postMessage(rest, thread, post);
        return pacer.post({ thread, channel: thread }, send);
      },
      readsContent: () => gateway.readsContent,
      isStopping: () => isStopping,
    });
  }

  async function catchUp(answer: (since: number) => Promise<void>): Promise<void> {
    await watermark?.hold(async (since) => {
      if (!missed || since === undefined || isStopping) return;
      await answer(Math.max(since, now() - missed.answerWithinMs));
    });
  }

  /** For a turn's card: how to ask a follow-up in this thread. */
  async function noteFor(turn: Pick<PresentedTurn, 'request' | 'followUpMode'>): Promise<string> {
    const { request, followUpMode: mode } = turn;
    const { guild, channel, thread } = readThreadId(request.threadId);
    const mayNeedNone = mode !== 'mention' && thread !== channel && (await readsContent());
    const needsNoMention = mayNeedNone && (await isOwnThread(thread));
    const isDirect = guild === directMessages;
    const where = isDirect ? 'direct message' : needsNoMention ? 'thread' : 'elsewhere';
    return followUpNote({ where, mode, canReply: true }, turnWordsIn(request.language));
  }

  /** Without a connection in this process, another one reads the messages. */
  async function readsContent(): Promise<boolean> {
    return client ? gateway.readsContent : (await whoAmI()).mayReadContent;
  }

  /** An unknown thread is about to be opened for a turn. */
  async function isOwnThread(thread: string): Promise<boolean> {
    if (client) {
      const known = client.channels.cache.get(thread);
      return !known?.isThread() || known.ownerId === client.user?.id;
    }
    const owner = await threadOwner(rest, thread);
    return owner === undefined || owner === (await whoAmI()).userId;
  }

  return {
    name: platformName,
    finished: finished.promise,
    start,
    health: () => gateway.health(),
    appId: async () => (await whoAmI(briefRest)).applicationId,

    report() {
      if (!report) throw new Error('Discord has not been started.');
      return report;
    },

    present: (turn, events, shutdown) => presentTurn(turn, events, shutdown, canvases, log),
    ...afterTurn({ rest: briefRest, pacer, whoAmI: () => whoAmI(briefRest) }),

    hear: (request, known, limits, signal) =>
      hear(briefRest.within(signal), request, known, limits),

    openFile: (_place, address, signal) => openAttachment(address, api, signal),

    linkTo: addressOfEvent,

    sageDismissed(sage) {
      const remove = async () => canvases.facesOf(await whoAmI()).remove(sage);
      remove().catch((error: unknown) => {
        log.info({ sage: sage.key, error }, 'the picture of a sage was not deleted');
      });
    },

    isIn: (guild) => isInGuild(rest, guild),

    async stop() {
      isStopping = true;
      await watermark?.stop();
      await gateway.close();
    },
  };
}

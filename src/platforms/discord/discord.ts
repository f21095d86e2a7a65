/** The council in Discord: events come in over the gateway, messages go out over REST. */

import type { Client, ClientOptions } from 'discord.js';
import type { Log } from '../../domain/log.ts';
import type { Sage } from '../../domain/turn.ts';
import type { FollowUpMode } from '../../settings/file-table.ts';
import { followUpNote } from '../chat/asking/asking-words.ts';
import { RefusalBrake } from '../chat/asking/said-questions.ts';
import { resumeAbandoned } from '../chat/asking/shown-questions.ts';
import { eventWatermark, type WatermarkRecords } from '../chat/event-watermark.ts';
import { patientWaitsMs, outageWaitsMs as usualOutageWaitsMs } from '../chat/pacing/back-off.ts';
import type { PacingLimits } from '../chat/pacing/call-ledger.ts';
import { createPacer, type Pacer } from '../chat/pacing/pacer.ts';
import { UnansweredError } from '../chat/pacing/platform-error.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import type { ConnectionHealth, Ingress, ServedPlatform } from '../platform.ts';
import { Gateway } from './gateway/gateway.ts';
import { listen } from './ingress/listen.ts';
import type { IngressContext } from './ingress/scene.ts';
import { AfterTurn } from './presenter/after-turn.ts';
import { DiscordCanvases } from './presenter/discord-canvas.ts';
import { OpeningCards } from './presenter/opening-cards.ts';
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
import { DiscordHearing, openAttachment } from './surroundings/hear.ts';
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
  /** Call it after {@link start}. */
  report(): DiscordReport;
}

/** How long the start waits for all servers; the report omits those that are unavailable. */
const maxReadyWaitMs = 20_000;
const usualTimeoutMs = 15_000;
const usualDeafAfterMs = 30_000;

export function createDiscord(options: DiscordOptions): Discord {
  return new DiscordPlatform(options);
}

class DiscordPlatform implements Discord {
  readonly name = platformName;
  readonly #options: DiscordOptions;
  readonly #rest: DiscordRest;
  /**
   * For requests that a person waits for, and for the start: the operator should soon see that Discord
   * can't be reached.
   */
  readonly #briefRest: DiscordRest;
  readonly #gateway: Gateway;
  /** Plans requests within the limits, and holds a channel back after a rate limit error. */
  readonly #pacer: Pacer;
  readonly #canvases: DiscordCanvases;
  readonly #afterTurn: AfterTurn;
  readonly #finished = Promise.withResolvers<void>();
  readonly #cards: OpeningCards;
  readonly #hearing = new DiscordHearing(() => this.#whoAmI());
  readonly #brake = new RefusalBrake();
  #identity: Promise<Identity> | undefined;
  #ingress: Ingress | undefined;
  #client: Client | undefined;
  #report: DiscordReport | undefined;
  #watermark: ReturnType<typeof eventWatermark> | undefined;
  #isStopping = false;

  constructor(options: DiscordOptions) {
    const { token, api, ws, log, clock, intercept, limits = discordLimits } = options;
    const timeoutMs = options.requestTimeoutMs ?? usualTimeoutMs;
    this.#options = options;
    this.#pacer = createPacer({ limits, ...(clock && { clock }) });
    this.#rest = new DiscordRest({
      ...{ token, api, timeoutMs, clock, intercept },
      retryWaitsMs: options.retryWaitsMs ?? patientWaitsMs,
    });
    this.#briefRest = this.#rest.brief();
    this.#cards = new OpeningCards(this.#rest, this.#pacer, () => this.#whoAmI());
    this.#canvases = new DiscordCanvases({
      ...{ log, rest: this.#rest, pacer: this.#pacer },
      now: options.now ?? Date.now,
      outageWaitsMs: options.outageWaitsMs ?? usualOutageWaitsMs,
      whoAmI: (rest) => this.#whoAmI(rest),
      ownPicture: options.ownPicture ?? (() => undefined),
      cards: this.#cards,
      followUpNote: (threadId, mode) => this.#followUpNote(threadId, mode),
    });
    this.#afterTurn = new AfterTurn({
      ...{ rest: this.#briefRest, pacer: this.#pacer },
      whoAmI: () => this.#whoAmI(this.#briefRest),
    });
    this.#gateway = new Gateway({
      ...{ token, api, ws, log, timeoutMs },
      deafAfterMs: options.deafAfterMs ?? usualDeafAfterMs,
      onClient: (client) => this.#listen(client),
      onFatal: (error) => this.#finished.reject(error),
    });
    // The error surfaces when `finished` is awaited, possibly never.
    this.#finished.promise.catch(() => undefined);
  }

  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  health(): ConnectionHealth {
    return this.#gateway.health();
  }

  report(): DiscordReport {
    if (!this.#report) throw new Error('Discord has not been started.');
    return this.#report;
  }

  async start(ingress: Ingress): Promise<void> {
    this.#ingress = ingress;
    const { commands, log } = this.#options;
    const identity = await this.#whoAmI(this.#briefRest);
    const { applicationId } = identity;
    const isChanged = await register(this.#briefRest, applicationId, definitionOf(commands));
    if (this.#isStopping) {
      throw new UnansweredError('Discord was stopped before it was connected.');
    }
    const { missed, now = Date.now } = this.#options;
    this.#watermark = missed && eventWatermark(missed.listened, applicationId, log, now);
    await this.#gateway.connect(identity.mayReadContent);
    await this.#gateway.waitUntilReady(maxReadyWaitMs);
    const gaps = this.#client ? permissionGaps(this.#client) : [];
    const { readsContent } = this.#gateway;
    const servers = this.#client?.guilds.cache.size ?? 0;
    this.#report = { inviteLink: inviteLink(applicationId), servers, readsContent, gaps };
    log.info({ servers, readsContent, commandsChanged: isChanged }, 'connected to Discord');
    for (const gap of gaps) log.warn({ ...gap }, `without ${gap.permission}, ${gap.lost}`);
    await this.#watermark?.start(() => this.health().isListening);
    void resumeAbandoned({
      ...{ ingress, platform: platformName, log },
      open: async (question) => {
        const place = readThreadId(question.threadId);
        return placeOf({ ...place, thread: (await this.#cards.open(question)).messageId });
      },
      refuse: async (question, reason) => {
        await this.#cards.fail(question, reason);
      },
      isStopping: () => this.#isStopping,
    });
  }

  readonly present: Discord['present'] = (...turn) => this.#canvases.present(...turn);
  readonly retract: Discord['retract'] = (turn) => this.#afterTurn.retract(turn);
  readonly redraw: Discord['redraw'] = (turn) => this.#afterTurn.redraw(turn);
  readonly post: Discord['post'] = (turn) => this.#afterTurn.post(turn);
  readonly unpost: Discord['unpost'] = (turn) => this.#afterTurn.unpost(turn);
  readonly hear: Discord['hear'] = (request, known, limits, signal) =>
    this.#hearing.hear(this.#briefRest.within(signal), request, known, limits);
  readonly openFile: Discord['openFile'] = (_place, address, signal) =>
    openAttachment(address, this.#options.api, signal);
  readonly linkTo = addressOfEvent;
  readonly sageDismissed = (sage: Sage) => {
    const remove = async () => this.#canvases.facesOf(await this.#whoAmI()).remove(sage);
    remove().catch((error: unknown) => {
      this.#options.log.info({ sage: sage.key, error }, 'the picture of a sage was not deleted');
    });
  };
  readonly isIn: Discord['isIn'] = (guild) => isInGuild(this.#rest, guild);

  readonly #post: IngressContext['post'] = async (thread, message) => {
    const post = { ...message, key: crypto.randomUUID() };
    const send = () => postMessage(this.#rest, thread, post);
    await this.#pacer.post({ thread, channel: thread }, send);
  };

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#watermark?.stop();
    await this.#gateway.close();
  }

  #listen(client: Client): void {
    this.#client = client;
    const ingress = this.#ingress;
    if (!ingress) throw new Error('Discord was connected before it was started.');
    const { commands, log } = this.#options;
    listen(client, {
      ...{ ingress, commands, log, brake: this.#brake },
      ...{ cards: this.#cards, rest: this.#briefRest },
      now: this.#options.now ?? Date.now,
      post: this.#post,
      readsContent: () => this.#gateway.readsContent,
      catchUp: (answer) => this.#catchUp(answer),
      isStopping: () => this.#isStopping,
    });
  }

  async #catchUp(answer: (since: number) => Promise<void>): Promise<void> {
    const { missed, now = Date.now } = this.#options;
    await this.#watermark?.hold(async (since) => {
      if (!missed || since === undefined || this.#isStopping) return;
      await answer(Math.max(since, now() - missed.answerWithinMs));
    });
  }

  #whoAmI(rest = this.#rest): Promise<Identity> {
    this.#identity ??= readIdentity(rest).catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }

  /** For a turn's card: how to ask a follow-up in this thread. */
  async #followUpNote(threadId: string, mode: FollowUpMode): Promise<string> {
    const { guild, channel, thread } = readThreadId(threadId);
    const mayNeedNone = mode !== 'mention' && thread !== channel && (await this.#readsContent());
    const needsNoMention = mayNeedNone && (await this.#isOwnThread(thread));
    const isDirect = guild === directMessages;
    const where = isDirect ? 'direct message' : needsNoMention ? 'thread' : 'elsewhere';
    return followUpNote({ where, mode, canReply: true });
  }

  /** Without a connection in this process, another one reads the messages. */
  async #readsContent(): Promise<boolean> {
    return this.#client ? this.#gateway.readsContent : (await this.#whoAmI()).mayReadContent;
  }

  /** An unknown thread is about to be opened for a turn. */
  async #isOwnThread(thread: string): Promise<boolean> {
    if (this.#client) {
      const known = this.#client.channels.cache.get(thread);
      return !known?.isThread() || known.ownerId === this.#client.user?.id;
    }
    const owner = await threadOwner(this.#rest, thread);
    return owner === undefined || owner === (await this.#whoAmI()).userId;
  }
}

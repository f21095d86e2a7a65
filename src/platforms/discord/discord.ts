/** The council in Discord: what people do comes in over the gateway, what is shown goes out over REST. */

import type { Client, ClientOptions } from 'discord.js';
import type { TurnEvent } from '../../council/events.ts';
import type { Heard } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import type { OpenedFile } from '../../domain/source.ts';
import { RefusalBrake } from '../chat/asking/said-questions.ts';
import { resumeAbandoned } from '../chat/asking/shown-questions.ts';
import { patientWaitsMs, outageWaitsMs as usualOutageWaitsMs } from '../chat/pacing/back-off.ts';
import type { PacingLimits } from '../chat/pacing/call-ledger.ts';
import type { Clock } from '../chat/pacing/call-scheduler.ts';
import { createPacer, type Pacer } from '../chat/pacing/pacer.ts';
import { PersonaNotices } from '../chat/show/personas.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import type { ConnectionHealth, Ingress, PresentedTurn, ServedPlatform } from '../platform.ts';
import { DiscordUnanswered } from './discord-error.ts';
import { Gateway } from './gateway/gateway.ts';
import { inviteLink, type PermissionGap, permissionGaps } from './gateway/permissions.ts';
import { DiscordHearing, openAttached } from './hearing/hear.ts';
import { openAgain } from './ingress/ask-by-interaction.ts';
import { listen } from './ingress/listen.ts';
import { replyMessages } from './ingress/reply-message.ts';
import { FollowUps } from './ingress/scene.ts';
import {
  type AfterVerdictOptions,
  postVerdict,
  redraw,
  retract,
  unpostVerdict,
} from './presenter/after-turn.ts';
import { DiscordCanvases } from './presenter/discord-canvas.ts';
import { OpeningCards } from './presenter/opening-cards.ts';
import { definitionOf, register } from './registration.ts';
import { DiscordRest } from './rest/discord-rest.ts';
import type { OwnPicture } from './rest/faces.ts';
import { type Identity, isInGuild, readIdentity } from './rest/identity.ts';
import { postMessage } from './rest/messages.ts';
import { discordLimits } from './rest/request-budget.ts';
import { ownerOf } from './rest/threads.ts';
import { addressOfEvent, platformName, readThreadId } from './thread-id.ts';

export interface DiscordOptions {
  /** The bot's token. */
  readonly token: string;
  readonly commands: readonly KnownCommand[];
  readonly log: Log;
  /** Reads the picture beside a sage's file; absent: all faces are drawn. */
  readonly ownPicture?: OwnPicture;
  /** Address of the API without version; absent: Discord's own. */
  readonly api?: string;
  /** How the gateway's client paces its own connecting; absent: as Discord asks. */
  readonly ws?: ClientOptions['ws'];
  /** What posts and edits keep to; absent: what Discord is known to allow. */
  readonly limits?: PacingLimits;
  /** How long one request may take before it counts as unanswered; absent: 15 s. */
  readonly requestTimeoutMs?: number;
  /** Waits before each further try of a post that nothing is answered to; absent: some 3 minutes in all. */
  readonly retryWaitsMs?: readonly number[];
  /** Waits before each further try once those are over, each after a look at what is there; absent: 2 hours in all. */
  readonly outageWaitsMs?: readonly number[];
  /** By which limits are kept and waited out; absent: the process's own. */
  readonly clock?: Clock;
  /** Milliseconds since 1970; absent: the system's clock. */
  readonly now?: () => number;
  /** How long a lost connection may take to come back before it is made anew; absent: 30 s. */
  readonly deafAfterMs?: number;
}

/** What was found at the start. */
export interface DiscordReport {
  /** The address at which a manager adds the bot to a server. */
  readonly inviteLink: string;
  readonly servers: number;
  /** Follow-ups in a thread need no mention. */
  readonly readsContent: boolean;
  readonly gaps: readonly PermissionGap[];
}

export interface Discord extends ServedPlatform {
  /** After the start. */
  report(): DiscordReport;
}

const noPersonas =
  'I lack the permission **Manage Webhooks** in this channel, so the sages can’t speak under their own names and pictures. You can grant it in the channel’s settings.';
/** What is told at the start waits for all servers so long; one that is down at Discord's is left out. */
const mostReadyMs = 20_000;
const usualTimeoutMs = 15_000;
const usualDeafAfterMs = 30_000;

export function createDiscord(options: DiscordOptions): Discord {
  return new DiscordPlatform(options);
}

class DiscordPlatform implements Discord {
  readonly name = platformName;
  readonly #options: DiscordOptions;
  readonly #rest: DiscordRest;
  /** For what a person waits for, e.g. the start: the operator wants to hear soon that Discord can't be reached. */
  readonly #briefRest: DiscordRest;
  readonly #gateway: Gateway;
  /** Plans so that no request is one too many, and holds a channel back if one is. */
  readonly #pacer: Pacer;
  readonly #canvases: DiscordCanvases;
  readonly #finished = Promise.withResolvers<void>();
  readonly #cards: OpeningCards;
  readonly #hearing = new DiscordHearing(() => this.#whoAmI());
  readonly #notices = new PersonaNotices(noPersonas);
  readonly #brake = new RefusalBrake();
  readonly #followUps = new FollowUps({
    readsContent: () => this.#readsContent(),
    isOwnThread: (thread) => this.#isOwnThread(thread),
  });
  #identity: Promise<Identity> | undefined;
  #ingress: Ingress | undefined;
  #client: Client | undefined;
  #report: DiscordReport | undefined;
  #isStopping = false;

  constructor(options: DiscordOptions) {
    const { token, api, ws, log } = options;
    const clock = options.clock ? { clock: options.clock } : {};
    this.#options = options;
    this.#pacer = createPacer({
      limits: options.limits ?? discordLimits,
      ...clock,
    });
    const access = {
      token,
      timeoutMs: options.requestTimeoutMs ?? usualTimeoutMs,
      ...(api === undefined ? {} : { api }),
      ...clock,
    };
    this.#rest = new DiscordRest({
      ...access,
      retryWaitsMs: options.retryWaitsMs ?? patientWaitsMs,
    });
    this.#briefRest = new DiscordRest(access);
    this.#cards = new OpeningCards(this.#rest, () => this.#whoAmI());
    this.#canvases = new DiscordCanvases({
      ...{ log, rest: this.#rest, pacer: this.#pacer },
      now: options.now ?? Date.now,
      outageWaitsMs: options.outageWaitsMs ?? usualOutageWaitsMs,
      whoAmI: (rest) => this.#whoAmI(rest),
      ownPicture: options.ownPicture ?? (() => undefined),
      knownCard: (eventId) => this.#cards.take(eventId),
      followUpNote: (threadId, mode) => this.#followUps.noteFor(threadId, mode),
      onNoPersonas: (channelId) => this.#notices.missing(channelId),
    });
    this.#gateway = new Gateway({
      ...{ token, log },
      ...(api === undefined ? {} : { api }),
      ...(ws === undefined ? {} : { ws }),
      timeoutMs: options.requestTimeoutMs ?? usualTimeoutMs,
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
      throw new DiscordUnanswered('Discord was stopped before it was connected.');
    }
    await this.#gateway.connect(identity.mayReadContent);
    await this.#gateway.untilReady(mostReadyMs);
    const gaps = this.#client ? permissionGaps(this.#client) : [];
    const { readsContent } = this.#gateway;
    const servers = this.#client?.guilds.cache.size ?? 0;
    this.#report = { inviteLink: inviteLink(applicationId), servers, readsContent, gaps };
    log.info({ servers, readsContent, commandsChanged: isChanged }, 'connected to Discord');
    for (const gap of gaps) log.warn({ ...gap }, `without ${gap.permission}, ${gap.lost}`);
    void resumeAbandoned({
      ...{ ingress, platform: platformName, log },
      open: (question) => openAgain(question, this.#cards),
      refuse: async (question, reason) => {
        await this.#cards.fail(question, reason);
      },
      isStopping: () => this.#isStopping,
    });
  }

  present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void> {
    return this.#canvases.present(turn, events, shutdown);
  }

  async retract(turn: Parameters<Discord['retract']>[0]): Promise<void> {
    await retract(turn, await this.#afterVerdict());
  }

  readonly redraw: Discord['redraw'] = async (turn) => redraw(turn, await this.#afterVerdict());
  readonly post: Discord['post'] = async (turn) => postVerdict(turn, await this.#afterVerdict());
  readonly unpost: Discord['unpost'] = async (turn) =>
    unpostVerdict(turn, await this.#afterVerdict());

  async #afterVerdict(): Promise<AfterVerdictOptions> {
    const rest = this.#briefRest;
    return { rest, pacer: this.#pacer, identity: await this.#whoAmI(rest) };
  }

  hear(...[request, known, limits, signal]: Parameters<Discord['hear']>): Promise<Heard> {
    return this.#hearing.hear(this.#briefRest.within(signal), request, known, limits);
  }

  sageChanged(...[sage, change]: Parameters<Discord['sageChanged']>): void {
    const { log } = this.#options;
    const changed = this.#whoAmI().then(async (identity) => {
      const faces = this.#canvases.facesOf(identity);
      await (change === 'made' ? faces.of(sage) : faces.remove(sage));
    });
    changed.catch((error: unknown) => {
      log.info({ sage: sage.key, error }, 'the picture of a sage was not updated');
    });
  }

  openFile(...[, address, signal]: Parameters<Discord['openFile']>): Promise<OpenedFile> {
    return openAttached(address, this.#options.api, signal);
  }

  linkTo(threadId: string, event?: string): string {
    return addressOfEvent(threadId, event);
  }

  isIn(guild: string): Promise<boolean> {
    return isInGuild(this.#rest, guild);
  }

  async reply(
    place: { readonly threadId: string },
    reply: Parameters<typeof replyMessages>[0],
  ): Promise<void> {
    const { thread, channel } = readThreadId(place.threadId);
    for (const [index, { components }] of replyMessages(reply).entries()) {
      const key = `reply ${crypto.randomUUID()} ${index}`;
      await this.#pacer.post({ thread, channel }, () =>
        postMessage(this.#rest, thread, { components, isOnlyComponents: true, key }),
      );
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#gateway.close();
    this.#canvases.close();
  }

  #listen(client: Client): void {
    this.#client = client;
    const ingress = this.#ingress;
    if (!ingress) throw new Error('Discord was connected before it was started.');
    const { commands, log } = this.#options;
    listen(client, {
      ...{ ingress, commands, log, brake: this.#brake },
      ...{ cards: this.#cards, followUps: this.#followUps },
      now: this.#options.now ?? Date.now,
      reply: (place, reply) => this.reply(place, reply),
      noticeFor: (channelId) => this.#notices.take(channelId),
      readsContent: () => this.#gateway.readsContent,
      isStopping: () => this.#isStopping,
    });
  }

  #whoAmI(rest = this.#rest): Promise<Identity> {
    this.#identity ??= readIdentity(rest).catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }

  /** Where this process has no connection, another one reads the messages. */
  async #readsContent(): Promise<boolean> {
    return this.#client ? this.#gateway.readsContent : (await this.#whoAmI()).mayReadContent;
  }

  /** One that is not known yet is about to be opened for a turn. */
  async #isOwnThread(thread: string): Promise<boolean> {
    if (this.#client) {
      const known = this.#client.channels.cache.get(thread);
      return !known?.isThread() || known.ownerId === this.#client.user?.id;
    }
    const owner = await ownerOf(this.#rest, thread);
    return owner === undefined || owner === (await this.#whoAmI()).userId;
  }
}

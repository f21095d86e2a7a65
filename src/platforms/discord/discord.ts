/** The council in Discord: what people do comes in over the gateway, what is shown goes out over REST. */

import {
  type Client,
  type ClientOptions,
  Events,
  type Interaction,
  type Message,
} from 'discord.js';
import type { TurnEvent } from '../../council/events.ts';
import { discordLimits, type PacingLimits } from '../pacing/call-limits.ts';
import type { Clock } from '../pacing/call-scheduler.ts';
import { createPacer, type Pacer } from '../pacing/pacer.ts';
import type { Ingress, Platform, PresentedTurn } from '../platform.ts';
import { DiscordRateLimited } from './discord-error.ts';
import type { DiscordLog } from './discord-log.ts';
import { Gateway, type GatewayHealth } from './gateway/gateway.ts';
import { inviteLink, type PermissionGap, permissionGaps } from './gateway/permissions.ts';
import { isAnsweredAlready } from './ingress/first-answer.ts';
import { InteractionHandler } from './ingress/interactions.ts';
import { hearMessage } from './ingress/messages.ts';
import { RefusalBrake } from './ingress/refusal-brake.ts';
import { replyMessages } from './ingress/reply-message.ts';
import { tellFailure } from './ingress/tell-failure.ts';
import { KnownCards } from './known-cards.ts';
import { PersonaNotices } from './persona-notices.ts';
import { outageWaitsMs as usualOutageWaitsMs } from './presenter/outage.ts';
import { Presentations } from './presenter/presentations.ts';
import { definitionOf, type OfferedCommand, register } from './registration.ts';
import { DiscordRest, patientWaitsMs } from './rest/discord-rest.ts';
import { type Identity, readIdentity } from './rest/identity.ts';
import { postMessage } from './rest/messages.ts';
import {
  type DiscordPlace,
  directMessages,
  placeOf,
  platformName,
  readThreadId,
} from './thread-id.ts';

export interface DiscordOptions {
  /** The bot's token. */
  readonly token: string;
  readonly commands: readonly OfferedCommand[];
  readonly log: DiscordLog;
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
  /** Where somebody who manages a server adds the bot. */
  readonly inviteLink: string;
  readonly servers: number;
  /** Follow-ups in a thread need no mention. */
  readonly readsContent: boolean;
  readonly gaps: readonly PermissionGap[];
}

export interface Discord extends Platform {
  /** Rejects when the connection has ended for good, with an error for the operator; never resolves otherwise. */
  readonly finished: Promise<void>;
  health(): GatewayHealth;
  /** After the start. */
  report(): DiscordReport;
}

const usualTimeoutMs = 15_000;
const usualDeafAfterMs = 30_000;

export function createDiscord(options: DiscordOptions): Discord {
  return new DiscordPlatform(options);
}

class DiscordPlatform implements Discord {
  readonly name = platformName;
  readonly #options: DiscordOptions;
  readonly #rest: DiscordRest;
  /** For the start, at which the operator wants to hear soon that Discord can't be reached. */
  readonly #briefRest: DiscordRest;
  readonly #gateway: Gateway;
  /** Plans so that no request is one too many, and holds a channel back where one was all the same. */
  readonly #pacer: Pacer;
  readonly #presentations: Presentations;
  readonly #finished = Promise.withResolvers<void>();
  readonly #cards = new KnownCards();
  readonly #notices = new PersonaNotices();
  readonly #brake = new RefusalBrake();
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
      rateLimitOf: (error) => (error instanceof DiscordRateLimited ? error : undefined),
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
    this.#presentations = new Presentations({
      ...{ log, rest: this.#rest, pacer: this.#pacer },
      now: options.now ?? Date.now,
      outageWaitsMs: options.outageWaitsMs ?? usualOutageWaitsMs,
      whoAmI: (rest) => this.#whoAmI(rest),
      knownCard: (eventId) => this.#cards.take(eventId),
      followUpNote: (threadId) => this.#followUpNote(threadId),
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
    // Whoever waits for the end hears of it; nobody has to.
    this.#finished.promise.catch(() => undefined);
  }

  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  health(): GatewayHealth {
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
    await this.#gateway.connect(identity.mayReadContent);
    const gaps = this.#client ? permissionGaps(this.#client) : [];
    const { readsContent } = this.#gateway;
    const servers = this.#client?.guilds.cache.size ?? 0;
    this.#report = { inviteLink: inviteLink(applicationId), servers, readsContent, gaps };
    log.info({ servers, readsContent, commandsChanged: isChanged }, 'connected to Discord');
    for (const gap of gaps) log.warn({ ...gap }, `without ${gap.permission}, ${gap.lost}`);
  }

  present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown: AbortSignal,
  ): Promise<void> {
    return this.#presentations.present(turn, events, shutdown);
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
    this.#presentations.close();
  }

  #listen(client: Client): void {
    this.#client = client;
    const ingress = this.#ingress;
    if (!ingress) throw new Error('Discord was connected before it was started.');
    const handler = new InteractionHandler({
      ingress,
      commands: this.#options.commands,
      onCard: (eventId, card) => this.#cards.keep(eventId, card),
      noticeFor: (channelId) => this.#notices.take(channelId),
    });
    client.on(Events.InteractionCreate, (interaction) => {
      if (!this.#isStopping) this.#handle(() => handler.handle(interaction), interaction);
    });
    client.on(Events.MessageCreate, (message) => {
      const { readsContent } = this.#gateway;
      if (!this.#isStopping) {
        this.#handle(
          () => hearMessage(message, { ingress, readsContent, brake: this.#brake }),
          message,
        );
      }
    });
  }

  /** What fails is in the log, and whoever waits for an answer is told. */
  #handle(work: () => Promise<void>, event: Interaction | Message): void {
    work().catch(async (error: unknown) => {
      const { log } = this.#options;
      if (isAnsweredAlready(error)) {
        log.info({ eventId: event.id }, 'an interaction was delivered again');
        return;
      }
      log.error({ error, eventId: event.id }, 'an event of Discord could not be handled');
      await tellFailure(event).catch((again: unknown) => {
        log.warn({ error: again, eventId: event.id }, 'nor could the person be told');
      });
    });
  }

  #whoAmI(rest: DiscordRest): Promise<Identity> {
    this.#identity ??= readIdentity(rest).catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }

  /** For the card: which of the two ways to ask a follow-up holds here. */
  async #followUpNote(threadId: string): Promise<string | undefined> {
    const place = readThreadId(threadId);
    if (place.guild === directMessages) return 'Write on to ask a follow-up.';
    const settings = await this.#ingress?.settings(placeOf(place));
    const isFree =
      settings?.followUpMode === 'every_message' &&
      this.#gateway.readsContent &&
      this.#isOwnThread(place);
    return isFree
      ? 'Every message in the thread is a follow-up. Begin with a sage’s name, or reply to it, to hear it alone.'
      : 'Mention me here to ask a follow-up.';
  }

  /** Of the council's own threads; one that is not known yet is about to be opened for the turn. */
  #isOwnThread({ channel, thread }: DiscordPlace): boolean {
    const known = this.#client?.channels.cache.get(thread);
    if (thread === channel) return false;
    return !known?.isThread() || known.ownerId === this.#client?.user?.id;
  }
}

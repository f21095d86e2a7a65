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
import { createPacer, type Pacer } from '../pacing/pacer.ts';
import type { Ingress, Platform, PresentedTurn } from '../platform.ts';
import type { DiscordLog } from './discord-log.ts';
import { FollowUps } from './follow-ups.ts';
import { Gateway, type GatewayHealth } from './gateway/gateway.ts';
import { inviteLink, type PermissionGap, permissionGaps } from './gateway/permissions.ts';
import { askAgain } from './ingress/ask-by-interaction.ts';
import { isAnsweredAlready } from './ingress/first-answer.ts';
import { InteractionHandler } from './ingress/interactions.ts';
import { hearMessage } from './ingress/messages.ts';
import { RefusalBrake } from './ingress/refusal-brake.ts';
import { replyMessages } from './ingress/reply-message.ts';
import { tellFailure } from './ingress/tell-failure.ts';
import { PersonaNotices } from './persona-notices.ts';
import { OpeningCards } from './presenter/opening-cards.ts';
import { TurnPresenter } from './presenter/turn-presenter.ts';
import { definitionOf, type OfferedCommand, register } from './registration.ts';
import { DiscordRest, patientWaitsMs } from './rest/discord-rest.ts';
import { type Identity, readIdentity } from './rest/identity.ts';
import { postMessage } from './rest/messages.ts';
import { ChannelWebhooks } from './rest/webhooks.ts';
import { platformName, readThreadId } from './thread-id.ts';

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
  /** For the start, at which the operator wants to hear soon that Discord can't be reached. */
  readonly #briefRest: DiscordRest;
  readonly #gateway: Gateway;
  /** The library itself waits out a refusal because of limits; this plans so that there are none. */
  readonly #pacer: Pacer;
  readonly #finished = Promise.withResolvers<void>();
  readonly #cards: OpeningCards;
  readonly #notices = new PersonaNotices();
  readonly #brake = new RefusalBrake();
  #identity: Promise<Identity> | undefined;
  #webhooks: Promise<ChannelWebhooks> | undefined;
  #ingress: Ingress | undefined;
  #client: Client | undefined;
  #followUps: FollowUps | undefined;
  #report: DiscordReport | undefined;
  #isStopping = false;

  constructor(options: DiscordOptions) {
    const { token, api, ws, log } = options;
    this.#options = options;
    this.#pacer = createPacer({
      limits: options.limits ?? discordLimits,
      rateLimitOf: () => undefined,
    });
    const access = {
      token,
      timeoutMs: options.requestTimeoutMs ?? usualTimeoutMs,
      ...(api === undefined ? {} : { api }),
    };
    this.#rest = new DiscordRest({
      ...access,
      retryWaitsMs: options.retryWaitsMs ?? patientWaitsMs,
    });
    this.#briefRest = new DiscordRest(access);
    this.#cards = new OpeningCards(this.#rest, () => this.#whoAmI());
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
    await this.#gateway.untilReady(mostReadyMs);
    const gaps = this.#client ? permissionGaps(this.#client) : [];
    const { readsContent } = this.#gateway;
    const servers = this.#client?.guilds.cache.size ?? 0;
    this.#report = { inviteLink: inviteLink(applicationId), servers, readsContent, gaps };
    log.info({ servers, readsContent, commandsChanged: isChanged }, 'connected to Discord');
    for (const gap of gaps) log.warn({ ...gap }, `without ${gap.permission}, ${gap.lost}`);
    void this.#askAbandoned(ingress);
  }

  /** What earlier processes had stored and not shown, or shown and not begun, when they died. */
  async #askAbandoned(ingress: Ingress): Promise<void> {
    const { log } = this.#options;
    const onError = (error: unknown) =>
      log.error(
        { error },
        'an abandoned question could not be taken up; the next start tries again',
      );
    try {
      for (const question of await ingress.abandoned(platformName)) {
        if (this.#isStopping) return;
        log.info({ turnId: question.turnId }, 'an abandoned question is taken up');
        await askAgain(question, { ingress, cards: this.#cards, log }).catch(onError);
      }
    } catch (error) {
      onError(error);
    }
  }

  async present(turn: PresentedTurn, events: AsyncIterable<TurnEvent>): Promise<void> {
    const { log } = this.#options;
    const { turnId } = turn.request;
    try {
      const presenter = await TurnPresenter.open(turn, {
        rest: this.#rest,
        identity: await this.#whoAmI(),
        webhooks: await this.#openWebhooks(),
        log,
        pacer: this.#pacer,
        now: this.#options.now ?? Date.now,
        knownCard: (eventId) => this.#cards.take(eventId),
        followUpNote: async (threadId) => this.#followUps?.noteFor(threadId),
        onNoPersonas: (channelId) => this.#notices.missing(channelId),
      });
      for await (const event of events) presenter.take(event);
      await presenter.finish();
    } catch (error) {
      log.error({ turnId, error }, 'a turn could not be shown');
      // The council goes on, and what it says is kept.
      for await (const _ of events);
    }
  }

  async reply(
    place: { readonly threadId: string },
    reply: Parameters<typeof replyMessages>[0],
  ): Promise<void> {
    const { thread } = readThreadId(place.threadId);
    for (const [index, { components }] of replyMessages(reply).entries()) {
      const key = `reply ${crypto.randomUUID()} ${index}`;
      await postMessage(this.#rest, thread, { components, isOnlyComponents: true, key });
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#gateway.close();
  }

  #listen(client: Client): void {
    this.#client = client;
    const ingress = this.#ingress;
    if (!ingress) throw new Error('Discord was connected before it was started.');
    const followUps = new FollowUps({
      ...{ ingress, client },
      readsContent: () => this.#gateway.readsContent,
    });
    this.#followUps = followUps;
    const handler = new InteractionHandler({
      ...{ ingress, followUps },
      commands: this.#options.commands,
      cards: this.#cards,
      log: this.#options.log,
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
      await tellFailure(event, this.#brake).catch((again: unknown) => {
        log.warn({ error: again, eventId: event.id }, 'nor could the person be told');
      });
    });
  }

  #whoAmI(rest = this.#rest): Promise<Identity> {
    this.#identity ??= readIdentity(rest).catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }

  #openWebhooks(): Promise<ChannelWebhooks> {
    this.#webhooks ??= this.#whoAmI().then(
      ({ applicationId }) => new ChannelWebhooks(this.#rest, applicationId),
    );
    return this.#webhooks;
  }
}

/** The connection over which Discord tells what people do. Nothing is posted through it. */

import {
  Client,
  type ClientOptions,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayCloseCodes,
  GatewayIntentBits,
  type GuildMember,
  Options,
  Partials,
  type User,
} from 'discord.js';
import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import { HandlingFailures } from '../../chat/handling-failures.ts';
import { backOff, reconnectWaitMs } from '../../chat/pacing/back-off.ts';
import type { ConnectionHealth } from '../../platform.ts';
import { DiscordSetupError, DiscordUnanswered } from '../discord-error.ts';
import { handlerSweepInterval, invalidToken, withoutRequest } from '../rest/discord-rest.ts';
import { GatewayShardWatch, guardedStrategy, guardPackets } from './gateway-shards.ts';

export interface GatewayOptions {
  readonly token: string;
  /** Address without version; absent: Discord's own. */
  readonly api?: string;
  /** How the client paces its own connecting; absent: as Discord asks. */
  readonly ws?: ClientOptions['ws'];
  readonly log: Log;
  /** How long one request, e.g. the answer to a command, may take before it counts as unanswered. */
  readonly timeoutMs: number;
  /** How long a connection that was lost may take to come back before it is made anew. */
  readonly deafAfterMs: number;
  /** Listens to a client; called for each one that is made. */
  readonly onClient: (client: Client) => void;
  /** The connection has ended for good; called at most once. */
  readonly onFatal: (error: Error) => void;
}

/**
 * This client mostly answers interactions, which Discord excepts from its limit of 50 requests a
 * second and wants answered within 3 s; the library would count them.
 */
const answersPerSecond = 500;

/** How many people are remembered, of a server and in all; the bot itself always is. */
const mostMembers = 200;
const mostUsers = 1000;

const basicIntents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
];

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #failures: HandlingFailures;
  #client: Client | undefined;
  #watch: GatewayShardWatch | undefined;
  #readsContent = false;
  #isClosed = false;
  #isReconnecting = false;
  /** Absent while events come in on every gateway shard. */
  #silentSince: number | undefined = performance.now();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#failures = new HandlingFailures(options.log);
  }

  /** Whether messages come with their text, also where the bot is not mentioned. */
  get readsContent(): boolean {
    return this.#readsContent;
  }

  /**
   * Connects, with the text of messages if that is allowed and without it otherwise.
   *
   * @throws {DiscordSetupError} for what the operator has to change; {DiscordUnanswered} when
   *   Discord can't be reached.
   */
  async connect(mayReadContent: boolean): Promise<void> {
    try {
      await this.#login(mayReadContent);
    } catch (error) {
      if (!mayReadContent || !isDisallowedIntents(error)) throw setupError(error);
      this.#options.log.warn({}, contentRefused);
      await this.#login(false).catch((again: unknown) => {
        throw setupError(again);
      });
    }
  }

  /** Waits until Discord has named all servers, at most `atMostMs`. */
  async untilReady(atMostMs: number): Promise<void> {
    const client = this.#client;
    if (!client || client.isReady()) return;
    const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
    await within(ready, { ms: atMostMs });
  }

  /** Listening while events come in on every gateway shard. */
  health(): ConnectionHealth {
    const silent = this.#watch?.silentShards ?? [];
    const where = silent.length > 0 ? ` on gateway shard ${silent.join(', ')}` : '';
    const waiting = `waiting for Discord${where}`;
    return this.#failures.health(this.#silentSince, 'connected to Discord', waiting);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch?.end();
    await this.#client?.destroy();
  }

  async #login(withContent: boolean): Promise<void> {
    const { token, api, ws, onClient, log, timeoutMs, deafAfterMs } = this.#options;
    const client = new Client({
      intents: withContent ? [...basicIntents, GatewayIntentBits.MessageContent] : basicIntents,
      // Direct messages come from channels that the client has never heard of; no message is kept, and edits are heard.
      partials: [Partials.Channel, Partials.Message],
      shards: 'auto',
      // Who says something comes with it. Kept for every channel and everybody, it would fill the memory.
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        ReactionManager: 0,
        GuildMemberManager: { maxSize: mostMembers, keepOverLimit: isOwn },
        UserManager: { maxSize: mostUsers, keepOverLimit: isOwn },
      }),
      // Discord announces an archived thread again when a person writes in it.
      sweepers: { ...Options.DefaultSweeperSettings, threads: { interval: 60, lifetime: 120 } },
      allowedMentions: { parse: [], repliedUser: false },
      rest: {
        retries: 0,
        timeout: timeoutMs,
        globalRequestsPerSecond: answersPerSecond,
        handlerSweepInterval,
        ...(api === undefined ? {} : { api }),
      },
      ws: { ...ws, buildStrategy: guardedStrategy(this.#failures) },
    });
    guardPackets(client, this.#failures);
    this.#client = client;
    this.#readsContent = withContent;
    const watch = new GatewayShardWatch(client, deafAfterMs, {
      deaf: (shard) => {
        log.error({ gatewayShard: shard, deafAfterMs }, 'Discord went silent; reconnecting');
        void this.#reconnect();
      },
      change: () => {
        const isSilent = watch.silentShards.length > 0;
        this.#silentSince = isSilent ? (this.#silentSince ?? performance.now()) : undefined;
      },
    });
    this.#watch = watch;
    client.on(Events.ClientReady, () => {
      this.#silentSince = undefined;
    });
    client.on(Events.Error, (error) => {
      log.error({ error: withoutRequest(error) }, 'a Discord event failed');
    });
    client.on(Events.ShardError, (error, shard) => {
      log.warn({ error, gatewayShard: shard }, 'the connection to Discord broke');
    });
    client.on(Events.ShardDisconnect, ({ code }) => {
      if (this.#client !== client || !client.isReady()) return;
      const isRefused = code === GatewayCloseCodes.DisallowedIntents;
      // Connecting again finds out which intents are allowed now.
      if (isRefused && withContent) void this.#reconnect();
      else this.#end(closedWith(code));
    });
    onClient(client);
    await client.login(token);
  }

  /** Gives the old connection up, with what it would have replayed, and identifies anew. */
  async #reconnect(): Promise<void> {
    if (this.#isReconnecting) return;
    this.#isReconnecting = true;
    this.#silentSince ??= performance.now();
    const withContent = this.#readsContent;
    for (let failures = 1; !this.#isClosed; failures += 1) {
      this.#watch?.end();
      try {
        await this.#client?.destroy();
        if (!this.#isClosed) await this.connect(withContent);
        break;
      } catch (error) {
        const reason = setupError(error);
        if (reason instanceof DiscordSetupError) return this.#end(reason);
        this.#options.log.warn({ error: reason }, 'Discord can’t be reached; trying again');
        await backOff(reconnectWaitMs(failures));
      }
    }
    this.#isReconnecting = false;
  }

  #end(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watch?.end();
    this.#options.onFatal(error);
  }
}

/** What the bot may do is read from its own member. */
function isOwn({ id, client }: GuildMember | User): boolean {
  return id === client.user.id;
}

const contentRefused =
  'Discord does not allow the bot to read messages, so a follow-up has to mention it. To change that, switch on “Message Content Intent” in the developer portal, under Bot.';

function isDisallowedIntents(error: unknown): boolean {
  return error instanceof Error && /disallowed intents/i.test(error.message);
}

function setupError(error: unknown): Error {
  if (error instanceof DiscordSetupError || error instanceof DiscordUnanswered) return error;
  const isInvalid =
    (error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid) ||
    (error instanceof DiscordAPIError && error.status === 401);
  if (isInvalid) return invalidToken();
  if (isDisallowedIntents(error)) return closedWith(GatewayCloseCodes.DisallowedIntents);
  const reason = error instanceof Error ? error.message : 'the reason is unknown';
  if (/authentication failed/i.test(reason)) return invalidToken();
  return new DiscordUnanswered(
    `Discord can't be reached: ${reason}. Check the connection to the internet, or https://discordstatus.com.`,
  );
}

/** The gateway closed with a code that no reconnecting fixes. */
function closedWith(code: number): DiscordSetupError {
  if (code === GatewayCloseCodes.AuthenticationFailed) return invalidToken();
  if (code === GatewayCloseCodes.DisallowedIntents) {
    return new DiscordSetupError(
      'Discord does not allow the intents that the bot asks for. Look in the developer portal, under Bot, whether the application is in good standing.',
    );
  }
  return new DiscordSetupError(
    `Discord closed the connection for good (code ${code}: ${GatewayCloseCodes[code] ?? 'unknown'}). Start again; if it stays so, update Council.`,
  );
}

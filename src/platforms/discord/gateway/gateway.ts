/** The gateway connection, which receives events from Discord. Messages are posted over REST. */

import {
  Client,
  type ClientOptions,
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
import { SetupError, UnansweredError } from '../../chat/pacing/platform-error.ts';
import type { ConnectionHealth } from '../../platform.ts';
import {
  type DiscordRestOptions,
  handlerSweepInterval,
  invalidToken,
  keepToken,
  makeRequest,
  withoutRequest,
} from '../rest/discord-rest.ts';
import { GatewayShardWatch, guardedStrategy, guardPackets } from './gateway-shards.ts';

export interface GatewayOptions extends Pick<DiscordRestOptions, 'token' | 'api' | 'timeoutMs'> {
  /** How the client paces connecting; absent: Discord's defaults. */
  readonly ws?: ClientOptions['ws'] | undefined;
  readonly log: Log;
  /** How long a lost connection may take to recover before it is replaced. */
  readonly deafAfterMs: number;
  /** Adds listeners to a client; called for each new client. */
  readonly onClient: (client: Client) => void;
  /** Called at most once, when the connection has ended for good. */
  readonly onFatal: (error: Error) => void;
}

/** How many people are cached per server and in all; the bot itself always is. */
const maxMembers = 200;
const maxUsers = 1000;

const basicIntents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
];

/** Discord admits one gateway shard every 5 s. */
const loginWithinMs = 300_000;

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #failures: HandlingFailures;
  #client: Client | undefined;
  #watch: GatewayShardWatch | undefined;
  #readsContent = false;
  #isClosed = false;
  #isReconnecting = false;
  /** By `performance.now()`; absent while every gateway shard receives events. */
  #silentSince: number | undefined = performance.now();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#failures = new HandlingFailures(options.log);
  }

  /** Whether Discord sends the text of messages that don't mention the bot. */
  get readsContent(): boolean {
    return this.#readsContent;
  }

  /**
   * Connects with the text of messages if allowed, otherwise without.
   *
   * @throws {SetupError} if the operator has to change something; {UnansweredError} if Discord
   *   can't be reached.
   */
  async connect(mayReadContent: boolean): Promise<void> {
    try {
      await this.#login(mayReadContent);
    } catch (error) {
      if (!mayReadContent || !isDisallowedIntents(error)) throw setupError(error);
      this.#options.log.warn({}, contentRefused);
      await this.connect(false);
    }
  }

  /** Waits until Discord has listed all servers, at most `atMostMs`. */
  async waitUntilReady(atMostMs: number): Promise<void> {
    const client = this.#client;
    if (!client || client.isReady()) return;
    const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
    await within(ready, { ms: atMostMs });
  }

  /** Reports `isListening` while every gateway shard receives events. */
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
      // Direct messages come from uncached channels, and edits concern uncached messages.
      partials: [Partials.Channel, Partials.Message],
      shards: 'auto',
      // Messages include their authors. A cache of every channel and member would fill the memory.
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        ReactionManager: 0,
        GuildMemberManager: { maxSize: maxMembers, keepOverLimit: isSelf },
        UserManager: { maxSize: maxUsers, keepOverLimit: isSelf },
      }),
      // Discord sends an archived thread again when someone writes in it.
      sweepers: { ...Options.DefaultSweeperSettings, threads: { interval: 60, lifetime: 120 } },
      allowedMentions: { parse: [], repliedUser: false },
      rest: {
        retries: 0,
        timeout: timeoutMs,
        handlerSweepInterval,
        makeRequest,
        ...(api === undefined ? {} : { api }),
      },
      ws: { ...ws, buildStrategy: guardedStrategy(this.#failures) },
    });
    keepToken(client.rest, token);
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
      // Reconnecting shows which intents are allowed now.
      if (isRefused && withContent) void this.#reconnect();
      else this.#end(closedWith(code));
    });
    onClient(client);
    const late = () => new Error(`no connection within ${loginWithinMs / 1000} s`);
    await within(client.login(token), { ms: loginWithinMs, late });
  }

  /** Drops the old connection, with the events it could have replayed, and identifies again. */
  async #reconnect(): Promise<void> {
    if (this.#isReconnecting) return;
    this.#isReconnecting = true;
    this.#silentSince ??= performance.now();
    const { log } = this.#options;
    const withContent = this.#readsContent;
    for (let failures = 1; !this.#isClosed; failures += 1) {
      this.#watch?.end();
      try {
        await this.#client?.destroy();
        if (this.#isClosed) break;
        await this.connect(withContent);
        log.info({}, 'connected to Discord again');
        break;
      } catch (error) {
        const reason = setupError(error);
        if (reason instanceof SetupError) return this.#end(reason);
        // An outage of hours is one line.
        if (failures === 1) log.warn({ error: reason }, 'Discord can’t be reached; trying again');
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

/** The bot's permissions are read from its own member. */
function isSelf({ id, client }: GuildMember | User): boolean {
  return id === client.user.id;
}

const contentRefused =
  'Discord does not allow the bot to read messages, so a follow-up has to mention it. To change that, switch on “Message Content Intent” in the developer portal, under Bot.';

function isDisallowedIntents(error: unknown): boolean {
  return error instanceof Error && /disallowed intents/i.test(error.message);
}

function setupError(error: unknown): Error {
  if (error instanceof SetupError || error instanceof UnansweredError) return error;
  const isInvalid =
    error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
  if (isInvalid) return invalidToken();
  if (isDisallowedIntents(error)) return closedWith(GatewayCloseCodes.DisallowedIntents);
  const reason = error instanceof Error ? error.message : 'the reason is unknown';
  if (/authentication failed/i.test(reason)) return invalidToken();
  return new UnansweredError(
    `Discord can't be reached: ${reason}. Check the connection to the internet, or https://discordstatus.com.`,
  );
}

/** The error for a close code after which reconnecting can't help. */
function closedWith(code: number): SetupError {
  if (code === GatewayCloseCodes.AuthenticationFailed) return invalidToken();
  if (code === GatewayCloseCodes.DisallowedIntents) {
    return new SetupError(
      'Discord does not allow the intents that the bot asks for. Check in the developer portal, under Bot, that the application is in good standing.',
    );
  }
  return new SetupError(
    `Discord closed the connection for good (code ${code}: ${GatewayCloseCodes[code] ?? 'unknown'}). Restart Council; if it happens again, update it.`,
  );
}

/** A whole bot with scripted models in the Discord on loopback. */

import { commands } from '../../../commands/index.ts';
import type { CouncilModels } from '../../../src/council/council.ts';
import { type Log, silentLog } from '../../../src/domain/log.ts';
import type { PacingLimits } from '../../../src/platforms/chat/pacing/call-ledger.ts';
import type { Clock } from '../../../src/platforms/chat/pacing/call-scheduler.ts';
import { createDiscord, type Discord } from '../../../src/platforms/discord/discord.ts';
import type { OwnPicture } from '../../../src/platforms/discord/presenter/persona.ts';
import { discordLimits } from '../../../src/platforms/discord/rest/request-budget.ts';
import type { Store } from '../../../src/store/store.ts';
import { type BotChanges, startBot, type TestBot } from '../../bot/bot-fixture.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { DiscordOptions, FakeDiscord } from '../../fakes/discord/discord.ts';

/** What the platform logged, by level. */
export interface Logged {
  readonly log: Log;
  readonly lines: string[];
}

export function recordingLog(): Logged {
  const lines: string[] = [];
  const write = (level: string) => (facts: object, sentence: string) => {
    const error = 'error' in facts ? ` (${String(facts.error)})` : '';
    lines.push(`${level} ${sentence}${error}`);
  };
  const log = { ...silentLog, info: write('info'), warn: write('warn'), error: write('error') };
  return { lines, log };
}

/** What tests of other things need not wait for. */
export interface Pace {
  /** Absent: Discord's, but for edits. */
  readonly limits?: PacingLimits;
  readonly deafAfterMs?: number;
  /** By which limits are kept and waited out. */
  readonly pacingClock?: Clock;
  /** Absent: 1 s. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds since 1970; absent: the system's clock. */
  readonly now?: () => number;
  readonly ownPicture?: OwnPicture;
  /** Absent: what is missed is not answered. */
  readonly missed?: NonNullable<Parameters<typeof createDiscord>[0]['missed']>;
}

/** The platform, pointed at the fake; it need not wait between two identifies. */
export function discordAt(discord: FakeDiscord, log: Log, pace: Pace = {}): Discord {
  const { limits = { ...discordLimits, editGapMs: 20 }, deafAfterMs = 300, pacingClock } = pace;
  const { requestTimeoutMs = 1000, now, ownPicture, missed } = pace;
  return createDiscord({
    ...(now ? { now } : {}),
    ...(ownPicture ? { ownPicture } : {}),
    ...(missed ? { missed } : {}),
    limits,
    deafAfterMs,
    requestTimeoutMs,
    ...(pacingClock ? { clock: pacingClock } : {}),
    token: discord.token,
    commands,
    log,
    api: discord.api,
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  });
}

export interface CouncilInDiscord extends AsyncDisposable {
  readonly discord: FakeDiscord;
  readonly guild: ReturnType<FakeDiscord['addGuild']>;
  readonly channel: ReturnType<FakeDiscord['addChannel']>;
  /** A member without any special permission. */
  readonly ada: ReturnType<FakeDiscord['addMember']>;
  readonly platform: Discord;
  readonly bot: TestBot;
  readonly lines: readonly string[];
}

type FakeWorld = Awaited<ReturnType<typeof startWorld>>;

/** Connects a bot to a world that is there already, e.g. after an earlier bot was stopped. */
export async function joinWorld(
  { discord, guild, channel, ada }: Omit<FakeWorld, typeof Symbol.asyncDispose>,
  models: CouncilModels,
  changes: Pace & { readonly bot?: BotChanges; readonly store?: Store } = {},
): Promise<CouncilInDiscord> {
  const { log, lines } = recordingLog();
  const platform = discordAt(discord, log, changes);
  const bot = await startBot(models, { platforms: [platform], ...changes.bot }, changes.store);
  return {
    discord,
    guild,
    channel,
    ada,
    platform,
    bot,
    lines,
    [Symbol.asyncDispose]: async () => {
      await bot.shutDown();
    },
  };
}

/** A server with a channel, a member, and the bot. */
export async function startCouncil(
  models: CouncilModels,
  options: DiscordOptions &
    Pace & {
      readonly bot?: BotChanges;
      /** Changes the world before the bot comes. */
      readonly before?: (world: FakeWorld) => void;
    } = {},
): Promise<CouncilInDiscord> {
  const world = await startWorld(options);
  options.before?.(world);
  const council = await joinWorld(world, models, options);
  return {
    ...council,
    [Symbol.asyncDispose]: async () => {
      await council[Symbol.asyncDispose]();
      await world.discord.close();
    },
  };
}

/** `/council ask` as a member gives it. */
export function ask(
  { discord, channel, ada }: Pick<CouncilInDiscord, 'discord' | 'channel' | 'ada'>,
  question: string,
  options: Readonly<Record<string, string>> = {},
) {
  return discord.slash({
    user: ada,
    channel,
    command: 'council',
    subcommand: 'ask',
    options: { question, ...options },
  });
}

/** All text of a message: its content and what its components show. */
export function textOf(message: {
  readonly wire: { content: string; components?: unknown };
}): string {
  const shown: string[] = [message.wire.content];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) collect(one);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if ((name === 'content' || name === 'label') && typeof inner === 'string')
          shown.push(inner);
        // What a menu offers is plain text: Discord makes nothing of what stands in it.
        else if (name !== 'options') collect(inner);
      }
    }
  };
  collect(message.wire.components);
  return shown.join('\n');
}

/** The files that go with a message. */
export function filesOf(
  { state }: FakeDiscord,
  { wire }: { readonly wire: { readonly attachments: readonly { readonly url: string }[] } },
): readonly { readonly name: string; readonly text: string }[] {
  return wire.attachments.flatMap(({ url }) => {
    const file = state.files.get(new URL(url).pathname);
    return file ? [{ name: file.name, text: Buffer.from(file.bytes).toString() }] : [];
  });
}

/** Sets what begins a follow-up in the channel, as a manager would. */
export async function setFollowUps(
  council: Pick<CouncilInDiscord, 'bot' | 'guild' | 'channel'>,
  mode: 'asked' | 'mention' | 'everything',
): Promise<void> {
  await setHere(council, { followUpMode: mode });
}

/** Sets what a manager may set for the channel. */
export async function setHere(
  { bot, guild, channel }: Pick<CouncilInDiscord, 'bot' | 'guild' | 'channel'>,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const threadId = `discord:${guild.id}:${channel.id}:${channel.id}`;
  await bot.bot.command({
    place: { platform: 'discord', workspace: guild.id, channel: channel.id, threadId },
    person: { id: 'manager', name: 'Mia', isManager: true, isServerManager: true },
    command: 'config',
    options: { changes },
  });
}

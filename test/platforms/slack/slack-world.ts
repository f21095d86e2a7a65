/** A whole bot with scripted models in the Slack on loopback. */

import { commands } from '../../../commands/index.ts';
import { listenedRecords, slackChannelIds } from '../../../src/app/platforms.ts';
import type { BotOptions } from '../../../src/bot/bot.ts';
import type { CouncilModels } from '../../../src/council/council.ts';
import type { PacingLimits } from '../../../src/platforms/chat/pacing/call-ledger.ts';
import { slackLimits } from '../../../src/platforms/slack/api/patience.ts';
import { createSlack, type Slack } from '../../../src/platforms/slack/slack.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { startBot, type TestBot } from '../../bot/bot-fixture.ts';
import { type FakeSlack, type SlackOptions, startSlack } from '../../fakes/slack/slack.ts';
import { recordingLog } from '../discord/discord-world.ts';

export interface SlackWorld {
  readonly slack: FakeSlack;
  readonly channel: Awaited<ReturnType<FakeSlack['addChannel']>>;
  /** Manages the workspace. */
  readonly boss: ReturnType<FakeSlack['addMember']>;
  /** A member without any special right. */
  readonly ada: ReturnType<FakeSlack['addMember']>;
}

export interface CouncilInSlack extends SlackWorld, AsyncDisposable {
  readonly platform: Slack;
  readonly bot: TestBot;
  readonly lines: readonly string[];
}

export interface CouncilOptions extends SlackOptions {
  readonly bot?: Partial<BotOptions>;
  readonly store?: Store;
  /** Absent: Slack's, but for edits. */
  readonly pacing?: PacingLimits;
  /** Waits before each further try of what nothing is answered to; absent: as usual. */
  readonly retryWaitsMs?: readonly number[];
  /** What people do comes as signed requests instead of over a socket. */
  readonly isOverHttp?: boolean;
  /** Absent: no. */
  readonly sharesEvents?: boolean;
  /** The platform's clock; absent: the system's. */
  readonly now?: () => number;
  /** What is set for the bot; absent: the token that is good. */
  readonly botToken?: string;
}

export async function startSlackWorld(options?: SlackOptions): Promise<SlackWorld> {
  const slack = await startSlack(options);
  const boss = slack.addMember('Boss', { isAdmin: true });
  const ada = slack.addMember('Ada');
  const channel = await slack.addChannel('general', { creator: boss });
  return { slack, channel, boss, ada };
}

/** Connects a bot to a world that is there already, e.g. after an earlier bot was stopped. */
export async function joinSlack(
  world: SlackWorld,
  models: CouncilModels,
  options: Omit<CouncilOptions, keyof SlackOptions> = {},
): Promise<CouncilInSlack> {
  const { slack } = world;
  const { log, lines } = recordingLog();
  const { botToken = slack.installation().botToken } = options;
  const { appToken, signingSecret } = slack.app;
  const now = options.bot?.now ?? Date.now;
  const { store = openSqliteStore({ path: ':memory:', now }) } = options;
  const platform = createSlack({
    answerMissedWithinMs: 1_800_000,
    channelIds: slackChannelIds(store.settings, now),
    listened: listenedRecords('slack', store.settings, options.now ?? now),
    access: options.isOverHttp
      ? { kind: 'requests', botToken, signingSecret, host: '127.0.0.1', port: 0 }
      : { kind: 'socket', botToken, appToken },
    commands,
    log,
    apiUrl: slack.api,
    requestTimeoutMs: 1000,
    sharesEvents: options.sharesEvents ?? false,
    hearing: { contextMessages: 20, contextChars: 8000 },
    limits: options.pacing ?? { ...slackLimits, editGapMs: 20 },
    ...(options.now ? { now: options.now } : {}),
    ...(options.retryWaitsMs ? { retryWaitsMs: options.retryWaitsMs } : {}),
  });
  const bot = await startBot(models, { platforms: [platform], ...options.bot }, store);
  const { listeningOn } = platform.report();
  if (listeningOn !== undefined) slack.deliverTo(`http://127.0.0.1:${listeningOn}/slack/events`);
  return {
    ...world,
    platform,
    bot,
    lines,
    [Symbol.asyncDispose]: () => bot.shutDown(),
  };
}

/** A workspace with a channel, someone who manages it, a member, and the bot. */
export async function startCouncil(
  models: CouncilModels,
  options: CouncilOptions = {},
): Promise<CouncilInSlack> {
  const world = await startSlackWorld(options);
  const council = await joinSlack(world, models, options);
  return {
    ...council,
    [Symbol.asyncDispose]: async () => {
      await council[Symbol.asyncDispose]();
      await world.slack.close();
    },
  };
}

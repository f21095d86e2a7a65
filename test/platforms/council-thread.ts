/** A thread of the council with three people in it, on each of the platforms that the tests stand in for. */

import type { CouncilModels } from '../../src/council/council.ts';
import { scopeNames } from '../../src/platforms/slack/connection/identity.ts';
import type { BotChanges, TestBot } from '../bot/bot-fixture.ts';
import * as onDiscord from './discord/discord-world.ts';
import * as onSlack from './slack/slack-world.ts';
import { unlimited } from './unlimited.ts';

export const platforms = ['Discord', 'Slack'] as const;

export interface CouncilThread extends AsyncDisposable {
  /** The person whose turn it is says it; who is mentioned in it is the next one. */
  say(at: number, text: string, how?: { readonly mentionsBot?: boolean }): Promise<void>;
  readonly bot: TestBot;
  readonly threadId: string;
  /** All that the bot and its sages show in the thread, oldest first; what only one person sees left out. */
  shown(): readonly string[];
  /** How often the platform was asked for anything so far. */
  requests(): number;
}

const firstQuestion = 'Ben: should we move the team to Leipzig?';

/** The whole bot on a platform, and a thread in which it has answered once. */
export function openThread(
  platform: (typeof platforms)[number],
  models: CouncilModels,
  bot: BotChanges,
): Promise<CouncilThread> {
  return { Discord: threadOnDiscord, Slack: threadOnSlack }[platform](models, bot);
}

async function threadOnDiscord(models: CouncilModels, bot: BotChanges): Promise<CouncilThread> {
  const council = await onDiscord.startCouncil(models, { limits: unlimited, bot });
  const { discord, guild, channel, ada } = council;
  const people = [ada, discord.addMember(guild, 'Bob', []), discord.addMember(guild, 'Cem', [])];
  onDiscord.ask(council, firstQuestion);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await council.bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  return {
    bot: council.bot,
    threadId: `discord:${guild.id}:${channel.id}:${thread.id}`,
    shown: () => {
      const all = discord.messages(thread.id);
      const own = all.filter(({ wire, onlyFor }) => wire.author.bot === true && !onlyFor);
      return own.map(onDiscord.textOf);
    },
    say: async (at, text, how = {}) => {
      const { speaker, other } = inTurn(people, at);
      discord.userSays(thread, speaker, mentioning(text, other.id), how);
    },
    requests: () => discord.calls.length,
    [Symbol.asyncDispose]: () => council[Symbol.asyncDispose](),
  };
}

async function threadOnSlack(models: CouncilModels, bot: BotChanges): Promise<CouncilThread> {
  const scopes = scopeNames;
  const council = await onSlack.startCouncil(models, { scopes, pacing: unlimited, bot });
  const { slack, ada, boss } = council;
  const people = [ada, boss, slack.addMember('Cem')];
  const channel = await slack.addChannel('leipzig');
  const { thread } = await ada.mentions(channel, firstQuestion);
  await slack.until(() => slack.thread(channel, thread).length > 1, 'the answer');
  await council.bot.idle();
  return {
    bot: council.bot,
    threadId: `slack:${slack.workspace.id}:${channel.id}:${thread}`,
    shown: () => {
      const all = slack.thread(channel, thread);
      const own = all.filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined);
      return own.map(({ text }) => text);
    },
    say: async (at, text, how = {}) => {
      const { speaker, other } = inTurn(people, at);
      const said = how.mentionsBot ? speaker.mentions : speaker.says;
      await said(channel, mentioning(text, other.user.id), { thread });
    },
    requests: () => slack.calls.length,
    [Symbol.asyncDispose]: () => council[Symbol.asyncDispose](),
  };
}

function inTurn<Person>(people: readonly Person[], at: number) {
  const speaker = people[at % people.length];
  const other = people[(at + 1) % people.length];
  if (!speaker || !other) throw new Error('There is nobody.');
  return { speaker, other };
}

/** The remarks mention no one who exists. */
function mentioning(text: string, id: string): string {
  return text.replace(/<@U\d+>/, `<@${id}>`);
}

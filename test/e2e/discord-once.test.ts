/** A turn in Discord as it is read: question, answers, verdict and card stand once in each place. */

import { ChannelType } from 'discord.js';
import { expect, test } from 'vitest';
import { type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import type { FakeDiscord } from '../fakes/discord/discord.ts';
import { type CouncilInDiscord, startCouncil, textOf } from '../platforms/discord/discord-world.ts';
import { unlimited } from '../platforms/unlimited.ts';
import { afterBen, expectOnce, question } from './said-once.ts';

type Channel = Parameters<FakeDiscord['userSays']>[0];

/** Where a whole turn is, card and answers. */
interface Asked {
  readonly place: Channel;
  /** What stood there before it. */
  readonly from?: number;
  /** How often the question has to be shown. */
  readonly shown: 0 | 1;
}

function shownIn({ discord }: CouncilInDiscord, { place, from = 0 }: Asked): readonly string[] {
  const all = discord.messages(place.id).slice(from);
  return all.filter(({ wire }) => wire.author.bot === true).map(textOf);
}

async function expectReadOnce(
  script: Script,
  ask: (council: CouncilInDiscord) => Promise<Asked> | Asked,
): Promise<void> {
  await using council = await startCouncil(scriptedModels(script), { limits: unlimited });
  const { discord, bot } = council;
  const asked = await ask(council);
  const isOver = () =>
    shownIn(council, asked).some((text) => text.includes('The council has answered.'));
  await discord.until(isOver, 'the end');
  await bot.idle();
  expectOnce(shownIn(council, asked), asked.shown);
  expect(shownIn(council, asked).join('\n')).toContain('Read the verdict');
  expect(discord.violations.all).toEqual([]);
}

/** Ben has answered there, and the next turn comes below. */
async function followUp(
  council: CouncilInDiscord,
  place: Channel,
  begin: () => unknown,
): Promise<Asked> {
  const { discord, ada, bot } = council;
  begin();
  const first = { place, shown: 0 } as const;
  const isAnswered = () => shownIn(council, first).some((text) => text.includes('I am.'));
  await discord.until(isAnswered, 'the first answer');
  await bot.idle();
  const from = discord.messages(place.id).length;
  discord.userSays(place, ada, question, { mentionsBot: true });
  return { ...first, from };
}

function openPost({ discord, guild, ada }: CouncilInDiscord, text: string): Channel {
  const forum = discord.addChannel(guild, 'forum', ChannelType.GuildForum);
  return discord.userOpensThread(forum, ada, 'Engines', { text: `<@${discord.bot.id}> ${text}` });
}

const first = 'Ben: are you there?';

test('of a direct message', () =>
  expectReadOnce(wholeScript, ({ discord, ada }) => {
    const place = discord.directMessages(ada);
    discord.userSays(place, ada, question);
    return { place, shown: 0 };
  }));

test('of a follow-up in a direct message', () =>
  expectReadOnce(afterBen, (council) => {
    const { discord, ada } = council;
    const place = discord.directMessages(ada);
    return followUp(council, place, () => discord.userSays(place, ada, first));
  }));

test('of a command in a direct message, whose question no one has written', () =>
  expectReadOnce(wholeScript, ({ discord, ada }) => {
    const place = discord.directMessages(ada);
    const given = { command: 'council', subcommand: 'ask', options: { question } };
    discord.slash({ user: ada, channel: place, ...given });
    return { place, shown: 1 };
  }));

test('of a post in a forum', () =>
  expectReadOnce(wholeScript, (council) => ({ place: openPost(council, question), shown: 0 })));

test('of a follow-up in a post of a forum', () =>
  expectReadOnce(afterBen, (council) =>
    followUp(council, openPost(council, first), () => undefined),
  ));

test('of a follow-up in a thread of the council', () =>
  expectReadOnce(afterBen, async (council) => {
    const { discord, channel, ada } = council;
    discord.userSays(channel, ada, first, { mentionsBot: true });
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    const [thread] = discord.threads(channel.id);
    if (!thread) throw new Error('There is no thread.');
    return followUp(council, thread, () => undefined);
  }));

test('of a command in a thread of people', () =>
  expectReadOnce(wholeScript, ({ discord, channel, ada }) => {
    const place = discord.userOpensThread(channel, ada, 'Engines');
    const given = { command: 'council', subcommand: 'ask', options: { question } };
    discord.slash({ user: ada, channel: place, ...given });
    return { place, shown: 1 };
  }));

test.each([
  { how: 'fails', fault: { kind: 'status', status: 500 } },
  { how: 'is not confirmed', fault: { kind: 'drop after processing' } },
] as const)(
  'a reply to a message that $how at first is there once, and no fault is told',
  async ({ fault }) => {
    await using council = await startCouncil(scriptedModels({}));
    const { discord, channel, ada } = council;
    discord.faults.failNext('POST /channels/{channel_id}/messages', fault);
    discord.userSays(channel, ada, 'hello!', { mentionsBot: true });
    const posts = () => discord.calls.filter(({ route }) => /^POST .*\/messages$/.test(route));
    await discord.until(() => posts().length === 2 && posts()[1]?.status === 200, 'the second try');
    expect(shownIn(council, { place: channel, shown: 0 })).toEqual([
      expect.stringContaining('Hello, I’m Council'),
    ]);
    expect(discord.violations.all).toEqual([]);
  },
);

/** Where the council is asked in Discord, besides channels: direct messages, forums, threads that are there. */

import { ChannelType } from 'discord.js';
import { expect, test } from 'vitest';
import { answer, type Script, scriptedModels } from '../council/scripted-council.ts';
import { type CouncilInDiscord, startCouncil, textOf } from '../platforms/discord/discord-world.ts';
import { answered, slash } from '../platforms/discord/private-answers.ts';

/** What the personas and the bot said in a thread or channel, the cards left out. */
function said({ discord }: CouncilInDiscord, channelId: string): readonly string[] {
  return discord
    .messages(channelId)
    .filter(({ wire }) => wire.author.bot === true && wire.content !== '')
    .map(({ wire }) => wire.content);
}

const benTwice: Script = { sages: { ben: [answer('No.'), answer('Still no.')] } };

test('in direct messages the sages speak through the bot, each under a label', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, ada, bot } = council;
  const direct = discord.directMessages(ada);
  discord.userSays(direct, ada, 'Ben: should we?');
  await discord.until(() => said(council, direct.id).length === 1, 'the answer');
  await bot.idle();
  expect(said(council, direct.id)).toEqual(['**Ben Sage**\nNo.']);
  expect(discord.violations.all).toEqual([]);
});

test('in direct messages a reply to any part of a long answer is for the sage that gave it', async () => {
  const long = `It depends. ${'Say it plainly. '.repeat(200)}`;
  const models = scriptedModels({ sages: { ben: [answer(long), answer('In spring.')] } });
  await using council = await startCouncil(models);
  const { discord, ada, bot } = council;
  const direct = discord.directMessages(ada);
  discord.userSays(direct, ada, 'Ben: should we?');
  await discord.until(() => said(council, direct.id).length === 2, 'the answer');
  await bot.idle();
  const last = discord.messages(direct.id).find(({ wire }) => wire.content.includes('** (2)\n'));
  if (!last) throw new Error('Ben said it in one message.');
  discord.userSays(direct, ada, 'When exactly?', { repliesTo: last });
  await discord.until(() => said(council, direct.id).length === 3, 'the second answer');
  await bot.idle();
  expect(said(council, direct.id).at(-1)).toBe('**Ben Sage**\nIn spring.');
  expect(discord.violations.all).toEqual([]);
});

test('in a forum post a mention is answered in the post', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, guild, ada, bot } = council;
  const forum = discord.addChannel(guild, 'forum', ChannelType.GuildForum);
  const post = discord.userOpensThread(forum, ada, 'Engines', {
    text: `<@${discord.bot.id}> Ben: should we?`,
  });
  await discord.until(() => said(council, post.id).length === 1, 'the answer');
  await bot.idle();
  expect(discord.messages(post.id).at(-1)?.wire.author.username).toBe('Ben Sage');
  expect(discord.threads(forum.id)).toHaveLength(1);
  // What Discord says to a request for another thread on the first message is documented nowhere.
  expect(discord.calls.filter(({ route }) => route.endsWith('/threads'))).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('the title of a forum post is part of its question, and known to what is asked below it', async () => {
  const models = scriptedModels({ sages: { ben: ['A mage.', 'A staff.', 'A wolf.'].map(answer) } });
  await using council = await startCouncil(models);
  const { discord, guild, ada, bot } = council;
  const forum = discord.addChannel(guild, 'forum', ChannelType.GuildForum);
  const mention = `<@${discord.bot.id}>`;
  const asked = async (number: number) => {
    const { requests } = models.sage({ key: 'ben' });
    await expect.poll(() => requests.length).toBe(number);
    await bot.idle();
    return requests
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join('\n');
  };
  discord.userOpensThread(forum, ada, 'Which class for a beginner?', {
    text: `${mention} Ben: I like ranged fights.`,
  });
  expect(await asked(1)).toContain(
    'Ben: I like ranged fights.\n\nTitle: Which class for a beginner?',
  );
  discord.userOpensThread(forum, ada, 'Ben: which weapon for a mage?', { text: mention });
  const bare = await asked(2);
  expect(bare).toContain('Ben: which weapon for a mage?');
  expect(bare).not.toContain('What do you say to this?');
  const bob = discord.addMember(guild, 'Bob');
  const pets = discord.userOpensThread(forum, bob, 'Pets for a mage', { text: 'Wolf or bear?' });
  discord.userSays(pets, ada, 'Ben: what would you take?', { mentionsBot: true });
  expect(await asked(3)).toContain('Wolf or bear?\n\nTitle: Pets for a mage');
  expect(discord.violations.all).toEqual([]);
});

test('asked by command in a private thread that it is not in, it says how to bring it in', async () => {
  const models = scriptedModels(benTwice);
  await using council = await startCouncil(models);
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  const hidden = discord.userOpensThread(channel, mia, 'Board', { isPrivate: true });
  const ask = () =>
    answered(
      council,
      discord.slash({
        user: mia,
        channel: hidden,
        command: 'council',
        subcommand: 'ask',
        options: { question: 'Ben: should we?' },
      }),
    );
  const [unsaid, refused] = [models.unsaid(), await ask()];
  expect([refused.onlyFor, textOf(refused)]).toEqual([
    mia.id,
    'I’m not in this private thread. Mention me here to add me, then ask again.',
  ]);
  await bot.idle();
  expect(models.unsaid()).toBe(unsaid);
  expect(discord.messages(discord.directMessages(mia).id)).toEqual([]);
  discord.userSays(hidden, mia, `<@${discord.bot.id}> thanks`);
  expect(textOf(await ask())).toBe('The council is being seated.');
  await discord.until(() => said(council, hidden.id).includes('No.'), 'the answer');
  await bot.idle();
  expect(discord.violations.all).toEqual([]);
});

test('asked by command in a thread that is there already, the card and the answer are in it', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, channel, ada, bot } = council;
  const thread = discord.userOpensThread(channel, ada, 'Engines');
  const options = { question: 'Ben: should we?' };
  const asked = discord.slash({
    user: ada,
    channel: thread,
    options,
    command: 'council',
    subcommand: 'ask',
  });
  await discord.until(() => said(council, thread.id).includes('No.'), 'the answer');
  await bot.idle();
  const posts = discord.messages(thread.id).filter(({ wire }) => wire.author.bot === true);
  // The private reply and the card come in either order.
  const reply = posts.find(({ wire }) => wire.id === asked.originalMessageId);
  const [card, answered, ...more] = posts.filter((one) => one !== reply);
  expect(reply && [reply.onlyFor, textOf(reply)]).toEqual([ada.id, 'The council is being seated.']);
  expect(card && textOf(card)).toContain('> Ben: should we?');
  expect(answered?.wire.content).toBe('No.');
  expect(more).toEqual([]);
  expect(discord.threads(channel.id)).toHaveLength(1);
  expect(discord.violations.all).toEqual([]);
});

test('in a locked thread no command asks or posts, and a moderator is told why', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['ManageThreads']);
  const thread = discord.userOpensThread(channel, mia, 'Ferries');
  discord.lockThread(thread, { isArchived: false });
  const told = async (subcommand: string, options = {}) => {
    const given = { user: mia, channel: thread, command: 'council', subcommand, options };
    return textOf(await answered(council, discord.slash(given)));
  };
  expect(await told('ask', { question: 'Ben: should we?' })).toContain('This thread is locked');
  expect(await told('minutes')).toContain('This thread is locked');
  await bot.idle();
  expect(discord.messages(discord.directMessages(mia).id)).toEqual([]);
  discord.grantPermissions(channel, 'ManageThreads');
  await expect.poll(() => told('minutes')).not.toContain('locked');
});

test('where people may only read, no command and no message’s menu asks, pays or posts for them', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel, ada, bot } = council;
  const bob = discord.addMember(guild, 'Bob');
  const news = discord.userSays(channel, bob, 'We take the ferry.');
  const own = discord.userSays(channel, ada, 'Ben: should we?');
  discord.denyEveryone(channel, 'SendMessages');
  const refused = [
    slash(council, 'ask', { question: 'Ben: should we?' }),
    slash(council, 'next', { question: '1' }),
    discord.messageCommand(ada, 'Ask the council', news),
    discord.messageCommand(ada, 'Ask the council', own),
  ].map(async (one) => textOf(await answered(council, one)).trim());
  expect(await Promise.all(refused)).toEqual(
    [1, 2, 3, 4].map(() => 'Only people who may write here can ask the council.'),
  );
  const others = { minutes: 'have minutes posted', summon: 'summon a sage' };
  for (const [command, what] of Object.entries(others)) {
    const told = textOf(await answered(council, slash(council, command))).trim();
    expect(told).toBe(`Only people who may write here can ${what}.`);
  }
  expect(textOf(await answered(council, slash(council, 'help')))).toContain('/council');
  await bot.idle();
  expect(discord.threads(channel.id)).toEqual([]);
});

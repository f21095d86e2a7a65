import { ChannelType, REST, Routes } from 'discord.js';
import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { ask, startCouncil, textOf } from '../platforms/discord/discord-world.ts';
import { answered } from '../platforms/discord/private-answers.ts';

test('what was asked where not everybody can read is remembered there alone', async () => {
  const said = ['One.', 'Two.', 'Three.', 'Four.'];
  const models = scriptedModels({ sages: { ben: said.map((text) => answer(text)) } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  const back = discord.addChannel(guild, 'back-room');
  const direct = discord.directMessages(mia);
  /** What can be recalled, in a place where nothing was said yet. */
  const seenFrom = async (place: string) => {
    const scope = { threadId: `discord:${place}:new`, reach: 'workspace' } as const;
    const { messages } = await bot.store.memories.read(scope, { limit: 100 });
    return messages.flatMap(({ message: { content } }) => content.text ?? []).sort();
  };
  const waitFor = async (count: number) => {
    await discord.until(() => models.unsaid() === said.length - count, `answer ${count}`);
    await bot.idle();
  };

  ask({ discord, channel, ada: mia }, 'Ben: openly?');
  await waitFor(1);
  ask({ discord, channel: back, ada: mia }, 'Ben: with the door open?');
  await waitFor(2);
  expect(await seenFrom(`${guild.id}:elsewhere`)).toEqual([
    'Ben: openly?',
    'Ben: with the door open?',
  ]);

  discord.denyEveryone(back, 'ViewChannel');
  discord.grantPermissions(back, 'ViewChannel');
  ask({ discord, channel: back, ada: mia }, 'Ben: behind the door?');
  await waitFor(3);
  discord.userSays(direct, mia, 'Ben: between us?');
  await waitFor(4);
  expect(await seenFrom(`${guild.id}:elsewhere`)).toEqual(['Ben: openly?']);
  expect(await seenFrom(`${guild.id}:${back.id}`)).toEqual([
    ...['Ben: behind the door?', 'Ben: openly?', 'Ben: with the door open?'],
  ]);
  expect(await seenFrom('@me:somebody-else')).toEqual([]);
  expect(await seenFrom(`@me:${direct.id}`)).toEqual(['Ben: between us?']);
});

test('what was asked in the chat of a voice channel that not everybody may join is remembered there alone', async () => {
  const models = scriptedModels({ sages: { ben: ['One.', 'Two.'].map((text) => answer(text)) } });
  await using council = await startCouncil(models);
  const { discord, guild, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  const lobby = discord.addChannel(guild, 'lobby', ChannelType.GuildVoice);
  const board = discord.addChannel(guild, 'board', ChannelType.GuildVoice);
  discord.denyEveryone(board, 'Connect');
  discord.grantPermissions(board, 'Connect');
  for (const [channel, question] of [
    [lobby, 'Ben: for all?'],
    [board, 'Ben: for the board?'],
  ] as const) {
    ask({ discord, channel, ada: mia }, question);
    await discord.until(() => discord.messages(channel.id).length > 1, question);
    await bot.idle();
    expect(discord.messages(channel.id).at(-1)?.wire.author.username).toBe('Ben Sage');
  }
  const scope = { threadId: `discord:${guild.id}:elsewhere:new`, reach: 'workspace' } as const;
  const { messages } = await bot.store.memories.read(scope, { limit: 100 });
  const seen = messages.flatMap(({ message: { content } }) => content.text ?? []);
  expect(seen).toEqual(['Ben: for all?']);
  discord.revokePermissions(board, 'Connect');
  const refused = await answered(council, ask({ discord, channel: board, ada: mia }, 'Ben: why?'));
  expect(textOf(refused)).toContain('I lack the permission Connect.');
});

test('what was said in a private thread is no part of another one, where nothing was said openly', async () => {
  const said = ['In May.', 'In June.', 'In July.'];
  const models = scriptedModels({ sages: { ben: said.map((text) => answer(text)) } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  discord.grantPermissions(channel, 'CreatePrivateThreads');
  const rest = new REST({ api: discord.api }).setToken(discord.token);
  for (const name of ['one', 'two']) {
    const body = { name, type: ChannelType.PrivateThread };
    await rest.post(Routes.threads(channel.id), { body });
  }
  const [one, two] = discord.threads(channel.id);
  if (!one || !two) throw new Error('The threads were not opened.');
  const askIn = async (thread: typeof one, question: string, left: number) => {
    discord.userSays(thread, mia, question, { mentionsBot: true });
    await discord.until(() => models.unsaid() === left, question);
    await bot.idle();
  };
  await askIn(one, 'Ben: the merger with Whitby?', 2);
  await askIn(two, 'Ben: what of the merger with Whitby?', 1);
  const prompts = models
    .sage({ key: 'ben' })
    .requests.map(({ messages }) => JSON.stringify(messages));
  expect(prompts[1]).toContain('what of the merger');
  expect(prompts[1]).not.toContain('the merger with Whitby?\\n</memory>');
  expect(prompts[1]).not.toContain('In May.');
  await askIn(one, 'Ben: and then, with Whitby?', 0);
  expect(JSON.stringify(models.sage({ key: 'ben' }).requests[2]?.messages)).toContain('In May.');
});

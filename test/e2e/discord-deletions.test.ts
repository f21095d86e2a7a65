/** What is deleted in Discord. */

import { expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { scriptedModels } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  joinWorld,
  startCouncil,
} from '../platforms/discord/discord-world.ts';
import { benSays, forgetting, mention, remembered } from './remembering-guild.ts';

test('a deleted question is forgotten with its answers, and its neighbours stay', async () => {
  const models = benSays('In May.', 'In June.', 'In July.');
  await using council = await startCouncil(models, { bot: forgetting });
  const { discord, guild, channel } = council;
  const first = await mention(council, 'Ben: when do we dredge?');
  const second = await mention(council, 'Ben: when do we paint?');
  await mention(council, 'Ben: when do we sail?');
  discord.deleteMessage(first);
  await expect.poll(() => remembered(council, guild.id)).not.toContain('dredge');
  expect(await remembered(council, guild.id)).toContain('paint');
  discord.deleteMessages([second]);
  await expect.poll(() => remembered(council, guild.id)).not.toContain('paint');
  const left = await remembered(council, guild.id);
  expect(left).toContain('sail');
  expect(left).toContain('In July.');
  expect(left).not.toMatch(/In May|In June/);
  expect(discord.threads(channel.id)).toHaveLength(3);
  expect(discord.violations.all).toEqual([]);
});

test('a question that was asked by command goes with its card, and no answer of its thread does', async () => {
  await using council = await startCouncil(benSays('In May.', 'Twelve.'), { bot: forgetting });
  const { discord, guild, channel, bot } = council;
  ask(council, 'Ben: when do we dredge?');
  await expect.poll(() => discord.threads(channel.id).length).toBe(1);
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  const [said] = discord.messages(thread?.id ?? '');
  const [card] = discord.messages(channel.id);
  if (!said || !card) throw new Error('There is no card, or nothing was said.');
  // Discord does not say whose a deleted message was.
  discord.deleteMessage(said);
  await mention(council, 'Ben: how many?');
  expect(await remembered(council, guild.id)).toContain('In May.');
  discord.deleteMessage(card);
  await expect.poll(() => remembered(council, guild.id)).not.toContain('In May.');
  expect(await remembered(council, guild.id)).toContain('Twelve.');
});

test.each([
  [
    'thread',
    ({ discord, channel }: CouncilInDiscord) => {
      for (const thread of discord.threads(channel.id)) discord.deleteThread(thread);
    },
  ],
  ['channel', ({ discord, channel }: CouncilInDiscord) => discord.deleteChannel(channel)],
])('what was said in a deleted %s is forgotten, and the other channel stays', async (_, happen) => {
  await using council = await startCouncil(benSays('In May.', 'In June.'), { bot: forgetting });
  const { discord, guild, bot } = council;
  ask(council, 'Ben: when do we dredge?');
  await expect.poll(() => remembered(council, guild.id)).toContain('dredge');
  await bot.idle();
  await mention(council, 'Ben: when do we paint?', discord.addChannel(guild, 'harbour'));
  happen(council);
  await expect.poll(() => remembered(council, guild.id)).not.toContain('dredge');
  expect(await remembered(council, guild.id)).toContain('In June.');
});

test('a turn whose question is deleted while it runs is stopped and forgotten', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models, { bot: forgetting });
  const { discord, guild, channel, ada, bot } = council;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Ben: why?`);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  discord.deleteMessage(said);
  await bot.idle();
  await expect.poll(() => remembered(council, guild.id)).toBe('[]');
  expect(await bot.store.turns.unfinished(9)).toEqual([]);
});

test('a message that is deleted before its question is stored leaves nothing, and no one answers', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  const { promise: mayBegin, resolve: letBegin } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>();
  const { promise: isForgotten, resolve: forgot } = Promise.withResolvers<void>();
  const slow: typeof store = {
    ...store,
    forget: (request) => store.forget(request).finally(forgot),
    turns: {
      ...store.turns,
      begin: async (turn) => {
        await mayBegin;
        return store.turns.begin(turn).finally(begun);
      },
    },
  };
  const models = scriptedModels({});
  await using world = await startWorld();
  await using council = await joinWorld(world, models, { bot: forgetting, store: slow });
  const { discord, guild, channel, ada } = council;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Ben: why?`);
  discord.deleteMessage(said);
  await isForgotten;
  letBegin();
  await hasBegun;
  await expect.poll(() => remembered(council, guild.id)).toBe('[]');
  expect(await store.turns.unfinished(9)).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('where it is not so set, a question that is deleted is stopped, and kept', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada, bot } = council;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Ben: why?`);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  discord.deleteMessage(said);
  await bot.idle();
  expect(models.sage({ key: 'ben' }).requests[0]?.signal.aborted).toBe(true);
  expect(await remembered(council, guild.id)).toContain('why?');
});

test.each(['thread', 'channel'])(
  'where it is not so set, a question whose %s is deleted is stopped, and kept, and no other',
  async (what) => {
    const models = scriptedModels({ sages: { ben: [hang], ada: [hang] } });
    await using council = await startCouncil(models);
    const { discord, guild, channel, ada, bot } = council;
    const elsewhere = discord.addChannel(guild, 'harbour');
    discord.userSays(channel, ada, 'Ben: why?', { mentionsBot: true });
    discord.userSays(elsewhere, ada, 'Ada: and here?', { mentionsBot: true });
    const signals = (key: string) => models.sage({ key }).requests.map(({ signal }) => signal);
    await expect.poll(() => [...signals('ben'), ...signals('ada')].length).toBe(2);
    const [thread] = discord.threads(channel.id);
    if (!thread) throw new Error('There is no thread.');
    if (what === 'thread') discord.deleteThread(thread);
    else discord.deleteChannel(channel);
    const threadId = `discord:${guild.id}:${channel.id}:${thread.id}`;
    const outcome = async () => {
      const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
      return turn && (await bot.store.turns.read(turn))?.outcome;
    };
    await expect.poll(outcome).not.toBeUndefined();
    expect(await outcome()).toBe('stopped');
    expect(signals('ada')[0]?.aborted).toBe(false);
    expect(await remembered(council, guild.id)).toContain('why?');
    await bot.shutDown();
  },
);

test('where it is not so set, nothing that is deleted is forgotten', async () => {
  await using council = await startCouncil(benSays('In May.', 'In June.', 'Yes.'));
  const { discord, guild, channel } = council;
  const first = await mention(council, 'Ben: when do we dredge?');
  const elsewhere = discord.addChannel(guild, 'harbour');
  discord.deleteMessage(first);
  for (const thread of discord.threads(channel.id)) discord.deleteThread(thread);
  discord.deleteChannel(channel);
  await mention(council, 'Ben: is anybody there?', elsewhere);
  expect(await remembered(council, guild.id)).toContain('In May.');
});

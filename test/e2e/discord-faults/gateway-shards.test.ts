/** A bot whose connection is in two parts: each server is heard on one of them. */

import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import { shardOf } from '../../fakes/discord/world/snowflakes.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';

/** A server of its own for each shard, with a channel and a member. */
function sceneOn(shard: number, discord: FakeDiscord) {
  for (;;) {
    // Servers are spread by the millisecond in which they were made.
    discord.clock.advance(1);
    const guild = discord.addGuild({ name: `Agora ${shard}` });
    if (shardOf(guild.id, 2) !== shard) continue;
    const channel = discord.addChannel(guild, 'general');
    return { discord, channel, ada: discord.addMember(guild, 'Ada') };
  }
}

type Scene = ReturnType<typeof sceneOn>;

async function startOnTwoShards() {
  const scenes: Scene[] = [];
  const models = scriptedModels({
    sages: { ada: [answer('Yes.')], ben: [answer('No.')], cleo: [answer('Later.')] },
  });
  const council = await startCouncil(models, {
    shards: 2,
    deafAfterMs: 1000,
    before: ({ discord }) => scenes.push(sceneOn(0, discord), sceneOn(1, discord)),
  });
  const [first, second] = scenes;
  if (!first || !second) throw new Error('The world has no servers.');
  return { ...council, first, second };
}

/** What sages said in the threads of a channel. */
function answers({ discord, channel }: Scene): readonly string[] {
  return discord
    .threads(channel.id)
    .flatMap(({ id }) => discord.messages(id))
    .map(textOf);
}

test('what happens in the servers of either shard is taken up once, and direct messages are', async () => {
  await using council = await startOnTwoShards();
  const { discord, bot, platform, first, second } = council;
  expect(discord.gateway.connectedSessions).toBe(2);
  expect(platform.report().servers).toBe(discord.state.guilds.size);
  ask(first, 'Ada: should we?');
  discord.userSays(second.channel, second.ada, 'Ben: should we?', { mentionsBot: true });
  const direct = discord.directMessages(first.ada);
  discord.userSays(direct, first.ada, 'Cleo: should we?');
  await discord.until(() => answers(first).length === 1, 'the answer on the first shard');
  await discord.until(() => answers(second).length === 1, 'the answer on the second shard');
  await discord.until(() => discord.messages(direct.id).length === 3, 'the direct answer');
  await bot.idle();
  expect(answers(first)).toEqual(['Yes.']);
  expect(answers(second)).toEqual(['No.']);
  expect(discord.messages(direct.id)).toHaveLength(3);
  expect(discord.violations.all).toEqual([]);
});

test('while one shard is deaf the bot is not ready and hears the other; then it is connected anew', async () => {
  await using council = await startOnTwoShards();
  const { discord, bot, platform, first, second } = council;
  discord.gateway.deafen(1);
  discord.gateway.dropConnections(undefined, 1);
  await expect.poll(() => platform.health().text).toBe('waiting for Discord on gateway shard 1');
  expect(platform.health().isListening).toBe(false);
  ask(first, 'Ada: should we?');
  await discord.until(() => discord.threads(first.channel.id).length === 1, 'the thread');
  await expect.poll(() => platform.health().isListening).toBe(true);
  expect(discord.gateway.connectedSessions).toBe(2);
  ask(second, 'Ben: should we?');
  await discord.until(() => answers(second).length === 1, 'the answer on the second shard');
  await bot.idle();
  expect([answers(first), answers(second)]).toEqual([['Yes.'], ['No.']]);
});

test('a shard that resumes hears what it missed, once', async () => {
  await using council = await startOnTwoShards();
  const { discord, bot, platform, second } = council;
  discord.gateway.dropConnections(undefined, 1);
  ask(second, 'Ben: should we?');
  await discord.until(() => answers(second).length === 1, 'the answer on the second shard');
  await bot.idle();
  expect(answers(second)).toEqual(['No.']);
  await expect.poll(() => platform.health().isListening).toBe(true);
});

test('a shutdown closes both shards', async () => {
  const council: CouncilInDiscord = await startOnTwoShards();
  const { gateway } = council.discord;
  expect(gateway.connectedSessions).toBe(2);
  await council.bot.shutDown();
  await expect.poll(() => gateway.connectedSessions).toBe(0);
  await council.discord.close();
});

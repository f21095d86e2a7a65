/** The bounds of the search for what was missed. */

import { expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { answerMissed } from '../../../src/platforms/discord/ingress/missed.ts';
import { allIntents, connectedClient, startWorld } from '../../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import { shardOf } from '../../fakes/discord/world/snowflakes.ts';

const before = Date.now() - 60_000;

/** What a client that has just connected finds on one of its shards. */
async function foundOn(discord: FakeDiscord, shard: number) {
  const client = await connectedClient(discord, allIntents, 'auto');
  const found: string[] = [];
  await answerMissed(client, shard, before, {
    log: silentLog,
    handle: async ({ content }) => {
      found.push(content);
    },
  });
  await client.destroy();
  return found;
}

test('of more than 40 channels, those with the newest messages are looked through', async () => {
  await using world = await startWorld();
  const { discord, guild, channel, ada } = world;
  discord.userSays(channel, ada, 'The oldest.');
  for (let index = 0; index < 40; index += 1) {
    discord.clock.advance(1);
    const another = discord.addChannel(guild, `channel-${index}`);
    discord.userSays(another, ada, `In channel ${index}.`);
  }
  const newestFirst = Array.from({ length: 40 }, (_, index) => `In channel ${39 - index}.`);
  expect(await foundOn(discord, 0)).toEqual(newestFirst);
});

test('of more than 100 messages in a channel, the first 100 are handled, oldest first', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  const said = Array.from({ length: 101 }, (_, index) => `Message ${index}.`);
  for (const text of said) discord.userSays(channel, ada, text);
  expect(await foundOn(discord, 0)).toEqual(said.slice(0, 100));
});

test('each shard looks in the servers of which it is told, and in no others', async () => {
  await using world = await startWorld({ shards: 2 });
  const { discord, guild, channel, ada } = world;
  discord.userSays(channel, ada, 'On one shard.');
  const own = shardOf(guild.id, 2);
  let other = guild;
  while (shardOf(other.id, 2) === own) {
    discord.clock.advance(1);
    other = discord.addGuild({ name: 'Stoa' });
  }
  discord.userSays(
    discord.addChannel(other, 'general'),
    discord.addMember(other, 'Zeno'),
    'On the other.',
  );
  expect(await foundOn(discord, own)).toEqual(['On one shard.']);
  expect(await foundOn(discord, 1 - own)).toEqual(['On the other.']);
});

test('a channel that Discord fails to show at first is looked through all the same', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  discord.userSays(channel, ada, 'Ben: what now?');
  discord.faults.failNext('GET /channels/{channel_id}/messages', { kind: 'status', status: 503 });
  discord.faults.failNext('GET /channels/{channel_id}/messages', { kind: 'drop' });
  expect(await foundOn(discord, 0)).toEqual(['Ben: what now?']);
});

import { type Client, Events } from 'discord.js';
import { expect, test } from 'vitest';
import { Gateway } from '../../../src/platforms/discord/gateway/gateway.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { recordingLog } from './discord-world.ts';

test('of all who have ever said something only some are remembered, and the bot itself', async () => {
  await using world = await startWorld();
  const { discord, guild, channel } = world;
  let client: Client | undefined;
  let heard = 0;
  const gateway = new Gateway({
    token: discord.token,
    api: discord.api,
    log: recordingLog().log,
    timeoutMs: 2000,
    deafAfterMs: 2000,
    onClient: (made) => {
      client = made;
      made.on(Events.MessageCreate, () => {
        heard += 1;
      });
    },
    onFatal: (error) => expect.unreachable(String(error)),
  });
  await gateway.connect(true);
  await gateway.waitUntilReady(10_000);
  const people = 1200;
  for (let count = 0; count < people; count += 1)
    discord.userSays(channel, discord.addMember(guild, `Member ${count}`), 'Hello.');
  await expect.poll(() => heard, { timeout: 20_000 }).toBe(people);
  const members = client?.guilds.cache.get(guild.id)?.members;
  expect(members?.cache.size).toBeLessThanOrEqual(201);
  expect(members?.me?.id).toBe(discord.bot.id);
  expect(client?.users.cache.size).toBeLessThanOrEqual(1001);
  expect(client?.users.cache.has(discord.bot.id)).toBe(true);
  await gateway.close();
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connectedClient, startConnected, startWorld, textChannel } from './connected-client.ts';

test('closing ends every connection, answered or not, and frees the port', async () => {
  const { discord, channel } = await startWorld();
  discord.faults.failNext('*', { kind: 'silence' });
  const unanswered = fetch(`${discord.api}/v10/channels/${channel.id}`);
  await discord.until(() => discord.calls.length === 1);
  const socket = new WebSocket(discord.gatewayUrl);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await discord.close();
  await closed;
  await expect(unanswered).rejects.toThrow();
  await expect(fetch(discord.api)).rejects.toThrow();
});

const outside = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test.skipIf(outside === undefined)('only this machine can reach it', async () => {
  await using started = await startWorld();
  const { port } = new URL(started.discord.api);
  const socket = connect(Number(port), outside);
  const [error]: unknown[] = await once(socket, 'error');
  expect(error).toBeInstanceOf(Error);
});

test('two clients share one token, each with its shard, and hear only of their own guilds', async () => {
  await using started = await startWorld();
  const { discord, guild } = started;
  const shardId = Number((BigInt(guild.id) >> 22n) % 2n);
  const mine = new WebSocket(discord.gatewayUrl);
  const other = new WebSocket(discord.gatewayUrl);
  const heard: Record<'mine' | 'other', string[]> = { mine: [], other: [] };
  mine.on('message', (data) => heard.mine.push(String(JSON.parse(data.toString()).t)));
  other.on('message', (data) => heard.other.push(String(JSON.parse(data.toString()).t)));
  await Promise.all([once(mine, 'open'), once(other, 'open')]);
  const identify = (shard: number) =>
    JSON.stringify({
      op: 2,
      d: {
        token: discord.token,
        intents: 1,
        shard: [shard, 2],
        properties: { os: 'x', browser: 'x', device: 'x' },
      },
    });
  mine.send(identify(shardId));
  other.send(identify(1 - shardId));
  await expect.poll(() => heard.mine).toEqual(['null', 'READY', 'GUILD_CREATE']);
  await expect.poll(() => heard.other).toEqual(['null', 'READY']);
});

test('the ids sort by age and tell the time', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  discord.clock.advance(86_400_000);
  const sent = await textChannel(client, channel.id).send('tomorrow');
  expect(sent.createdTimestamp).toBeGreaterThan(Date.now() + 86_000_000);
  expect(BigInt(sent.id)).toBeGreaterThan(BigInt(channel.id));
});

test('a process that starts anew under the same token is told of everything that is there', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const thread = await textChannel(client, channel.id).threads.create({ name: 'Why?' });
  await client.destroy();
  const second = await connectedClient(discord);
  expect(second.channels.cache.has(thread.id)).toBe(true);
  await second.destroy();
});

test('a bot that may see a channel again is told of its threads', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  discord.revokePermissions(channel, 'ViewChannel');
  const thread = discord.userOpensThread(channel, ada, 'Behind your back');
  expect(client.channels.cache.has(thread.id)).toBe(false);
  discord.grantPermissions(channel, 'ViewChannel');
  await expect.poll(() => client.channels.cache.has(thread.id)).toBe(true);
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Events, GatewayIntentBits } from 'discord.js';
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

test('what a client asks about itself and its guild is answered as described', async () => {
  await using started = await startConnected();
  const { discord, client, guild, channel, ada } = started;
  const application = await client.application.fetch();
  expect(application.flags.has('GatewayMessageContentLimited')).toBe(true);
  expect([...(await client.guilds.fetch()).keys()]).toEqual([guild.id]);
  const fetched = await client.guilds.fetch({ guild: guild.id, force: true });
  expect((await fetched.members.fetch({ user: ada.id, force: true })).displayName).toBe('Ada');
  expect((await fetched.members.fetchMe({ force: true })).permissions.has('ManageWebhooks')).toBe(
    true,
  );
  expect((await fetched.roles.fetch()).size).toBe(2);
  expect((await fetched.channels.fetch()).has(channel.id)).toBe(true);
  expect((await client.channels.fetch(channel.id, { force: true }))?.id).toBe(channel.id);
  expect((await client.users.fetch(ada.id, { force: true })).globalName).toBe('Ada');
  expect(discord.violations.all).toEqual([]);
});

test('a channel and all that hangs on it can be deleted', async () => {
  await using started = await startConnected();
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const webhook = await text.createWebhook({ name: 'Sages' });
  const thread = await text.threads.create({ name: 'Why?' });
  discord.deleteChannel(channel);
  await expect.poll(() => client.channels.cache.has(channel.id)).toBe(false);
  await expect(thread.send('x')).rejects.toMatchObject({ code: 10003 });
  await expect(webhook.send('x')).rejects.toMatchObject({ code: 10015 });
  expect(discord.violations.all).toEqual([]);
});

test('only a bot with the members intent may list who is in a guild', async () => {
  await using without = await startConnected();
  const list = without.client.rest.get(`/guilds/${without.guild.id}/members`);
  await expect(list).rejects.toMatchObject({ code: 50001 });
  await using started = await startConnected({
    privilegedIntents: ['GuildMembers'],
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers],
  });
  const { discord, client, guild, ada } = started;
  const fetched = await client.guilds.fetch(guild.id);
  expect([...(await fetched.members.list({ limit: 10 })).keys()]).toContain(ada.id);
  expect([...(await fetched.members.fetch()).keys()]).toContain(ada.id);
  const joined = new Promise((resolve) => client.once(Events.GuildMemberAdd, resolve));
  discord.addMember(guild, 'Bea');
  await joined;
  expect(discord.violations.all).toEqual([]);
});

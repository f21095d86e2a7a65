import {
  type Client,
  Events,
  GatewayDispatchEvents,
  GatewayIntentBits,
  GatewayOpcodes,
} from 'discord.js';
import { expect, test } from 'vitest';
import {
  connectedClient,
  newClient,
  startConnected,
  startWorld,
  textChannel,
} from './connected-client.ts';

const withoutContent = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
];

/** What the client is told, as it comes; the client itself would hide what it is told twice. */
function contents(client: Client): string[] {
  const seen: string[] = [];
  client.on('raw', ({ t, d }: { t: string | null; d: { content: string } }) => {
    if (t === 'MESSAGE_CREATE') seen.push(d.content);
  });
  return seen;
}

test('a client logs in, knows its guilds and hears what is said', async () => {
  await using started = await startConnected();
  const { discord, guild, channel, ada, client } = started;
  expect(client.guilds.cache.get(guild.id)?.name).toBe('Agora');
  expect(client.channels.cache.has(channel.id)).toBe(true);
  const heard = new Promise((resolve) => client.once(Events.MessageCreate, resolve));
  discord.userSays(channel, ada, 'Hello');
  expect(await heard).toMatchObject({ content: 'Hello', guildId: guild.id });
  expect(discord.violations.all).toEqual([]);
});

test('what was said while the line was cut is told again after a resume, once and in order', async () => {
  await using started = await startConnected();
  const { discord, channel, ada, client } = started;
  const seen = contents(client);
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  discord.userSays(channel, ada, 'one');
  await expect.poll(() => seen).toEqual(['one']);
  discord.gateway.dropConnections();
  discord.userSays(channel, ada, 'two');
  discord.userSays(channel, ada, 'three');
  await resumed;
  discord.userSays(channel, ada, 'four');
  await expect.poll(() => seen).toEqual(['one', 'two', 'three', 'four']);
  const resume = discord.gateway.received.find(({ opcode }) => opcode === GatewayOpcodes.Resume);
  expect(resume?.path).toBe('/resume');
});

test('op 7 makes a client reconnect and resume', async () => {
  await using started = await startConnected();
  const { discord, client } = started;
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  discord.gateway.requestReconnect();
  await resumed;
  const opcodes = discord.gateway.received.map(({ opcode }) => opcode);
  expect(opcodes.filter((opcode) => opcode === GatewayOpcodes.Identify)).toHaveLength(1);
});

test('op 9 makes a client identify anew, or resume when it may', async () => {
  await using started = await startConnected();
  const { discord, client } = started;
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  discord.gateway.invalidateSessions(true);
  await resumed;
  const ready = new Promise((resolve) => client.once(Events.ShardReady, resolve));
  discord.gateway.invalidateSessions(false);
  await ready;
  const opcodes = discord.gateway.received.map(({ opcode }) => opcode);
  expect(opcodes.filter((opcode) => opcode === GatewayOpcodes.Identify)).toHaveLength(2);
  expect(opcodes.filter((opcode) => opcode === GatewayOpcodes.Resume)).toHaveLength(1);
});

test('a resume of a session that is gone is answered with op 9, so that the client identifies', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const seen = contents(client);
  const ready = new Promise((resolve) => client.once(Events.ShardReady, resolve));
  discord.gateway.invalidateSessions(false);
  discord.gateway.dropConnections(4000);
  await ready;
  discord.userSays(channel, ada, 'still here');
  await expect.poll(() => seen).toEqual(['still here']);
});

test('a frozen connection is noticed by its missing heartbeat and resumed', async () => {
  await using started = await startConnected({ heartbeatIntervalMs: 200 });
  const { discord, client, channel, ada } = started;
  const seen = contents(client);
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  discord.gateway.freezeConnections();
  discord.userSays(channel, ada, 'into the void');
  await resumed;
  expect(seen).toEqual(['into the void']);
});

test('a deaf gateway takes a resume and tells nothing until it hears again', async () => {
  await using started = await startConnected();
  const { discord, client, channel, ada } = started;
  const seen = contents(client);
  discord.gateway.deafen();
  discord.gateway.dropConnections();
  const resumes = () =>
    discord.gateway.received.filter(({ opcode }) => opcode === GatewayOpcodes.Resume).length;
  await expect.poll(resumes).toBe(1);
  discord.userSays(channel, ada, 'anybody?');
  expect(discord.gateway.connectedSessions).toBe(0);
  expect(seen).toEqual([]);
  discord.gateway.hear();
  discord.gateway.dropConnections();
  await expect.poll(() => seen).toEqual(['anybody?']);
});

test('an event can be delivered again, to a session that began after it as well', async () => {
  await using started = await startWorld();
  const { discord, channel, ada } = started;
  discord.userSays(channel, ada, 'once');
  const client = await connectedClient(discord);
  const seen = contents(client);
  discord.gateway.repeat(GatewayDispatchEvents.MessageCreate);
  await expect.poll(() => seen).toEqual(['once']);
  await client.destroy();
});

test('a wrong token is refused over REST before the gateway', async () => {
  await using started = await startWorld();
  const { discord } = started;
  const client = newClient(discord);
  discord.revokeToken();
  await expect(client.login(discord.token)).rejects.toThrow(/token/i);
  expect(discord.calls.map(({ status }) => status)).toEqual([401]);
});

test('a token that is revoked later ends the session with 4004', async () => {
  await using started = await startConnected();
  const { discord, client } = started;
  const closed = new Promise<number>((resolve) => {
    client.once(Events.ShardDisconnect, ({ code }) => resolve(code));
  });
  discord.revokeToken();
  discord.gateway.dropConnections();
  expect(await closed).toBe(4004);
});

test('an intent that the portal does not allow rejects the login', async () => {
  await using started = await startWorld({ privilegedIntents: [] });
  const { discord } = started;
  await expect(newClient(discord).login(discord.token)).rejects.toThrow(/disallowed intents/i);
});

test('an event without its intent is not sent', async () => {
  await using started = await startConnected({ intents: [GatewayIntentBits.Guilds] });
  const { discord, channel, ada, client } = started;
  const seen = contents(client);
  const told = new Promise((resolve) => client.once(Events.ThreadCreate, resolve));
  discord.userSays(channel, ada, 'unheard');
  discord.userOpensThread(channel, ada, 'heard');
  await told;
  expect(seen).toEqual([]);
});

test('without the content intent only mentions, direct messages and own messages keep their text', async () => {
  await using started = await startConnected({ privilegedIntents: [], intents: withoutContent });
  const { discord, channel, ada, client } = started;
  const seen: [string, string][] = [];
  client.on('raw', (packet: { t: string; d: { content: string; author: { id: string } } }) => {
    if (packet.t === 'MESSAGE_CREATE') seen.push([packet.d.author.id, packet.d.content]);
  });
  discord.userSays(channel, ada, 'secret');
  discord.userSays(channel, ada, 'open', { mentionsBot: true });
  discord.userSays(discord.directMessages(ada), ada, 'direct');
  await textChannel(client, channel.id).send('mine');
  await expect
    .poll(() => seen)
    .toEqual([
      [ada.id, ''],
      [ada.id, `<@${discord.bot.id}> open`],
      [ada.id, 'direct'],
      [discord.bot.id, 'mine'],
    ]);
  expect(discord.violations.all).toEqual([]);
});

test('a bot that is taken out of a guild is told, and hears no more of it', async () => {
  await using started = await startConnected();
  const { discord, guild, channel, ada, client } = started;
  const seen = contents(client);
  const told = new Promise((resolve) => client.once(Events.GuildDelete, resolve));
  discord.removeBot(guild);
  await told;
  discord.userSays(channel, ada, 'are you there?');
  await expect(client.rest.get(`/channels/${channel.id}`)).rejects.toMatchObject({ code: 50001 });
  expect(seen).toEqual([]);
});

test('a client opens as many shards as it is told, and one of them hears what is said in a guild', async () => {
  await using world = await startWorld({ shards: 2 });
  const { discord, channel, ada } = world;
  const client = await connectedClient(discord, undefined, 'auto');
  expect(discord.gateway.connectedSessions).toBe(2);
  const heard = contents(client);
  discord.userSays(channel, ada, 'Hello');
  discord.gateway.dropConnections(undefined, 1);
  discord.userSays(channel, ada, 'Still there?');
  await expect.poll(() => heard).toEqual(['Hello', 'Still there?']);
  await expect.poll(() => discord.gateway.connectedSessions).toBe(2);
  await client.destroy();
});

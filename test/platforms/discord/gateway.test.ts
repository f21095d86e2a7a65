import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Client, Events } from 'discord.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { Gateway } from '../../../src/platforms/discord/gateway/gateway.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
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
  await expect.poll(() => heard).toBe(people);
  const members = client?.guilds.cache.get(guild.id)?.members;
  expect(members?.cache.size).toBeLessThanOrEqual(201);
  expect(members?.me?.id).toBe(discord.bot.id);
  expect(client?.users.cache.size).toBeLessThanOrEqual(1001);
  expect(client?.users.cache.has(discord.bot.id)).toBe(true);
  await gateway.close();
});

test('a login that never ends is given up after five minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const login = vi.spyOn(Client.prototype, 'login').mockReturnValue(new Promise(() => undefined));
  onTestFinished(() => {
    login.mockRestore();
    vi.useRealTimers();
  });
  const gateway = new Gateway({
    token: 'a.b.c',
    log: recordingLog().log,
    timeoutMs: 2000,
    deafAfterMs: 2000,
    onClient: () => undefined,
    onFatal: (error) => expect.unreachable(String(error)),
  });
  const failed = gateway.connect(true).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(String(await failed)).toMatch(
    /can't be reached: no connection within 300 s\. Check the connection to the internet/,
  );
  await gateway.close();
});

test('leaves no connection behind that is still being opened when it closes', async () => {
  await using world = await startWorld();
  const { discord } = world;
  const sockets = new Set<Socket>();
  // Takes connections and never answers.
  const silent = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume());
    socket.on('close', () => sockets.delete(socket));
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const gateway = await reconnectingTo(discord, port);
  await expect.poll(() => sockets.size).toBe(1);
  await gateway.close();
  await expect.poll(() => sockets.size).toBe(0);
});

test('waits for seconds at most for a gateway that does not answer that it closes', async () => {
  await using world = await startWorld();
  const deaf = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(deaf, 'listening');
  onTestFinished(() => {
    for (const socket of deaf.clients) socket.terminate();
    deaf.close();
  });
  deaf.on('connection', (socket) => socket.on('error', () => undefined).pause());
  const address = deaf.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const gateway = await reconnectingTo(world.discord, port);
  await expect.poll(() => deaf.clients.size).toBe(1);
  await gateway.close();
}, 15_000);

test('opens no connection once it is closed while the library waits to try again', async () => {
  await using world = await startWorld();
  const next = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(next, 'listening');
  onTestFinished(() => {
    for (const socket of next.clients) socket.terminate();
    next.close();
  });
  let connections = 0;
  next.on('connection', () => {
    connections += 1;
  });
  const address = next.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const gateway = await reconnectingTo(world.discord, port);
  await expect.poll(() => gateway.health().isListening, { interval: 5 }).toBe(false);
  await gateway.close();
  await setTimeout(libraryWaitMs + 300);
  expect(connections).toBe(0);
});

/** How long the library waits before it connects anew. */
const libraryWaitMs = 500;

/** A gateway whose connection broke, and which is now connecting to another address. */
async function reconnectingTo(discord: FakeDiscord, port: number | undefined): Promise<Gateway> {
  let client: Client | undefined;
  const gateway = new Gateway({
    token: discord.token,
    api: discord.api,
    log: recordingLog().log,
    timeoutMs: 2000,
    deafAfterMs: 60_000,
    onClient: (made) => {
      client = made;
    },
    onFatal: (error) => expect.unreachable(String(error)),
  });
  await gateway.connect(true);
  await gateway.waitUntilReady(10_000);
  const { options } = Reflect.get(client?.ws ?? {}, '_ws');
  const session = await options.retrieveSessionInfo(0);
  const resumeURL = `ws://127.0.0.1:${port}`;
  options.retrieveSessionInfo = async () => ({ ...session, resumeURL });
  discord.gateway.dropConnections();
  return gateway;
}

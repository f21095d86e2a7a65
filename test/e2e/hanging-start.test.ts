/** Servers that take a connection and never answer, in front of a process that starts. */

import { createServer, connect as dial, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startRedisServer } from '../fakes/redis-server.ts';
import { startCouncil } from './council-process.ts';
import { temporaryProject } from './temporary-project.ts';

// A start may take its time, and is given up when it takes more.
vi.setConfig({ testTimeout: 120_000 });

/** @param onSocket - Given each connection that is made to it. @returns Its address for Redis. */
async function listen(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.');
  return `redis://127.0.0.1:${address.port}`;
}

/** In front of a server, that goes silent for a connection at one of its commands. */
async function silentAt(word: string): Promise<string> {
  const redis = await startRedisServer();
  onTestFinished(() => redis.remove());
  return listen((socket) => {
    const server = dial(Number(new URL(redis.url).port), '127.0.0.1');
    onTestFinished(() => void server.destroy());
    server.on('error', () => undefined).pipe(socket);
    let isSilent = false;
    socket.on('data', (data) => {
      isSilent ||= data.includes(word);
      if (!isSilent) server.write(data);
    });
    socket.on('close', () => server.destroy());
  });
}

function start(url: string) {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const environment = { DISCORD_TOKEN: 'a.b.c', COUNCIL_ROLE: 'worker', REDIS_URL: url };
  return startCouncil({ folder, input: '', environment });
}

const silences = [
  ['to the store', () => listen(() => undefined), /did not answer within 10 s/],
  [
    'to the queue',
    () => silentAt('council-queue'),
    /can't share work through .*: no answer within 10 s\. Check that it answers/,
  ],
  [
    'to what waits for ever',
    () => silentAt('time\r\n'),
    /can't share work through .*: no answer within 10 s\. Check that it answers/,
  ],
] as const;

// Side by side: each waits for as long as a process waits.
test('a process whose server says nothing, whatever it is asked, says so, and ends', async () => {
  const ended = silences.map(async ([what, open, said]) => {
    const { code, stderr } = await start(await open()).ended;
    expect(stderr, what).toMatch(said);
    expect(code, what).toBe(1);
  });
  await Promise.all(ended);
});

test('a process that is asked to end while it waits for its server ends at once, with 0', async () => {
  const connected = Promise.withResolvers<void>();
  const bot = start(await listen(() => connected.resolve()));
  await connected.promise;
  bot.kill('SIGTERM');
  expect(await bot.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { QueueAdmin } from '../../src/queue/bullmq/queue-admin.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import type { Coordination } from '../../src/queue/coordination.ts';
import { heldRunner, running, threadOf, turn } from '../contracts/queue-runner.ts';
import { makeAuthority } from '../fakes/certificates.ts';
import { openRedisProxy } from '../fakes/redis-proxy.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { openQueue } from './at-work.ts';

// The server is halted and started again, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const soon = { timeout: 60_000, interval: 50 };
/** What is told of turns, which may have lost their process by the time that the server is back. */
const ofTurns = /^(turn|job|work) /;

/** Ends the first turn, however often it is begun, until the second one has begun. */
async function untilSecond(runner: ReturnType<typeof heldRunner>): Promise<void> {
  const look = () => {
    runner.end('a1');
    return runner.begun.includes('a2');
  };
  await expect.poll(look, soon).toBe(true);
}

/** A worker over a server of its own, and what it logged. */
async function startWorker(settings: Readonly<Record<string, string>> = {}): Promise<{
  readonly server: RedisServer;
  readonly shared: Coordination;
  readonly lines: readonly string[];
}> {
  // With `everysec`, a server on a busy disk puts off writing for up to 2 s, and a kill loses that.
  const kept = { appendonly: 'yes', appendfsync: 'always' };
  const server = await startRedisServer({ settings: { ...kept, ...settings } });
  const lines: string[] = [];
  const write = (_facts: object, sentence: string) => void lines.push(sentence);
  const shared = await openShared({
    url: server.url,
    name: 'the test server',
    concurrency: 2,
    commandTimeoutMs: 3000,
    unfinished: async () => [],
    log: { ...silentLog, info: write, warn: write, error: write },
  });
  onTestFinished(async () => {
    await shared.queue.stop(0);
    await shared.close();
    await server.remove();
  });
  return { server, shared, lines };
}

test('what ran and waited when the server died goes on when it is back, and is told once', async () => {
  const { server, shared, lines } = await startWorker();
  const { queue } = shared;
  const runner = heldRunner();
  await queue.start(running(runner.run));
  await queue.add(turn('a', 1));
  await queue.add(turn('a', 2));
  await runner.untilBegun(1);
  expect(shared.health()).toEqual({ isReady: true, text: 'connected to the test server' });
  await server.kill();
  await expect.poll(() => shared.health().isReady, soon).toBe(false);
  expect(shared.health().text).toMatch(/^turns have waited for the test server for \d+ s/);
  runner.end('a1');
  await server.restart();
  await untilSecond(runner);
  await expect.poll(() => shared.health().isReady, soon).toBe(true);
  expect(new Set(runner.begun)).toEqual(new Set(['a1', 'a2']));
  runner.end('a2');
  await queue.idle();
  const ofServer = lines.filter((line) => !ofTurns.test(line));
  expect(ofServer).toEqual([
    "the queue can't use the Redis server the test server; turns wait until it can",
    'the queue can use the Redis server the test server again; turns resume',
  ]);
});

test('turns that no running process can post are told of once, wherever, until one can', async () => {
  const { server, shared, lines } = await startWorker();
  const { queue } = shared;
  await queue.start(running(async () => 'ended'));
  await queue.add({ turnId: 'q1', threadId: 'q:w:c:a' });
  await queue.add(turn('a', 1));
  const text = 'questions wait: no running process can post on q';
  await expect.poll(() => shared.health().text, { timeout: 50_000 }).toContain(`; ${text}`);
  expect(shared.health().isReady).toBe(true);
  const admin = await QueueAdmin.open(server.url);
  expect(await admin.view(1)).toMatchObject({ waiting: 1, running: 0, unserved: ['q'] });
  const other = await openQueue(server.url);
  await other.queue.start(running(async () => 'ended', undefined, ['q']));
  await queue.idle();
  await expect.poll(() => shared.health().text, soon).toBe('connected to the test server');
  expect(await admin.view(1)).toMatchObject({ waiting: 0, unserved: [] });
  await admin.close();
  const told = lines.filter((line) => line.includes('wait'));
  expect(told).toEqual([`${text}; start one that can`, 'these questions wait no longer']);
});

test('a server that hangs is told of once, and keeps no one waiting for ever', async () => {
  const { server, shared, lines } = await startWorker();
  const { queue } = shared;
  const runner = heldRunner();
  await queue.start(running(runner.run));
  await shared.stops.watch('a1', () => undefined);
  await queue.add(turn('a', 1));
  await runner.untilBegun(1);
  server.pause();
  await expect(queue.waiting(threadOf('a'))).rejects.toThrow(/no answer within 3 s/);
  await expect.poll(() => shared.health().isReady, soon).toBe(false);
  expect(shared.health().text).toMatch(
    /^turns have waited for the test server for \d+ s \(no answer within 3 s\)$/,
  );
  server.resume();
  await expect.poll(() => shared.health().isReady, soon).toBe(true);
  await expect
    .poll(() => {
      runner.end('a1');
      return queue.waiting(threadOf('a'));
    }, soon)
    .toBe(0);
  expect(lines.filter((line) => line.includes('the Redis server'))).toEqual([
    "the queue can't use the Redis server the test server; turns wait until it can",
    'the queue can use the Redis server the test server again; turns resume',
  ]);
  expect(lines.filter((line) => /could not|fail/.test(line))).toEqual([]);
});

test('what waits for a server that is away for long is not told again and again', async () => {
  const { server, shared, lines } = await startWorker();
  const { queue, stops } = shared;
  const runner = heldRunner();
  await queue.start(running(runner.run));
  const heard: string[] = [];
  await stops.watch('a1', () => heard.push('a1'));
  await queue.add(turn('a', 1));
  await runner.untilBegun(1);
  await server.kill();
  // Longer than any command waits, the one with the longest patience among them.
  for (let tries = 1; tries <= 2; tries += 1) {
    const watch = stops.watch('b1', () => heard.push('b1'));
    await expect(watch).rejects.toThrow(/can't be reached/);
  }
  await server.restart();
  await expect.poll(() => shared.health().isReady, soon).toBe(true);
  await expect
    .poll(() => {
      runner.end('a1');
      return queue.waiting(threadOf('a')).catch(() => 1);
    }, soon)
    .toBe(0);
  const ofServer = lines.filter((line) => !ofTurns.test(line));
  expect(ofServer).toEqual([
    "the queue can't use the Redis server the test server; turns wait until it can",
    'the queue can use the Redis server the test server again; turns resume',
  ]);
  expect(lines.filter((line) => line.startsWith('work '))).toHaveLength(1);
  // A watch that could not begin is none.
  for (const turnId of ['b1', 'a1']) await stops.request(turnId);
  await expect.poll(() => heard, soon).toEqual(['a1']);
});

test('a stop does not wait for ever for a server that is away', async () => {
  const { server, shared } = await startWorker();
  const runner = heldRunner();
  await shared.queue.start(running(runner.run));
  await shared.queue.add(turn('a', 1));
  await runner.untilBegun(1);
  await server.kill();
  await shared.queue.stop(0);
  await server.restart();
  expect(
    await server.command('LRANGE', `council:{queue}:inbox:${threadOf('a')}`, '0', '-1'),
  ).toEqual(['a1']);
});

test('a server that is full takes no new turn, ends those that run, and goes on when there is room', async () => {
  const { server, shared } = await startWorker({ 'maxmemory-policy': 'noeviction' });
  const { queue } = shared;
  const runner = heldRunner();
  await queue.start(running(runner.run));
  await queue.add(turn('a', 1));
  await queue.add(turn('a', 2));
  await runner.untilBegun(1);
  await server.command('CONFIG', 'SET', 'maxmemory', '1mb');
  await expect(queue.add(turn('b', 1))).rejects.toThrow(/OOM/);
  await expect(queue.add(turn('b', 1))).rejects.not.toThrow(/\.\./);
  runner.end('a1');
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
  await untilSecond(runner);
  runner.end('a2');
  await queue.idle();
  expect(runner.begun.at(-1)).toBe('a2');
});

test('a server that takes no changes for a while loses nothing', async () => {
  const { server, shared } = await startWorker();
  const { queue } = shared;
  const runner = heldRunner();
  await queue.start(running(runner.run));
  await queue.add(turn('a', 1));
  await queue.add(turn('a', 2));
  await runner.untilBegun(1);
  await server.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
  await expect(queue.add(turn('b', 1))).rejects.toThrow(/NOREPLICAS/);
  runner.end('a1');
  await server.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
  await untilSecond(runner);
  runner.end('a2');
  await queue.idle();
});

test('a worker whose own connections break is no outage', async () => {
  const server = await startRedisServer();
  const proxy = await openRedisProxy(server.port);
  const lines: string[] = [];
  const write = (_facts: object, sentence: string) => void lines.push(sentence);
  const shared = await openShared({
    url: `redis://${proxy.address}`,
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    log: { ...silentLog, info: write, warn: write, error: write },
  });
  onTestFinished(async () => {
    await shared.queue.stop(0);
    await shared.close();
    await proxy.close();
    await server.remove();
  });
  const runner = heldRunner();
  await shared.queue.start(running(runner.run));
  for (let n = 1; n <= 3; n += 1) {
    // The worker asks over the new connections, so it has heard of the break.
    await shared.queue.add(turn('a', n));
    await runner.untilBegun(n);
    proxy.resetYounger();
    runner.end(`a${n}`);
    await shared.queue.idle();
  }
  expect(lines.filter((line) => line.includes('the Redis server'))).toEqual([]);
});

/** How often a server has refused what was asked last. */
async function refusals({ command }: Pick<RedisServer, 'command'>): Promise<number> {
  const log = JSON.stringify(await command('ACL', 'LOG'));
  return Number(/"count",(\d+)/.exec(log)?.[1] ?? 0);
}

const toldOnce = [
  expect.stringContaining("can't use the Redis server"),
  expect.stringContaining('again; turns resume'),
];

test('a worker that alone is refused the password is told of once', async () => {
  const server = await startRedisServer({ settings: { requirepass: 'right' } });
  const proxy = await openRedisProxy(server.port);
  const lines: string[] = [];
  const write = (_facts: object, sentence: string) => void lines.push(sentence);
  const shared = await openShared({
    url: `redis://:right@${proxy.address}`,
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    log: { ...silentLog, info: write, warn: write, error: write },
  });
  const operator = await server.connect('right');
  onTestFinished(async () => {
    await shared.queue.stop(0);
    await shared.close();
    operator.close();
    await proxy.close();
    await server.remove();
  });
  await shared.queue.start(running(heldRunner().run));
  // Connections that are there stay; only the worker's is opened anew.
  await operator.command('CONFIG', 'SET', 'requirepass', 'changed');
  proxy.resetYounger();
  await expect.poll(() => refusals(operator), soon).toBeGreaterThan(8);
  expect(shared.health().isReady).toBe(false);
  await operator.command('CONFIG', 'SET', 'requirepass', 'right');
  await expect.poll(() => shared.health().isReady, soon).toBe(true);
  expect(lines.filter((line) => line.includes('the Redis server'))).toEqual(toldOnce);
});

test('a right that is taken away is told of once', async () => {
  const { server, shared, lines } = await startWorker();
  await shared.queue.start(running(heldRunner().run));
  await server.command('ACL', 'SETUSER', 'default', '-@blocking');
  await expect.poll(() => refusals(server), soon).toBeGreaterThan(8);
  expect(shared.health().isReady).toBe(false);
  await server.command('ACL', 'SETUSER', 'default', '+@all');
  await expect.poll(() => shared.health().isReady, soon).toBe(true);
  expect(lines).toEqual(toldOnce);
});

test('is refused at once by a server that wants another password', async () => {
  const server = await startRedisServer({ settings: { requirepass: 'right' } });
  onTestFinished(() => server.remove());
  const opening = openShared({
    url: server.url.replace('//', '//:wrong@'),
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    log: silentLog,
  });
  await expect(opening).rejects.toThrow(/refuses the user name or the password/);
});

test('outlives encrypted connections that break twice over', async () => {
  const authority = makeAuthority();
  authority.trust();
  const server = await startRedisServer({ certificate: authority.issue('localhost') });
  const proxy = await openRedisProxy(server.port);
  const uncaught: Error[] = [];
  const note = (error: Error) => void uncaught.push(error);
  process.on('uncaughtExceptionMonitor', note);
  const shared = await openShared({
    url: `rediss://${proxy.address.replace('127.0.0.1', 'localhost')}`,
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    log: silentLog,
  });
  onTestFinished(async () => {
    await shared.close();
    process.off('uncaughtExceptionMonitor', note);
    await proxy.close();
    await server.remove();
    authority.remove();
  });
  proxy.spoil();
  await expect.poll(() => shared.health().isReady, soon).toBe(false);
  await shared.stops.request('a1');
  await expect.poll(() => shared.health().isReady, soon).toBe(true);
  expect(uncaught).toEqual([]);
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { withPermits } from '../../src/models/usage.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import type { Coordination } from '../../src/queue/coordination.ts';
import { InlineSemaphores } from '../../src/queue/inline/inline-coordination.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { scriptedModel } from '../fakes/scripted-model.ts';

// The server is halted, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const soon = { timeout: 60_000, interval: 50 };
const { signal } = new AbortController();
const request = { messages: [], stage: 'sage', signal } as const;
const wanted = { name: 'calls:test', limit: 1, share: 'test:w', leaseMs: 5000 };
const heldKey = 'council:{queue}:permits:calls:test:held';

async function startServer(): Promise<RedisServer> {
  const server = await startRedisServer();
  onTestFinished(() => server.remove());
  return server;
}

/** A process, and how it dies: at once, without a word to the server. */
async function startProcess(
  { url }: RedisServer,
  log = silentLog,
): Promise<Coordination & { die(): Promise<void> }> {
  const shared = await openShared({
    url,
    name: 'the test server',
    concurrency: 1,
    log,
    unfinished: async () => [],
  });
  let isAlive = true;
  const die = async () => {
    if (isAlive) await shared.close();
    isAlive = false;
  };
  onTestFinished(die);
  return { ...shared, die };
}

test('a permit is given back by a stream that is left in the middle', async () => {
  const semaphores = new InlineSemaphores();
  const model = withPermits(scriptedModel('test:streams', [['One. ', 'Two.'], 'Three.']), {
    acquire: (ending) => semaphores.acquire(wanted, ending),
  });
  for await (const _chunk of model.stream(request)) break;
  expect((await model.complete(request)).text).toBe('Three.');
});

test('the caller’s clock stands still while a call waits, and goes on however the wait ends', async () => {
  const semaphores = new InlineSemaphores();
  const model = withPermits(scriptedModel('test:clock', ['One.']), {
    acquire: (ending) => semaphores.acquire(wanted, ending),
  });
  const told: string[] = [];
  const onWait = () => {
    told.push('waits');
    return () => void told.push('goes on');
  };
  await model.complete({ ...request, onWait });
  await semaphores.acquire(wanted, signal);
  const stop = new AbortController();
  const waiting = model.complete({ ...request, signal: stop.signal, onWait });
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  expect(told).toEqual(['waits', 'goes on', 'waits', 'goes on']);
});

test('permits and waiting calls of a dead process are free when its lease ends', async () => {
  const server = await startServer();
  const [dies, lives] = [await startProcess(server), await startProcess(server)];
  await dies.semaphores.acquire(wanted, signal);
  dies.semaphores.acquire(wanted, signal).catch(() => undefined);
  const waitingKey = heldKey.replace(/held$/, 'waiting');
  await expect.poll(() => server.command('ZCARD', waitingKey), soon).toBe(1);
  const waiting = lives.semaphores.acquire(wanted, signal);
  await expect.poll(() => server.command('ZCARD', waitingKey), soon).toBe(2);
  await dies.die();
  // As time does: the first holder's lease ends, and the place that was asked for before the other.
  for (const key of [heldKey, waitingKey]) {
    const [first] = [await server.command('ZRANGE', key, '0', '0')].flat();
    await server.command('ZADD', key, '1', String(first));
  }
  (await waiting)();
});

test('a process that lives holds on to its permit', async () => {
  const server = await startServer();
  const { semaphores } = await startProcess(server);
  const release = await semaphores.acquire(wanted, signal);
  const [holder] = [await server.command('ZRANGE', heldKey, '0', '0')].flat();
  const until = async () => Number(await server.command('ZSCORE', heldKey, String(holder)));
  const before = await until();
  await expect.poll(until, soon).toBeGreaterThan(before);
  release();
  await expect.poll(() => server.command('ZCARD', heldKey), soon).toBe(0);
});

test('calls wait while semaphores are out of reach, and lost requests are sent again', async () => {
  const server = await startServer();
  const lines: string[] = [];
  const note = (_facts: object, sentence: string) => void lines.push(sentence);
  const { semaphores } = await startProcess(server, { ...silentLog, info: note, warn: note });
  const release = await semaphores.acquire(wanted, signal);
  const waiting = semaphores.acquire(wanted, signal);
  await server.kill();
  await server.restart();
  // The server has forgotten all of it.
  await expect.poll(() => server.command('ZCARD', heldKey), soon).toBe(1);
  release();
  (await waiting)();
  expect(lines.filter((line) => line.startsWith('requests for semaphore')).length).toBeLessThan(3);
});

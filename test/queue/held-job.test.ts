/** What a worker may do to the queue once its job is another's. */

import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../src/domain/log.ts';
import { Inboxes } from '../../src/queue/bullmq/inboxes.ts';
import { Commands, QueueServer } from '../../src/queue/bullmq/server.ts';
import { maxStarts, worker } from '../../src/queue/bullmq/settings.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import type { QueuedTurn } from '../../src/queue/queue.ts';
import { heldRunner, running, threadOf, turn } from '../contracts/queue-runner.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

// Locks are renewed, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

async function startServer(): Promise<RedisServer> {
  const server = await startRedisServer();
  onTestFinished(() => server.remove());
  return server;
}

async function openQueue({ url }: RedisServer, concurrency = 1) {
  const { queue, close } = await openShared({
    url,
    name: 'the test server',
    log: silentLog,
    concurrency,
    unfinished: async () => [],
  });
  onTestFinished(async () => {
    await queue.stop(0);
    await close();
  });
  return queue;
}

test('who has lost the job of a thread neither takes its next turn nor ends one', async () => {
  const server = await startServer();
  const connection = new QueueServer(server.url);
  onTestFinished(() => connection.close());
  const inboxes = new Inboxes(new Commands(await connection.connect(false), () => false));
  await inboxes.push(turn('a', 1));
  await inboxes.push(turn('a', 2));
  const mine = { id: '1', token: 'mine' };
  const anothers = { id: '1', token: 'another’s' };
  const giveTo = ({ token }: typeof mine) =>
    server.command('SET', 'council:{queue}:turns-p:1:lock', token);
  await giveTo(mine);
  expect(await inboxes.claim(threadOf('a'), anothers, 1)).toBeUndefined();
  expect(await inboxes.claim(threadOf('a'), mine, 1)).toBe('a1');
  await giveTo(anothers);
  expect(await inboxes.claim(threadOf('a'), mine, 1)).toBeUndefined();
  const dead = { threadId: threadOf('a'), reason: 'a fault', starts: 1, diedAt: 1 };
  expect(await inboxes.settle(turn('a', 1), mine, dead)).toBeUndefined();
  expect(await inboxes.waiting(threadOf('a'))).toBe(2);
  expect(await server.command('HLEN', 'council:{queue}:dead')).toBe(0);
  expect(await inboxes.claim(threadOf('a'), anothers, 1)).toBe('a1');
  expect(await inboxes.settle(turn('a', 1), anothers)).toBeGreaterThan(0);
  expect(await inboxes.claim(threadOf('a'), anothers, 2)).toBe('a2');
});

test('a run whose lock went to another process is aborted, and ends nothing', async () => {
  const server = await startServer();
  const queue = await openQueue(server);
  let reason: unknown;
  const begun = Promise.withResolvers<void>();
  await queue.start(
    running(async (_turn, signal) => {
      begun.resolve();
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          resolve();
        });
      });
      return 'ended';
    }),
  );
  await queue.add(turn('a', 1));
  await begun.promise;
  const [lock = ''] = z
    .array(z.string())
    .parse(await server.command('KEYS', 'council:{queue}:turns-p:*:lock'));
  // As that process has it, which never ends.
  await server.command('SET', lock, 'another’s');
  await expect.poll(() => reason).toBeInstanceOf(Error);
  expect(await queue.waiting(threadOf('a'))).toBe(1);
});

test('a lock is renewed long before it expires, so that a busy process keeps its turns', async () => {
  const server = await startServer();
  const queue = await openQueue(server, 10);
  const runner = heldRunner();
  await queue.start(running(runner.run));
  const threads = [...'abcdefghij'];
  const leftMs: number[] = [];
  // Begun one after another, because all are renewed at once.
  for (const [index, thread] of [...threads, ...threads].entries()) {
    if (index < threads.length) await queue.add(turn(thread, 1));
    await wait(100);
    for (const job of threads.keys()) {
      const left = await server.command('PTTL', `council:{queue}:turns-p:${job + 1}:lock`);
      if (Number(left) > 0) leftMs.push(Number(left));
    }
  }
  for (const thread of threads) runner.end(`${thread}1`);
  await queue.idle();
  expect(leftMs.length).toBeGreaterThan(100);
  expect(Math.min(...leftMs)).toBeGreaterThan(worker.lockDuration * 0.6);
  expect(runner.begun).toHaveLength(threads.length);
});

test('a turn that was begun too often is put aside before it is begun again', async () => {
  const server = await startServer();
  const gateway = await openQueue(server);
  await gateway.add(turn('a', 1));
  await gateway.add(turn('a', 2));
  const [job = ''] = z
    .array(z.string())
    .parse(await server.command('KEYS', 'council:{queue}:turns-p:*'))
    .filter((key) => /:turns-p:\d+$/.test(key));
  await server.command('HSET', job, 'ats', String(maxStarts));
  const taking = await openQueue(server);
  const runner = heldRunner();
  const aside: QueuedTurn[] = [];
  await taking.start(running(runner.run, async (one) => void aside.push(one)));
  await runner.untilBegun(1);
  runner.end('a2');
  await taking.idle();
  expect(runner.begun).toEqual(['a2']);
  expect(aside).toEqual([turn('a', 1)]);
  const dead = String(await server.command('HGET', 'council:{queue}:dead', 'a1'));
  expect(dead).toContain(`It was started ${maxStarts} times and never ended.`);
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import { running, turn } from '../contracts/queue-runner.ts';
import { startRedisServer } from '../fakes/redis-server.ts';

// Locks expire and are looked for, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

test('a process that is given a turn again that it has lost runs it once, and keeps it', async () => {
  const server = await startRedisServer();
  const { queue, close } = await openShared({
    url: server.url,
    name: 'the test server',
    log: silentLog,
    concurrency: 2,
    unfinished: async () => [],
  });
  onTestFinished(async () => {
    await queue.stop(0);
    await close();
    await server.remove();
  });
  const runs: PromiseWithResolvers<void>[] = [];
  let together = 0;
  let most = 0;
  let hasLost = false;
  await queue.start(
    running(async (_turn, signal) => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      together += 1;
      most = Math.max(most, together);
      signal.addEventListener('abort', () => {
        hasLost = true;
      });
      await run.promise;
      together -= 1;
      return 'ended';
    }),
  );
  const found = async (pattern: string) =>
    z.array(z.string()).parse(await server.command('KEYS', pattern));
  const locks = () => found('council:{queue}:turns-p:*:lock');
  const holderOf = async (key: string | undefined) => server.command('GET', key ?? '');

  await queue.add(turn('a', 1));
  await expect.poll(() => runs.length).toBe(1);
  const [lock] = await locks();
  const first = await holderOf(lock);
  // As it expires while the server, or the process, is halted.
  await server.command('DEL', lock ?? '');
  await expect.poll(() => hasLost).toBe(true);
  await expect.poll(() => holderOf(lock)).not.toBeOneOf([first, null]);
  // What was lost comes to its end late: after the turn was given to the same process again.
  runs[0]?.resolve();
  await expect.poll(() => runs.length).toBe(2);
  const second = await holderOf(lock);
  let leftMs = Number.POSITIVE_INFINITY;
  const isRenewed = async () => {
    const before = leftMs;
    leftMs = Number(await server.command('PTTL', lock ?? ''));
    return leftMs > before;
  };
  await expect.poll(isRenewed).toBe(true);
  expect(await holderOf(lock)).toBe(second);
  runs[1]?.resolve();
  await queue.idle();
  expect(runs).toHaveLength(2);
  expect(most).toBe(1);
});

test('a run that is lost is told of once, however long it takes to end', async () => {
  const server = await startRedisServer();
  const lines: string[] = [];
  const { queue, close } = await openShared({
    url: server.url,
    name: 'the test server',
    concurrency: 2,
    unfinished: async () => [],
    log: { ...silentLog, warn: (_facts: object, sentence: string) => void lines.push(sentence) },
  });
  onTestFinished(async () => {
    await queue.stop(0);
    await close();
    await server.remove();
  });
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await queue.start(
    running(async () => {
      begun.resolve();
      await end.promise;
      return 'ended';
    }),
  );
  await queue.add(turn('a', 1));
  await begun.promise;
  // As when the server starts without its data.
  await server.command('FLUSHALL');
  await expect.poll(() => lines.length, { timeout: 30_000 }).toBeGreaterThan(0);
  const scripts = async () => {
    const counts = String(await server.command('INFO', 'commandstats'));
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(counts)?.[1]);
  };
  const before = await scripts();
  // Several more tries to renew the lock are among them.
  await expect.poll(scripts, { timeout: 30_000 }).toBeGreaterThan(before + 20);
  end.resolve();
  expect(lines).toHaveLength(1);
});

test('a turn whose job was lost runs, though a later one of its thread failed for good', async () => {
  const server = await startRedisServer();
  const [lost, dead] = [turn('a', 1), turn('a', 2)];
  const { threadId } = lost;
  // As a process leaves it that dies after it put the turn into the inbox.
  await server.command('RPUSH', `council:{queue}:inbox:${threadId}`, lost.turnId);
  const why = JSON.stringify({ threadId, reason: 'It failed.', starts: 10, diedAt: 1 });
  await server.command('HSET', 'council:{queue}:dead', dead.turnId, why);
  const { queue, close } = await openShared({
    url: server.url,
    name: 'the test server',
    log: silentLog,
    concurrency: 1,
    unfinished: async () => [lost, dead],
  });
  onTestFinished(async () => {
    await queue.stop(0);
    await close();
    await server.remove();
  });
  const ran = Promise.withResolvers<string>();
  await queue.start(
    running(async ({ turnId }) => {
      ran.resolve(turnId);
      return 'ended';
    }),
  );
  expect(await ran.promise).toBe(lost.turnId);
}, 30_000);

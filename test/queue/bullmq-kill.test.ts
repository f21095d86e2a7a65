import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL('turn-process.ts', import.meta.url));
/** Within which a turn is taken over: what is promised. */
const takenOver = { timeout: 10_000, interval: 50 };

async function startWorker({ url }: RedisServer): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

async function startTwo() {
  const server = await startRedisServer();
  onTestFinished(() => server.remove());
  const { queue, close } = await openShared({
    url: server.url,
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    log: silentLog,
  });
  onTestFinished(async () => {
    await queue.stop(0);
    await close();
  });
  const workers = [await startWorker(server), await startWorker(server)];
  const add = (...turnIds: readonly string[]) =>
    Promise.all(turnIds.map((turnId) => queue.add({ turnId, threadId: 'p:w:c:t' })));
  const told = async () =>
    z.array(z.string()).parse(await server.command('LRANGE', 'told', '0', '-1'));
  const whoBegan = async (turnId: string) =>
    (await told()).flatMap((line) =>
      line.startsWith(`begun ${turnId} `) ? [line.split(' ')[2]] : [],
    );
  const end = (turnId: string) => server.command('SET', `end:${turnId}`, '1');
  /** The process that runs the turn, and the other one. */
  async function runnerOf(turnId: string) {
    await expect.poll(() => whoBegan(turnId), takenOver).toHaveLength(1);
    const [pid] = await whoBegan(turnId);
    const running = workers.find((worker) => String(worker.pid) === pid);
    const other = workers.find((worker) => worker !== running);
    if (!running || !other) throw new Error(`Nobody knows process ${pid}.`);
    return { running, other };
  }
  return { queue, add, told, whoBegan, end, runnerOf };
}

test('a turn whose process was killed is taken over within 10 s, and the thread goes on in order', async () => {
  const { queue, add, told, whoBegan, end, runnerOf } = await startTwo();
  await add('one');
  await add('two');
  const { running, other } = await runnerOf('one');
  running.kill('SIGKILL');
  await expect.poll(() => whoBegan('one'), takenOver).toHaveLength(2);
  expect(await whoBegan('two')).toEqual([]);
  await end('one');
  await end('two');
  await queue.idle();
  expect(await told()).toEqual([
    `begun one ${running.pid}`,
    `begun one ${other.pid}`,
    `ended one ${other.pid}`,
    `begun two ${other.pid}`,
    `ended two ${other.pid}`,
  ]);
});

test('a process that was halted for longer than its lock ends nothing that another runs by then', async () => {
  const { queue, add, told, whoBegan, end, runnerOf } = await startTwo();
  await add('one');
  await add('two');
  const { running, other } = await runnerOf('one');
  running.kill('SIGSTOP');
  await expect.poll(() => whoBegan('one'), takenOver).toHaveLength(2);
  await end('one');
  await expect.poll(() => whoBegan('two'), takenOver).toHaveLength(1);
  running.kill('SIGCONT');
  // It finds its turn ended while the other one runs the next.
  await expect.poll(told, takenOver).toContain(`ended one ${running.pid}`);
  await add('three');
  await end('two');
  await end('three');
  await queue.idle();
  expect(await whoBegan('two')).toEqual([String(other.pid)]);
  expect(await whoBegan('three')).toHaveLength(1);
  expect((await told()).filter((line) => line.startsWith('ended t')).length).toBe(2);
});

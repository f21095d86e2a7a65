import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { running } from '../contracts/queue-runner.ts';
import { newTurn, turnKey } from '../contracts/store/samples.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { runCouncil } from './council-process.ts';
import { temporaryProject } from './temporary-project.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

/** A queue with turns that were put aside, and the command that looks at it. */
async function withDead(...turnIds: readonly string[]) {
  const server = await startRedisServer();
  const store = await openRedisStore({ url: server.url });
  const shared = await openShared({
    url: server.url,
    name: 'the test server',
    concurrency: 1,
    unfinished: async () => [],
    tries: 1,
    log: silentLog,
  });
  onTestFinished(async () => {
    await shared.queue.stop(0);
    await shared.close();
    await store.close();
    await server.remove();
  });
  const ran: string[] = [];
  const told: string[] = [];
  let isBroken = true;
  await shared.queue.start(
    running(
      async ({ turnId }) => {
        ran.push(turnId);
        if (isBroken) throw new Error('The store\nhas a hole.');
        return new Promise<'ended'>(() => undefined);
      },
      async ({ turnId }) => void told.push(turnId),
      ['terminal'],
    ),
  );
  for (const turnId of turnIds) {
    const turn = newTurn(turnId);
    await store.turns.begin(turn);
    await shared.queue.add(turn);
  }
  await shared.queue.idle();
  isBroken = false;
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const queue = (...args: readonly string[]) =>
    runCouncil({ folder, args: ['queue', ...args], environment: { REDIS_URL: server.url } });
  return { add: shared.queue.add.bind(shared.queue), store, queue, ran, told };
}

test('tells what was put aside and why, runs one again and drops another', async () => {
  const { queue, ran, told, store } = await withDead('one', 'two', 'three');
  expect(told).toEqual(['one', 'two', 'three']);
  const seen = await queue();
  expect(seen.stdout).toContain('0 running, 0 waiting, 0 to be retried, 3 failed for good.');
  expect(seen.code).toBe(0);
  expect(seen.stdout).toContain('`npm run council -- queue dead` says why they failed.');
  const dead = await queue('dead');
  expect(dead.stdout).toMatch(/two .*\n {2}.* after 1 run: The store has a hole\./);
  expect(dead.stdout).toContain('`npm run council -- queue retry ID` runs one again');

  expect(await queue('retry', 'two')).toMatchObject({ code: 0, stdout: 'two is queued again.\n' });
  await expect.poll(() => ran).toEqual(['one', 'two', 'three', 'two']);
  const again = (await queue()).stdout;
  expect(again).toContain('1 running, 0 waiting, 0 to be retried, 2 failed for good.');
  expect(again).toContain('1 turn, became busy just now, next two');

  const dropped = await queue('drop', 'all', '--json');
  expect(JSON.parse(dropped.stdout)).toEqual({ drop: ['one', 'three'] });
  expect(await store.turns.read(turnKey('one'))).toMatchObject({
    status: 'ended',
    outcome: 'failed',
  });
  expect(await store.turns.unfinished(10)).toMatchObject([{ turnId: 'two' }]);
  expect(JSON.parse((await queue('dead', '--json')).stdout)).toEqual([]);
});

test('says so when no such turn was put aside', async () => {
  const { queue } = await withDead('one');
  const ended = await queue('retry', 'nothing');
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('No turn nothing has failed for good');
  expect(ended.stderr).toContain('`npm run council -- queue dead` lists those that have.');
});

test('a turn that was put aside is not taken up again by itself', async () => {
  const { add, queue, ran } = await withDead('one');
  await add(newTurn('one'));
  await add(newTurn('two'));
  await expect.poll(() => ran).toEqual(['one', 'two']);
  expect((await queue('retry', 'all')).code).toBe(0);
  expect((await queue('dead')).stdout).toBe('No turn has failed for good.\n');
});

test('without Redis there is nothing to look at', async () => {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const ended = await runCouncil({ folder, args: ['queue'] });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain('in REDIS_URL there is no queue to look at');
});

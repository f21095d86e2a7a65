import { afterAll, beforeAll, expect, test } from 'vitest';
import { Background } from '../../src/app/background.ts';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { scriptedModel } from '../fakes/scripted-model.ts';
import { threadId } from '../memory/remembering.ts';
import { redisFixture } from '../store/redis-fixture.ts';
import { liveShards, pace, sharding, toldTurn, wholeSummary } from './sharding.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.remove());

test('of several processes on a server, one makes the shards of a thread', async () => {
  const fixture = await redisFixture(server);
  const store = await fixture.open();
  let now = startOfTime;
  const model = scriptedModel('test:compactor', [wholeSummary]);
  const processes = await Promise.all(
    ['one', 'two', 'three'].map(async () => {
      const shared = await openShared({
        url: server.url,
        name: 'the test server',
        concurrency: 1,
        log: silentLog,
        unfinished: async () => [],
      });
      const background = new Background(silentLog);
      const run = (subject: string) => (signal: AbortSignal) => work.run(subject, signal);
      const { work } = sharding(store, {
        model,
        quotas: shared.quotas,
        semaphores: shared.semaphores,
        now: () => now,
        request: async (threadId) => background.start('summaries', run(threadId)),
      });
      background.repeat('searches for summaries', 50, run(''));
      return { ...shared, background, work };
    }),
  );
  const [first] = processes;
  if (!first) throw new Error('No process was started.');
  await toldTurn(first, store, 'turn1');
  now += pace.everyMs;
  await expect.poll(() => liveShards(store, threadId)).toHaveLength(1);
  await Promise.all(
    processes.map(async ({ queue, background, close }) => {
      await Promise.all([queue.stop(5000), background.stop(5000)]);
      await close();
    }),
  );
  expect(model.requests).toHaveLength(1);
  expect((await liveShards(store))[0]?.sourceIds).toHaveLength(3);
  await fixture.remove();
});

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DumpRecord } from '../../src/store/copy.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { openRedisDump } from '../../src/store/redis-dump.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { everythingIn, fill } from '../contracts/store/full-store.ts';
import { shard } from '../contracts/store/memory-samples.ts';
import { endedTurn, imported, newTurn, runningTurn, usage } from '../contracts/store/samples.ts';
import { storeContract } from '../contracts/store.ts';
import { type RedisCluster, startRedisCluster } from '../fakes/redis-cluster.ts';
import { redisFixture } from './redis-fixture.ts';

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster?.remove());

storeContract('a Redis cluster', () =>
  redisFixture({ url: cluster.url, command: cluster.everywhere }),
);

const part = fc.string({ unit: fc.constantFrom('a', 'ä', '{', '}', '%', '"', ' ', '\n', '7b') });
const threadIds = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(':'));

test('does everything in one slot, whatever a thread and its workspace are called', async () => {
  await cluster.everywhere('FLUSHALL');
  let now = startOfTime;
  const url = cluster.url;
  const store = await openRedisStore({ url, retentionDays: 1, now: () => now });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(threadIds, async (threadId) => {
      count += 1;
      const ids = { threadId, createdAt: now };
      const turn = newTurn(`turn-${count}`, ids);
      const { attempt } = await runningTurn(store, turn);
      const call = usage(turn.turnId, 'call', { threadId });
      await store.turns.checkpoint({ ...turn, attempt, usage: [call] });
      await store.spend([`user:${threadId}`, 'total:any:any'], 0.25);
      await store.messages.append([
        imported(`q-${count}`, 'human', { ...ids, isPrivate: false }),
        imported(`a-${count}`, 'ai', { ...ids, turnId: 'elsewhere', isPrivate: true }),
      ]);
      const made = shard(`s-${count}`, { threadId, sourceIds: [`q-${count}`], agesFrom: now });
      await store.memories.keepShard(made);
      const key = { kind: 'shard', threadId, id: made.id } as const;
      const vector = { model: 'p:m', dimensions: 1, values: Int8Array.of(1) };
      await store.memories.keepVectors([{ key, vector }]);
      await store.settings.write(`x:${threadId}`, { one: 1 }, { setBy: 'ada', setAt: now });
      expect(await store.settings.read([`x:${threadId}`, 'other'])).toMatchObject([
        { one: {} },
        {},
      ]);
      expect(await store.memories.vectors('p:m', [key])).toEqual([vector]);
      expect((await store.turns.read(turn))?.threadId).toBe(threadId);
      expect((await store.turns.read(turn))?.usage).toEqual([call]);
      const [last] = await store.messages.page(threadId, { limit: 9 });
      expect(last?.threadId).toBe(threadId);
      expect(await store.turns.list(threadId, { limit: 9 })).not.toEqual([]);
      for (const reach of ['thread', 'channel', 'workspace'] as const) {
        const { shards } = await store.memories.read({ threadId, reach }, { limit: 500 });
        expect(shards.map(({ id }) => id)).toContain(made.id);
      }
      expect(await store.messages.recent(threadId, { limit: 9 })).not.toEqual([]);
    }),
    { numRuns: 60 },
  );
  expect(await store.turns.unfinished(1000)).toHaveLength(count);
  now += 2 * 86_400_000;
  // A turn, two messages and a shard each.
  expect(await store.sweep(10_000)).toBe(4 * count);
  expect(await store.turns.unfinished(1000)).toEqual([]);
  await store.close();
});

test('is copied from and to a cluster, with all of its servers', async () => {
  await cluster.everywhere('FLUSHALL');
  const now = () => startOfTime;
  const dump = await openRedisDump({ url: cluster.url, now });
  const { store } = dump;
  await fill(store);
  // One workspace is on one server.
  const threads = Array.from({ length: 12 }, (_, at) => `terminal:${at}:main:thread`);
  for (const threadId of threads) await endedTurn(store, newTurn(`of ${threadId}`, { threadId }));
  const before = await everythingIn(store);
  const records: DumpRecord[] = [];
  for await (const portion of dump.read(20)) records.push(...portion.records);
  const turns = records.flatMap((record) => (record.kind === 'turn' ? [record.turn.turnId] : []));
  expect(turns).toEqual(expect.arrayContaining(threads.map((threadId) => `of ${threadId}`)));
  await cluster.everywhere('FLUSHALL');
  await dump.write(records);
  expect(await everythingIn(store)).toEqual(before);
  await store.close();
});

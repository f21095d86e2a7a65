import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { Notes, type Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { shard } from '../contracts/store/memory-samples.ts';
import {
  answer,
  endedTurn,
  imported,
  newTurn,
  otherThreadId,
  runningTurn,
  threadId,
  turnKey,
  usage,
} from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

const sages = ['taleb', 'naval', 'aurelius', 'engineer'];
const spendScopes = [
  'user:terminal:home:ada',
  'channel:terminal:home:1',
  'workspace:terminal:home',
];
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());
beforeEach(() => server.command('FLUSHALL'));

/** Four sages who answer, each at a time of its own, and review each other. */
async function wholeTurn(store: Store, turnId: string): Promise<void> {
  await store.turns.begin(newTurn(turnId));
  const [taken] = await Promise.all([
    store.turns.take(turnKey(turnId)),
    store.messages.recent(threadId, { limit: 3, exceptTurnId: turnId }),
  ]);
  const attempt = taken?.attempt ?? 0;
  const step = { turnId, threadId, attempt };
  const pending = sages.map((sage) => answer(turnId, sage, { status: 'pending' }));
  const seated = { kind: 'seated', key: '', data: { seats: sages } };
  const call = (id: string) => ({ usage: [usage(turnId, id)] });
  await store.turns.checkpoint({ ...step, ...call('m'), messages: pending, steps: [seated] });
  for (const sage of sages) {
    const messages = [answer(turnId, sage)];
    await store.turns.checkpoint({ ...step, ...call(`a-${sage}`), messages });
  }
  for (const sage of sages) {
    const steps = [{ kind: 'reviewed', key: sage, data: { review: 'Sound.' } }];
    await store.turns.checkpoint({ ...step, ...call(`r-${sage}`), steps });
  }
  const verdict = { kind: 'verdict', key: '', data: { verdict: 'Wait.' } };
  const end = { outcome: 'answered', endedAt: startOfTime + 1 };
  await store.turns.checkpoint({ ...step, ...call('v'), steps: [verdict], end });
}

/** How often the server has read from its clients. */
async function readsOf(admin: (...words: string[]) => Promise<unknown>): Promise<number> {
  const stats = z.string().parse(await admin('INFO', 'stats'));
  return Number(/total_reads_processed:(\d+)/.exec(stats)?.[1]);
}

test('takes 12 round trips for a whole turn of four sages, as the server counts them', async () => {
  const store = await openRedisStore({ url: server.url });
  await wholeTurn(store, 'the first, which teaches the server the scripts');
  const admin = await server.connect();
  const before = await readsOf(admin.command);
  await wholeTurn(store, 'one');
  const reads = (await readsOf(admin.command)) - before;
  // The look at the figures is one of them.
  expect(reads - 1).toBe(12);
  admin.close();
  await store.close();
});

test('reads a context, and what is asked for with it, in one round trip', async () => {
  const store = await openRedisStore({ url: server.url });
  for (const turnId of ['one', 'two', 'three', 'four']) await wholeTurn(store, turnId);
  const read = () =>
    Promise.all([
      store.messages.recent(threadId, { limit: 3 }),
      store.turns.read(turnKey('one')),
      store.spent(spendScopes, startOfTime),
    ]);
  // Teaches the server the scripts.
  await read();
  const admin = await server.connect();
  const before = await readsOf(admin.command);
  const [recent] = await read();
  const reads = (await readsOf(admin.command)) - before;
  expect(recent.map(({ answers }) => answers.length)).toEqual([4, 4, 4]);
  expect(reads - 1).toBe(1);
  admin.close();
  await store.close();
});

test('makes a context of a scope that it holds in one round trip', async () => {
  const store = await openRedisStore({ url: server.url });
  for (const turnId of ['one', 'two', 'three', 'four']) await wholeTurn(store, turnId);
  const onTrouble = (error: unknown) => {
    throw error;
  };
  const recollection = new Recollection({ store: store.memories, onTrouble });
  const scope = { threadId, reach: 'workspace' } as const;
  const make = () =>
    Promise.all([
      store.messages.recent(threadId, { limit: 3 }),
      recollection.open({ scope, text: 'taleb', language: 'auto' }),
    ]);
  await make();
  const admin = await server.connect();
  const before = await readsOf(admin.command);
  const [, search] = await make();
  const reads = (await readsOf(admin.command)) - before;
  expect(search(9, () => false)).toHaveLength(9);
  expect(reads - 1).toBe(1);
  admin.close();
  await store.close();
});

test('walks through no keys, whatever it is asked', async () => {
  await server.command('CONFIG', 'RESETSTAT');
  const now = () => startOfTime;
  const store = await openRedisStore({ url: server.url, retentionDays: 1, now });
  await wholeTurn(store, 'one');
  await store.messages.append([imported('q', 'human'), imported('a', 'ai')]);
  await store.turns.list(threadId, { limit: 9 });
  await store.turns.unfinished(9);
  await store.messages.page(threadId, { limit: 9 });
  await store.settings.write('channel:1', { depth: 'quick' }, { setBy: 'ada', setAt: 1 });
  await store.settings.read(['channel:1']);
  await store.spent(spendScopes, startOfTime);
  await store.claim('sweeping', 1000);
  await store.memories.keepShard(shard('short', { sourceIds: ['q', 'a'] }));
  await store.memories.read({ threadId, reach: 'workspace' }, { limit: 500 });
  await store.memories.vectors('p:m', [{ kind: 'shard', threadId, id: 'short' }]);
  while ((await store.sweep(100)) > 0);
  const stats = z.string().parse(await server.command('INFO', 'commandstats'));
  const used = [...stats.matchAll(/^cmdstat_([^:]+):/gm)].map(([, command]) => command);
  expect(used).toContain('evalsha');
  for (const walking of ['keys', 'scan', 'hscan', 'sscan', 'zscan', 'randomkey', 'sort']) {
    expect(used).not.toContain(walking);
  }
  await store.close();
});

test('keeps everything of a workspace in one slot of a cluster, whatever its name', async () => {
  const cluster = await startRedisServer({ settings: { 'cluster-enabled': 'yes' } });
  const store = await openRedisStore({ url: server.url });
  const slots = new Set<unknown>();
  for (const thread of [threadId, otherThreadId, '}odd{', '{}', '%7d', '']) {
    await server.command('FLUSHALL');
    await endedTurn(store, newTurn('one', { threadId: thread }));
    await store.messages.append([imported('q', 'human', { threadId: thread })]);
    const all = z.array(z.string()).parse(await server.command('KEYS', 'council:{*'));
    const keys = all.filter((key) => !key.startsWith('council:{workspaces}:'));
    const ofThread = await Promise.all(
      keys.map((key) => cluster.command('CLUSTER', 'KEYSLOT', key)),
    );
    expect(keys.length).toBeGreaterThan(6);
    expect(new Set(ofThread).size, thread).toBe(1);
    slots.add(ofThread[0]);
    expect((await store.messages.page(thread, { limit: 9 }))[0]?.threadId).toBe(thread);
    expect((await store.turns.list(thread, { limit: 9 }))[0]?.threadId).toBe(thread);
  }
  expect(slots.size).toBe(6);
  await store.close();
  await cluster.remove();
});

test('leaves no key and no word of what was swept', async () => {
  let now = startOfTime;
  const store = await openRedisStore({ url: server.url, retentionDays: 1, now: () => now });
  const { attempt } = await runningTurn(store, newTurn('one'));
  const steps = [{ kind: 'verdict', key: '', data: { verdict: 'Wait.' } }];
  const messages = [answer('one', 'taleb')];
  await store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages, steps });
  await store.messages.append([
    imported('q', 'human', { isPrivate: false }),
    imported('a', 'ai', { turnId: 'elsewhere', isPrivate: true }),
  ]);
  const made = shard('short', { sourceIds: ['q', 'a'] });
  await store.memories.keepShard(made);
  const vector = { model: 'p:m', dimensions: 1, values: Int8Array.of(1) };
  const keys = ['q', 'taleb-in-one'].map((id) => ({ kind: 'message', threadId, id }) as const);
  await store.memories.keepVectors([
    ...keys.map((key) => ({ key, vector })),
    { key: { kind: 'shard', threadId, id: 'short' }, vector },
  ]);
  now += 2 * 86_400_000;
  expect(await store.sweep(100)).toBe(4);
  const left = z.array(z.string()).parse(await server.command('KEYS', '*'));
  expect(left).toEqual([]);
  await store.close();
});

test('writes a note without reading the others of its scope, however many there are', async () => {
  const store = await openRedisStore({ url: server.url });
  const notes = new Notes(store.settings, 'heard-of:p:w:uma', { now: Date.now, keptMs: 60_000 });
  const many = Array.from({ length: 500 }, (_, at) => [`turn ${at}`, { threadId }] as const);
  await notes.put(Object.fromEntries(many));
  await server.command('CONFIG', 'RESETSTAT');
  await notes.put({ 'one more': { threadId } });
  await notes.drop(['turn 7']);
  const stats = z.string().parse(await server.command('INFO', 'commandstats'));
  expect(stats).toContain('cmdstat_hset');
  expect(stats).not.toMatch(/cmdstat_(?:hgetall|hkeys|hvals|hscan)/);
  expect((await notes.list()).size).toBe(500);
  await store.close();
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openRedisStore } from '../../src/store/redis.ts';
import { Notes } from '../../src/store/store.ts';
import { shard } from '../contracts/store/memory-samples.ts';
import {
  endedTurn,
  imported,
  newTurn,
  runningTurn,
  threadId,
  usage,
} from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

const page = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8');
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());

/** The keys in the first column of the page's tables, each as a pattern. */
function documentedKeys(): readonly RegExp[] {
  const cells = page.split('\n').flatMap((line) => /^\| (`council:[^|]+) \|/.exec(line)?.[1] ?? []);
  return cells
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key))
    .map((key) => {
      const escaped = key.replaceAll(/[{}]/g, '\\$&');
      const named = escaped.replace('W\\}', '[^}]+\\}').replace('T\\}', '[^}]*\\}');
      return new RegExp(`^${named.replace(/<\w+>$/, '.+')}$`);
    });
}

test('uses the keys that are documented, and no others', async () => {
  const store = await openRedisStore({ url: server.url });
  await endedTurn(store, newTurn('one'));
  const { attempt } = await runningTurn(store, newTurn('two'));
  const spendScopes = ['user:terminal:home:ada'];
  await store.turns.checkpoint({
    turnId: 'two',
    threadId,
    attempt,
    usage: [usage('two', 'a')],
  });
  await store.messages.append([
    imported('q', 'human', { isPrivate: false }),
    imported('a', 'ai', { turnId: 'elsewhere' }),
  ]);
  await store.spend(spendScopes, 0.5);
  await store.memories.keepShard(shard('old', { sourceIds: ['q'] }));
  await store.memories.keepShard(shard('short', { sourceIds: ['q'] }), ['old']);
  await endedTurn(store, newTurn('gone'));
  await store.forget({ threadId, turnIds: ['gone'], messageIds: [] });
  const vector = { model: 'p:m', dimensions: 1, values: Int8Array.of(1) };
  await store.memories.keepVectors([{ key: { kind: 'shard', threadId, id: 'short' }, vector }]);
  await store.settings.write(
    'channel:terminal:home:1',
    { depth: 'quick' },
    { setBy: 'ada', setAt: 1 },
  );
  const notes = new Notes(store.settings, 'rate:terminal:home', { now: Date.now, keptMs: 60_000 });
  await notes.put({ passing: true });
  await store.claim('sweeping', 1000);
  await store.close();
  const keys = z.array(z.string()).parse(await server.command('KEYS', '*'));
  const patterns = documentedKeys();
  expect(patterns.length).toBeGreaterThan(25);
  for (const key of keys)
    expect(
      patterns.filter((one) => one.test(key)),
      key,
    ).not.toEqual([]);
  for (const one of patterns)
    expect(
      keys.filter((key) => one.test(key)),
      String(one),
    ).not.toEqual([]);
});

test('gives a time to live to settings that expire, as long as none that stay are beside them', async () => {
  await server.command('FLUSHALL');
  const store = await openRedisStore({ url: server.url });
  const by = { setBy: 'ada', setAt: 1 };
  const leftOf = async (scope: string) =>
    z.number().parse(await server.command('PTTL', `council:{terminal:home}:settings:${scope}`));
  await store.settings.write(
    'rate:terminal:home:ada',
    { one: 1 },
    { ...by, expiresAt: Date.now() + 60_000 },
  );
  await store.settings.write(
    'rate:terminal:home:ada',
    { two: 2 },
    { ...by, expiresAt: Date.now() + 9_000 },
  );
  expect(await leftOf('rate:terminal:home:ada')).toBeGreaterThan(50_000);
  expect(await leftOf('rate:terminal:home:ada')).toBeLessThanOrEqual(60_000);
  await store.settings.write('channel:terminal:home:1', { depth: 'quick' }, by);
  await store.settings.write(
    'channel:terminal:home:1',
    { draft: 1 },
    { ...by, expiresAt: Date.now() + 9_000 },
  );
  await store.settings.write('rate:terminal:home:ada', { stays: 3 }, by);
  expect(await leftOf('channel:terminal:home:1')).toBe(-1);
  expect(await leftOf('rate:terminal:home:ada')).toBe(-1);
  await store.close();
});

test('gives a time to live to settings that expire, whatever is taken away beside them', async () => {
  await server.command('FLUSHALL');
  const store = await openRedisStore({ url: server.url });
  const by = { setBy: 'ada', setAt: 1 };
  const scope = 'rate:terminal:home:ada';
  const left = async () =>
    z.number().parse(await server.command('PTTL', `council:{terminal:home}:settings:${scope}`));
  await store.settings.write(scope, { stays: 1 }, by);
  await store.settings.write(scope, { one: 1 }, { ...by, expiresAt: Date.now() + 60_000 });
  expect(await left()).toBe(-1);
  await store.settings.write(scope, { stays: null }, by);
  expect(await left()).toBeGreaterThan(50_000);
  await store.settings.write(scope, { unheard: null }, by);
  expect(await left()).toBeGreaterThan(50_000);
  await store.close();
});

test('writes beside a setting that is damaged, and over it', async () => {
  await server.command('FLUSHALL');
  const store = await openRedisStore({ url: server.url });
  const by = { setBy: 'ada', setAt: 1 };
  const scope = 'rate:terminal:home:ada';
  const key = `council:{terminal:home}:settings:${scope}`;
  await server.command('HSET', key, 'one', 'no JSON', 'two', '7');
  await store.settings.write(scope, { three: 3 }, { ...by, expiresAt: Date.now() + 60_000 });
  expect(await server.command('PTTL', key)).toBe(-1);
  await expect(store.settings.read([scope])).rejects.toThrow(/^Setting one of .* is damaged/);
  await store.settings.write(scope, { one: 1, two: 2 }, by);
  expect(Object.keys((await store.settings.read([scope]))[0] ?? {}).toSorted()).toEqual([
    ...['one', 'three', 'two'],
  ]);
  await store.close();
});

test('forgets what has expired in a scope that is written again and again', async () => {
  await server.command('FLUSHALL');
  let now = 1000;
  const store = await openRedisStore({ url: server.url, now: () => now });
  for (const name of ['one', 'two', 'three']) {
    const by = { setBy: 'ada', setAt: now, expiresAt: now + 1000 };
    await store.settings.write('rate:terminal:home:ada', { [name]: 1 }, by);
    now += 600;
  }
  const key = 'council:{terminal:home}:settings:rate:terminal:home:ada';
  expect(await server.command('HKEYS', key)).toEqual(['two', 'three']);
  await store.close();
});

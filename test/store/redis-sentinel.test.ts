import { afterEach, expect, test } from 'vitest';
import { secretsOf, shownAddress } from '../../src/store/redis/address.ts';
import { inspectRedis, openRedisStore } from '../../src/store/redis.ts';
import { startOfTime } from '../contracts/store/case.ts';
import {
  answer,
  endedTurn,
  newTurn,
  runningTurn,
  threadId,
  turnKey,
  usage,
} from '../contracts/store/samples.ts';
import { startRedisSentinel } from '../fakes/redis-sentinel.ts';
import { type RedisConnection, type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

const password = 'server-secret';
const sentinelPassword = 'sentinel-secret';
const started: { remove(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of started.splice(0).reverse()) await one.remove();
});

async function serve(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
  const common = { requirepass: password, masterauth: password, 'repl-diskless-sync-delay': '0' };
  const server = await startRedisServer({ settings: { ...common, ...settings } });
  started.push(server);
  return server;
}

/** Waits until the replica has all that was written up to here: the server counts from the connection's own write. */
async function caughtUp(admin: RedisConnection): Promise<void> {
  await admin.command('SET', 'up to here', '1');
  await expect.poll(() => admin.command('WAIT', '1', '100'), { timeout: 20_000 }).toBe(1);
}

/** A primary with a replica that has caught up, and a sentinel that watches them. */
async function watchedServers() {
  const primary = await serve();
  const replica = await serve({ replicaof: `127.0.0.1 ${primary.port}` });
  const admin = await primary.connect(password);
  await caughtUp(admin);
  const sentinel = await startRedisSentinel({ port: primary.port, password, sentinelPassword });
  started.push(sentinel);
  const hosts = `127.0.0.1:1,127.0.0.1:${sentinel.port}`;
  const url = `redis+sentinel://:${password}@${hosts}/council?sentinelPassword=${sentinelPassword}`;
  return { primary, replica, admin, url, sentinel };
}

test('goes on at the primary that the sentinels have made, when the one before is gone', async () => {
  const { primary, admin, url } = await watchedServers();
  const store = await openRedisStore({ url, now: () => startOfTime, waitMs: 20_000 });
  const { attempt } = await runningTurn(store, newTurn('one'));
  await caughtUp(admin);
  admin.close();
  await primary.kill();
  const step = { turnId: 'one', threadId, attempt, spendScopes: ['user:terminal:home:ada'] };
  await Promise.all([
    store.turns.checkpoint({
      ...step,
      messages: [answer('one', 'taleb')],
      usage: [usage('one', 'a')],
    }),
    store.claim('once', 1000),
  ]);
  const end = { outcome: 'answered', endedAt: startOfTime };
  await store.turns.checkpoint({ ...step, usage: [usage('one', 'a')], end });
  await endedTurn(store, newTurn('two'));
  expect(await store.turns.read(turnKey('one'))).toMatchObject({ status: 'ended', attempt: 1 });
  expect(await store.spent(['user:terminal:home:ada'], startOfTime)).toEqual([0.25]);
  expect(await store.turns.unfinished(9)).toEqual([]);
  await store.close();
});

test('goes on at the new primary when the one before lives on as its replica', async () => {
  const { replica, admin, url, sentinel } = await watchedServers();
  const store = await openRedisStore({ url, now: () => startOfTime, waitMs: 20_000 });
  await store.turns.begin(newTurn('before'));
  await caughtUp(admin);
  const promoted = await replica.connect(password);
  // It is refused for as long as the sentinel can't choose the replica yet.
  await expect
    .poll(
      () =>
        sentinel.failOver().then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  await expect.poll(() => promoted.command('ROLE'), { timeout: 20_000 }).toContain('master');
  // Until then both take changes, and those of the old one are lost: no client can help that.
  await expect.poll(() => admin.command('ROLE'), { timeout: 20_000 }).toContain('slave');
  admin.close();
  for (const turnId of ['one', 'two', 'three']) await endedTurn(store, newTurn(turnId));
  expect((await store.turns.unfinished(9)).map(({ turnId }) => turnId)).toEqual(['before']);
  expect(await promoted.command('EXISTS', 'council:{terminal:home}:turn:three')).toBe(1);
  promoted.close();
  await store.close();
});

test('tells what is wrong, and shows no password', async () => {
  const { url, sentinel } = await watchedServers();
  expect((await inspectRedis({ url })).version).toMatch(/^\d/);
  const failed = async (wrong: string) => {
    const error = await openRedisStore({ url: wrong, waitMs: 3000 }).catch((thrown) => thrown);
    expect(`${error.message} ${error.cause}`).not.toMatch(/secret/);
    expect(error.message).toContain(`redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/`);
    return error;
  };
  expect(await failed(url.replace(password, 'another-secret'))).toMatchObject({
    ...{ name: 'StoreError', reason: 'refused' },
  });
  expect(await failed(url.replace('/council', '/elsewhere'))).toMatchObject({ name: 'StoreError' });
  expect(await failed(url.replace(sentinelPassword, 'wrong-secret'))).toMatchObject({
    name: 'StoreError',
  });
});

test('reads an address of several sentinels, and shows it without its passwords', () => {
  const url = 'rediss+sentinel://me:p%40ss@one:26380,two/main/2?sentinelPassword=other';
  expect(shownAddress(url)).toBe('rediss+sentinel://one:26380,two:26379/main/2');
  expect(secretsOf(url)).toEqual(['p%40ss', 'p@ss', 'other', 'other']);
  expect(secretsOf('redis://me:p%40ss@host')).toEqual(['p%40ss', 'p@ss']);
  for (const wrong of ['redis+sentinel://', 'redis+sentinel://host', 'redis+sentinel://a:x,b/m']) {
    expect(() => shownAddress(wrong)).toThrow(/address of the Redis server is none/);
  }
});

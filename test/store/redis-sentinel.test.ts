import { expect, onTestFinished, test } from 'vitest';
import { redactedAddress, secretsOf } from '../../src/store/redis/address.ts';
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
import { connect, startRedisServer } from '../fakes/redis-server.ts';
import { startWatchedRedis, type WatchedRedis } from '../fakes/watched-redis.ts';

async function watchedServers(): Promise<WatchedRedis> {
  const watched = await startWatchedRedis();
  onTestFinished(() => watched.remove());
  return watched;
}

test('goes on at the primary that the sentinels have made, when the one before is gone', async () => {
  const { primary, caughtUp, url } = await watchedServers();
  const store = await openRedisStore({ url, now: () => startOfTime, waitMs: 20_000 });
  const { attempt } = await runningTurn(store, newTurn('one'));
  await caughtUp();
  await primary.kill();
  const step = { turnId: 'one', threadId, attempt };
  await Promise.all([
    store.turns.checkpoint({
      ...step,
      messages: [answer('one', 'taleb')],
      usage: [usage('one', 'a')],
    }),
    store.spend(['user:terminal:home:ada'], 0.25),
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
  const { replica, password, url, caughtUp, swap } = await watchedServers();
  const store = await openRedisStore({ url, now: () => startOfTime, waitMs: 20_000 });
  await store.turns.begin(newTurn('before'));
  await caughtUp();
  await swap();
  const promoted = await replica.connect(password);
  for (const turnId of ['one', 'two', 'three']) await endedTurn(store, newTurn(turnId));
  expect((await store.turns.unfinished(9)).map(({ turnId }) => turnId)).toEqual(['before']);
  expect(await promoted.command('EXISTS', 'council:{terminal:home}:turn:three')).toBe(1);
  promoted.close();
  await store.close();
});

test('goes on at the new primary when the one before was silent for longer than a call waits', async () => {
  const { primary, sentinel, sentinelPassword, url, caughtUp } = await watchedServers();
  const admin = await connect(sentinel.port, { password: sentinelPassword });
  await admin.command('SENTINEL', 'SET', 'council', 'down-after-milliseconds', '5000');
  admin.close();
  const store = await openRedisStore({ url, now: () => startOfTime, waitMs: 3000 });
  await store.claim('before', 1000);
  await caughtUp();
  primary.pause();
  await expect(store.claim('meanwhile', 1000)).rejects.toThrow(/did not answer/);
  const claimed = () => store.claim('after', 1000).catch(() => undefined);
  await expect.poll(claimed).toBeDefined();
  await store.close();
});

test('tells what is wrong, and shows no password', async () => {
  const { url, sentinel, password, sentinelPassword } = await watchedServers();
  expect((await inspectRedis({ url })).version).toMatch(/^\d/);
  const failed = async (wrong: string) => {
    const error = await openRedisStore({ url: wrong, waitMs: 3000 }).catch((thrown) => thrown);
    expect(`${error.message} ${error.cause}`).not.toMatch(/secret/);
    expect(error.message).toContain(`redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/`);
    return error;
  };
  expect(await failed(url.replace(password, 'another-secret'))).toMatchObject({
    name: 'StoreError',
    reason: 'refused',
  });
  expect(await failed(url.replace('/council', '/elsewhere'))).toMatchObject({ name: 'StoreError' });
  expect(await failed(url.replace(sentinelPassword, 'wrong-secret'))).toMatchObject({
    name: 'StoreError',
  });
});

test('says that nothing answers when a sentinel is silent', async () => {
  const silent = await startRedisServer();
  onTestFinished(() => silent.remove());
  silent.pause();
  const url = `redis+sentinel://127.0.0.1:${silent.port}/council`;
  const opened = openRedisStore({ url, waitMs: 500 });
  await expect(opened).rejects.toMatchObject({ name: 'StoreError', reason: 'unreachable' });
});

test('reads an address of several sentinels, and shows it without its passwords', () => {
  const url = 'rediss+sentinel://me:p%40ss@one:26380,two/main/2?sentinelPassword=other';
  expect(redactedAddress(url)).toBe('rediss+sentinel://one:26380,two:26379/main/2');
  expect(secretsOf(url)).toEqual(['p%40ss', 'p@ss', 'other', 'other']);
  expect(secretsOf('redis://me:p%40ss@host')).toEqual(['p%40ss', 'p@ss']);
  for (const wrong of ['redis+sentinel://', 'redis+sentinel://host', 'redis+sentinel://a:x,b/m']) {
    expect(() => redactedAddress(wrong)).toThrow(/address of the Redis server is invalid/);
  }
});

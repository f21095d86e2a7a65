import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inspectRedis, openRedisStore } from '../../src/store/redis.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { endedTurn, newTurn, turnKey } from '../contracts/store/samples.ts';
import { turnCases } from '../contracts/store/turns.ts';
import { runStoreCase } from '../contracts/store.ts';
import { makeAuthority } from '../fakes/certificates.ts';
import { startRedisCluster } from '../fakes/redis-cluster.ts';
import { openRedisLine } from '../fakes/redis-line.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startWatchedRedis } from '../fakes/watched-redis.ts';
import { atWork, goesOn, openQueue, soon } from '../queue/at-work.ts';
import { redisPlace } from '../store/redis-place.ts';

// A failover takes its time, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const authority = makeAuthority();
authority.trust();
afterAll(() => authority.remove());
/** Good for the name alone: whoever takes the server for `127.0.0.1` is refused. */
const certificate = authority.issue('localhost');

async function openStore(url: string): Promise<Store> {
  const store = await openRedisStore({ url, waitMs: 20_000, now: () => startOfTime });
  onTestFinished(() => store.close());
  return store;
}

/** Waits until whoever follows a server has what was written there up to here. */
async function caughtUp(server: RedisServer, key: string): Promise<void> {
  const connection = await server.connect();
  await connection.command('SET', key, 'up to here');
  await expect.poll(() => connection.command('WAIT', '1', '100'), soon).toBe(1);
  connection.close();
}

describe('with TLS', () => {
  test('the store and the queue work on one server, for a user with a password', async () => {
    const server = await startRedisServer({ certificate });
    onTestFinished(() => server.remove());
    await server.command('ACL', 'SETUSER', 'bot', 'on', '>p@ss', '~council:*', '&*', '+@all');
    const url = server.url.replace('//', '//bot:p%40ss@');
    expect((await inspectRedis({ url })).version).toMatch(/^\d/);
    for (const turnCase of turnCases) {
      await runStoreCase(turnCase, () => redisPlace({ url, command: server.command }));
    }
    await goesOn(await atWork(url));
  });

  test('a server among several at one address is asked for by its name', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.remove());
    const elsewhere = authority.issue('elsewhere.example');
    const line = await openRedisLine(server.port, { elsewhere, localhost: certificate });
    onTestFinished(() => line.close());
    const url = `rediss://${line.address.replace('127.0.0.1', 'localhost')}`;
    expect(await (await openStore(url)).claim('once', 1000)).toBe(true);
    expect((await openQueue(url)).health().isReady).toBe(true);
  });

  test('the store and the queue go on at the primary that sentinels have made', async () => {
    const watched = await startWatchedRedis({}, certificate);
    onTestFinished(() => watched.remove());
    const store = await openStore(watched.url);
    const all = await atWork(watched.url);
    await endedTurn(store, newTurn('before'));
    await watched.caughtUp();
    await watched.primary.kill();
    await endedTurn(store, newTurn('after'));
    expect(await store.turns.read(turnKey('before'))).toMatchObject({ status: 'ended' });
    await goesOn(all);
  });

  test('the store and the queue go on at the replica of a node of a cluster', async () => {
    const cluster = await startRedisCluster({ replicasOfEach: 1, certificate });
    onTestFinished(() => cluster.remove());
    const store = await openStore(cluster.url);
    const all = await atWork(cluster.url);
    await endedTurn(store, newTurn('before'));
    const owners = new Map<RedisServer, string>();
    for (const key of ['council:{queue}', 'council:{terminal:home}']) {
      owners.set(await cluster.ownerOf(key), key.replace('council:', ''));
    }
    for (const [owner, key] of owners) await caughtUp(owner, key);
    const [first] = owners.keys();
    await first?.kill();
    await endedTurn(store, newTurn('after'));
    expect(await store.turns.read(turnKey('before'))).toMatchObject({ status: 'ended' });
    await goesOn(all);
  });
});

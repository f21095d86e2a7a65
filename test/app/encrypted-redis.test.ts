import { copyFile } from 'node:fs/promises';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inspectRedis, openRedisStore } from '../../src/store/redis.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { endedTurn, newTurn, turnKey } from '../contracts/store/samples.ts';
import { turnCases } from '../contracts/store/turns.ts';
import { runStoreCase } from '../contracts/store.ts';
import { type Certificate, makeAuthority } from '../fakes/certificates.ts';
import { type RedisCluster, startRedisCluster } from '../fakes/redis-cluster.ts';
import { openRedisProxy } from '../fakes/redis-proxy.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startWatchedRedis } from '../fakes/watched-redis.ts';
import { atWork, goesOn, openQueue, soon } from '../queue/at-work.ts';
import { redisFixture } from '../store/redis-fixture.ts';

// A failover takes its time, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const authority = makeAuthority();
authority.trust();
/** Good for the name alone: anyone who takes the server for `127.0.0.1` is refused. */
const certificate = authority.issue('localhost');
afterAll(() => authority.remove());

async function openStore(url: string): Promise<Store> {
  const store = await openRedisStore({ url, waitMs: 20_000, now: () => startOfTime });
  onTestFinished(() => store.close());
  return store;
}

/** A thread that the store keeps on this node. */
async function threadAt(cluster: RedisCluster, node: RedisServer): Promise<string> {
  for (let at = 0; ; at += 1) {
    if ((await cluster.ownerOf(`{terminal:${at}}`)) === node) return `terminal:${at}:main:thread`;
  }
}

/** Waits until the replica of the queue's node has what was written there up to here. */
async function caughtUp(owner: RedisServer): Promise<void> {
  const connection = await owner.connect();
  await connection.command('SET', '{queue} up to here', '1');
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
      await runStoreCase(turnCase, () => redisFixture({ url, command: server.command }));
    }
    await goesOn(await atWork(url));
  });

  test('a server among several at one address is asked for by its name', async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.remove());
    const elsewhere = authority.issue('elsewhere.example');
    const proxy = await openRedisProxy(server.port, { elsewhere, localhost: certificate });
    onTestFinished(() => proxy.close());
    const url = `rediss://${proxy.address.replace('127.0.0.1', 'localhost')}`;
    expect(await (await openStore(url)).claim('once', 1000)).toBe(true);
    expect((await openQueue(url)).health().isReady).toBe(true);
  });

  test('a certificate that expires is told, and all goes on when there is a new one', async () => {
    const own = authority.issue('localhost');
    const server = await startRedisServer({ certificate: own });
    onTestFinished(() => server.remove());
    const store = await openRedisStore({ url: server.url, waitMs: 500 });
    onTestFinished(() => store.close());
    const queue = await openQueue(server.url);
    const show = async (shown: Certificate) => {
      await copyFile(shown.certificateFile, own.certificateFile);
      await copyFile(shown.keyFile, own.keyFile);
      await server.restart();
    };
    await show(authority.issue('localhost', 0));
    const told = expect.objectContaining({
      name: 'StoreError',
      reason: 'refused',
      message: expect.stringMatching(/certificate has expired/),
    });
    const failed = () => store.claim('once', 1000).catch((error: unknown) => error);
    await expect.poll(failed, soon).toEqual(told);
    await expect.poll(() => queue.health().text, soon).toMatch(/certificate has expired/);
    await show(certificate);
    await expect.poll(() => store.claim('once', 1000).catch(() => false), soon).toBe(true);
    await expect.poll(() => queue.health().isReady, soon).toBe(true);
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
    const owner = await cluster.ownerOf('council:{queue}');
    const threadId = await threadAt(cluster, owner);
    const store = await openStore(cluster.url);
    const all = await atWork(cluster.url);
    await endedTurn(store, newTurn('before', { threadId }));
    await caughtUp(owner);
    await owner.kill();
    await endedTurn(store, newTurn('after', { threadId }));
    const before = await store.turns.read({ turnId: 'before', threadId });
    expect(before).toMatchObject({ status: 'ended' });
    await goesOn(all);
  });
});

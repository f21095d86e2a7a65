import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { threadsKey } from '../../src/queue/bullmq/settings.ts';
import {
  type RedisCluster,
  type RedisClusterOptions,
  startRedisCluster,
} from '../fakes/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startWatchedRedis, type WatchedRedis } from '../fakes/watched-redis.ts';
import { atWork, goesOn, openQueue, soon } from './at-work.ts';

// A failover takes its time, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

async function startWatched(): Promise<WatchedRedis> {
  const watched = await startWatchedRedis();
  onTestFinished(() => watched.remove());
  return watched;
}

describe('with sentinels, turns go on at the new primary when the one before', () => {
  test('is gone', async () => {
    const { url, primary, caughtUp } = await startWatched();
    const all = await atWork(url);
    await caughtUp();
    await primary.kill();
    await goesOn(all);
  });

  test('lives on as a replica', async () => {
    const { url, swap, caughtUp } = await startWatched();
    const all = await atWork(url);
    await caughtUp();
    await swap();
    await goesOn(all);
  });

  test('hangs, and breaks no connection', async () => {
    const { url, primary, caughtUp } = await startWatched();
    const all = await atWork(url);
    await caughtUp();
    primary.pause();
    await goesOn(all);
    primary.resume();
  });
});

test('says what the sentinels say who know of no such primary, or want another password', async () => {
  const { url, password, sentinelPassword } = await startWatched();
  const refused = /refuses the user name or the password/;
  await expect(openQueue(url.replace('/council', '/elsewhere'))).rejects.toThrow(
    /knows no primary/,
  );
  await expect(openQueue(url.replace(sentinelPassword, 'another'))).rejects.toThrow(refused);
  await expect(openQueue(url.replace(password, 'another'))).rejects.toThrow(refused);
});

describe('in a cluster, turns go on', () => {
  async function startCluster(options: RedisClusterOptions): Promise<RedisCluster> {
    const cluster = await startRedisCluster(options);
    onTestFinished(() => cluster.remove());
    return cluster;
  }

  test('while the queue moves to another node', async () => {
    const cluster = await startCluster({ settings: { requirepass: 'secret' } });
    const all = await atWork(cluster.url.replace('//', '//:secret@'));
    const owner = await cluster.ownerOf('council:{queue}');
    const [other] = cluster.masters.filter((master) => master !== owner);
    if (!other) throw new Error('There is one node only.');
    const inCluster = await owner.connect('secret');
    const slot = await inCluster.command('CLUSTER', 'KEYSLOT', threadsKey);
    inCluster.close();
    await cluster.moveSlot(Number(slot), other);
    await goesOn(all);
    expect(await cluster.ownerOf('council:{queue}')).toBe(other);
  });

  test('at the replica of a node that is gone', async () => {
    const cluster = await startCluster({ replicasOfEach: 1 });
    const all = await atWork(cluster.url);
    const owner = await cluster.ownerOf('council:{queue}');
    await caughtUp(owner);
    await owner.kill();
    await goesOn(all);
  });

  test('when a node that has no replica is back, and it is told of meanwhile', async () => {
    const kept = { appendonly: 'yes', appendfsync: 'always' };
    const cluster = await startCluster({ settings: kept });
    const all = await atWork(cluster.url);
    const owner = await cluster.ownerOf('council:{queue}');
    await owner.kill();
    await expect.poll(() => all.gateway.health().text, soon).toMatch(/^turns have waited for /);
    await owner.restart();
    await goesOn(all);
  });

  test('at the replica of a node that hangs, and breaks no connection', async () => {
    const cluster = await startCluster({ replicasOfEach: 1 });
    const all = await atWork(cluster.url);
    const owner = await cluster.ownerOf('council:{queue}');
    await caughtUp(owner);
    owner.pause();
    await goesOn(all);
    owner.resume();
  });
});

test('a former primary is left for the server that has its address by then', async () => {
  const [before, after] = [await startRedisServer(), await startRedisServer()];
  let now = before;
  // As a name does, or a proxy, that stands for whichever server is the primary.
  const address = createServer((inner) => {
    const outer = connect(now.port, '127.0.0.1');
    inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
    outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  });
  await once(address.listen(0, '127.0.0.1'), 'listening');
  const listening = address.address();
  if (listening === null || typeof listening === 'string') throw new Error('No port was given.');
  onTestFinished(async () => {
    address.close();
    await Promise.all([before.remove(), after.remove()]);
  });
  await after.command('REPLICAOF', '127.0.0.1', String(before.port));
  const all = await atWork(`redis://127.0.0.1:${listening.port}`);
  await caughtUp(before);
  await after.command('REPLICAOF', 'NO', 'ONE');
  now = after;
  // It breaks no connection when it is demoted.
  await before.command('REPLICAOF', '127.0.0.1', String(after.port));
  await goesOn(all);
});

/** Waits until the replica of a server has what was written there up to here. */
async function caughtUp(server: RedisServer): Promise<void> {
  const connection = await server.connect();
  await connection.command('SET', '{queue} up to here', '1');
  await expect.poll(() => connection.command('WAIT', '1', '100'), soon).toBe(1);
  connection.close();
}

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { threadsKey } from '../../src/queue/bullmq/keys.ts';
import { queueSlot } from '../../src/queue/bullmq/slot-owner.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import type { Coordination } from '../../src/queue/coordination.ts';
import { heldRunner, turn } from '../contracts/queue-runner.ts';
import {
  type RedisCluster,
  type RedisClusterOptions,
  startRedisCluster,
} from '../fakes/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startWatchedRedis, type WatchedRedis } from '../fakes/watched-redis.ts';

// A failover takes its time, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const soon = { timeout: 30_000, interval: 50 };

async function open(url: string): Promise<Coordination> {
  const ignore = () => undefined;
  const shared = await openShared({
    ...{ url, name: 'the test servers', concurrency: 4 },
    unfinished: async () => [],
    log: { info: ignore, warn: ignore, error: ignore },
  });
  onTestFinished(async () => {
    await Promise.all([shared.queue.stop(0), shared.background.stop(0)]);
    await shared.close();
  });
  return shared;
}

/** A process that takes in and one that works, with a turn under way and one behind it. */
async function atWork(url: string) {
  const [gateway, worker] = [await open(url), await open(url)];
  const runner = heldRunner();
  await worker.queue.start(runner.run);
  await gateway.queue.add(turn('a', 1));
  await gateway.queue.add(turn('a', 2));
  await runner.untilBegun(1);
  return { gateway, worker, runner };
}

/** Whatever becomes of the servers: all is run in order, and what is shared is shared. */
async function goesOn({ gateway, worker, runner }: Awaited<ReturnType<typeof atWork>>) {
  await gateway.queue.add(turn('b', 1));
  const stopped = Promise.withResolvers<void>();
  await worker.stops.watch('b1', () => stopped.resolve());
  await gateway.stops.request('b1');
  await stopped.promise;
  const claim = [{ name: 'one', amount: 1, limit: 1 }];
  expect(await gateway.quotas.take('here', claim, 60_000)).toEqual({ status: 'taken' });
  expect(await worker.quotas.take('there', claim, 60_000)).toMatchObject({ status: 'refused' });
  const done = Promise.withResolvers<string>();
  await worker.background.start({ tidy: { run: async (subject) => done.resolve(subject) } });
  await gateway.background.request('tidy', 'here', 0);
  expect(await done.promise).toBe('here');
  // A run that lost its lock meanwhile is begun again; the next waits for its end all the same.
  const seen = () => {
    for (const turnId of ['a1', 'b1']) runner.end(turnId);
    return runner.begun.includes('a2') && runner.begun.includes('b1');
  };
  await expect.poll(seen, soon).toBe(true);
  expect(runner.begun.lastIndexOf('a1')).toBeLessThan(runner.begun.indexOf('a2'));
  const ending = setInterval(() => ['a1', 'a2', 'b1'].forEach(runner.end), 50);
  await gateway.queue.idle();
  clearInterval(ending);
  await expect.poll(() => gateway.health().isReady, soon).toBe(true);
}

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
  await expect(open(url.replace('/council', '/elsewhere'))).rejects.toThrow(/No such master/);
  await expect(open(url.replace(sentinelPassword, 'another'))).rejects.toThrow(/WRONGPASS/);
  await expect(open(url.replace(password, 'another'))).rejects.toThrow(/WRONGPASS/);
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
    await cluster.moveSlot(queueSlot, other);
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

  test('by the slot that the cluster itself gives the queue', async () => {
    const server = await startRedisServer({ settings: { 'cluster-enabled': 'yes' } });
    onTestFinished(() => server.remove());
    expect(await server.command('CLUSTER', 'KEYSLOT', threadsKey)).toBe(queueSlot);
  });
});

test('a former primary is left for whoever has its address by then', async () => {
  const [before, after] = [await startRedisServer(), await startRedisServer()];
  let now = before;
  // As a name does, or a proxy, that stands for whoever is the primary.
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

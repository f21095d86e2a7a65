import { afterEach, expect, test, vi } from 'vitest';
import { redactedAddress, secretsOf } from '../../src/store/redis/address.ts';
import { inspectRedis, openRedisStore } from '../../src/store/redis.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { answer, newTurn, turnKey, usage } from '../contracts/store/samples.ts';
import {
  type RedisCluster,
  type RedisClusterOptions,
  startRedisCluster,
} from '../fakes/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

const scope = 'user:terminal:home:ada';
/** Any key of the workspace that the samples are of. */
const ofWorkspace = 'council:{terminal:home}:unfinished';
const started: { remove(): Promise<void> }[] = [];
const opened: Store[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const one of started.splice(0)) await one.remove();
});

async function serve(options: RedisClusterOptions = {}): Promise<RedisCluster> {
  const cluster = await startRedisCluster(options);
  started.push(cluster);
  return cluster;
}

async function open(url: string, waitMs = 20_000): Promise<Store> {
  const store = await openRedisStore({ url, waitMs, now: () => startOfTime });
  opened.push(store);
  return store;
}

/** A turn from its beginning to its end, in many steps, each of which costs something. */
async function wholeTurn(store: Store, turnId: string): Promise<void> {
  const turn = newTurn(turnId);
  expect(await store.turns.begin(turn)).toMatchObject({ turnId, isNew: true });
  const { attempt = 0 } = (await store.turns.take(turn)) ?? {};
  const step = { ...turnKey(turnId), attempt };
  for (const sage of ['taleb', 'naval', 'aurelius']) {
    const messages = [answer(turnId, sage)];
    const calls = [usage(turnId, sage)];
    await Promise.all([
      store.turns.checkpoint({ ...step, messages, usage: calls }),
      store.spend([scope], 0.25),
    ]);
  }
  await store.turns.checkpoint({ ...step, end: { outcome: 'answered', endedAt: startOfTime } });
}

/** Every turn is there with all that was said in it, and each was counted once. */
async function expectWhole(store: Store, turnIds: readonly string[]): Promise<void> {
  for (const turnId of turnIds) {
    const record = await store.turns.read(turnKey(turnId));
    expect(record, turnId).toMatchObject({ status: 'ended', attempt: 1 });
    expect(record?.messages, turnId).toHaveLength(4);
  }
  expect(await store.turns.unfinished(9)).toEqual([]);
  expect(await store.spent([scope], startOfTime)).toEqual([turnIds.length * 3 * 0.25]);
}

async function otherThan(cluster: RedisCluster, node: RedisServer): Promise<RedisServer> {
  const other = cluster.masters.find((one) => one !== node);
  if (other === undefined) throw new Error('The cluster has one node only.');
  return other;
}

test('does nothing by halves while the slot is moved that it works in', async () => {
  const cluster = await serve();
  const store = await open(cluster.url);
  await wholeTurn(store, 'before');
  const owner = await cluster.ownerOf(ofWorkspace);
  const slot = Number(await owner.command('CLUSTER', 'KEYSLOT', ofWorkspace));
  const turnIds = Array.from({ length: 40 }, (_, at) => `turn-${at}`);
  let areDone = false;
  const working = (async () => {
    for (const turnId of turnIds) await wholeTurn(store, turnId);
    areDone = true;
  })();
  const places = [await otherThan(cluster, owner), owner];
  let moves = 0;
  while (!areDone) {
    const [to] = places;
    if (to === undefined) throw new Error('There is nowhere to move to.');
    await cluster.moveSlot(slot, to);
    places.reverse();
    moves += 1;
  }
  await working;
  expect(moves).toBeGreaterThan(2);
  await expectWhole(store, ['before', ...turnIds]);
});

test('waits for the end of a move, and says so when it does not come', async () => {
  const cluster = await serve();
  const patient = await open(cluster.url);
  await wholeTurn(patient, 'before');
  const from = await cluster.ownerOf(ofWorkspace);
  const to = await otherThan(cluster, from);
  const slot = String(await from.command('CLUSTER', 'KEYSLOT', ofWorkspace));
  const [fromId, toId] = await Promise.all(
    [from, to].map(async (node) => String(await node.command('CLUSTER', 'MYID'))),
  );
  await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId ?? '');
  await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId ?? '');
  const hasty = await open(cluster.url, 500);
  await expect(hasty.turns.begin(newTurn('hasty'))).rejects.toMatchObject({
    name: 'StoreError',
    reason: 'unreachable',
    message: expect.stringMatching(/still moving the requested keys to another server/),
  });
  const waiting = patient.turns.begin(newTurn('patient'));
  await from.command('CLUSTER', 'SETSLOT', slot, 'STABLE');
  await to.command('CLUSTER', 'SETSLOT', slot, 'STABLE');
  expect(await waiting).toMatchObject({ turnId: 'patient', isNew: true });
  expect((await patient.turns.unfinished(9)).map(({ turnId }) => turnId)).toEqual(['patient']);
});

test('goes on elsewhere when the server that it asks for the others is silent', async () => {
  const cluster = await serve({ replicasOfEach: 1 });
  const store = await openRedisStore({ url: cluster.url, now: () => startOfTime, waitMs: 1500 });
  opened.push(store);
  await store.spend([scope], 1);
  const owner = await cluster.ownerOf(ofWorkspace);
  const ports = Array.from(cluster.url.matchAll(/:(\d+)/g), ([, port]) => Number(port));
  owner.pause();
  // The library asks a server at random first.
  const first = (ports.indexOf(owner.port) + 0.5) / ports.length;
  const random = vi.spyOn(Math, 'random').mockReturnValue(first);
  const spent = () => store.spent([scope], startOfTime);
  await expect(spent()).rejects.toThrow(/did not answer/);
  random.mockRestore();
  await expect.poll(() => spent().catch(() => undefined)).toBeDefined();
  owner.resume();
});

test('goes on at the replica that takes the place of a server that is gone', async () => {
  const cluster = await serve({ replicasOfEach: 1 });
  const store = await open(cluster.url);
  await wholeTurn(store, 'before');
  const owner = await cluster.ownerOf(ofWorkspace);
  const replica = cluster.replicas[cluster.masters.indexOf(owner)];
  // What is acknowledged and not passed on is lost with a server: no client can help that.
  const admin = await owner.connect();
  await expect
    .poll(
      async () => {
        await admin.command('SET', '{terminal:home}', 'up to here');
        return admin.command('WAIT', '1', '100');
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  admin.close();
  await owner.kill();
  await wholeTurn(store, 'after');
  expect(await cluster.ownerOf(ofWorkspace)).toBe(replica);
  await expectWhole(store, ['before', 'after']);
  // One that comes when the others know already.
  const late = await open(cluster.url);
  await expectWhole(late, ['before', 'after']);
});

test('starts while a server is gone, and reaches its replica when that is in its place', async () => {
  const cluster = await serve({ replicasOfEach: 1 });
  const owner = await cluster.ownerOf(ofWorkspace);
  await owner.kill();
  const store = await open(cluster.url);
  await wholeTurn(store, 'one');
  await expectWhole(store, ['one']);
});

test('says that a part of a cluster is down, and goes on with the rest', async () => {
  const cluster = await serve({ settings: { 'cluster-require-full-coverage': 'no' } });
  const store = await open(cluster.url, 2000);
  const owner = await cluster.ownerOf(ofWorkspace);
  await wholeTurn(store, 'one');
  const elsewhere = await (async () => {
    for (let at = 0; ; at += 1) {
      if ((await cluster.ownerOf(`council:{terminal:${at}}:`)) !== owner) return `terminal:${at}`;
    }
  })();
  await owner.kill();
  const [failed] = await Promise.allSettled([store.turns.read(turnKey('one'))]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { reason: 'unreachable' } });
  const by = { setBy: 'ada', setAt: 1 };
  await store.settings.write(`channel:${elsewhere}:c`, { depth: 'quick' }, by);
  expect(await store.settings.read([`channel:${elsewhere}:c`])).toMatchObject([{ depth: by }]);
  await owner.restart();
  await expect.poll(() => store.claim('again', 1000).catch(() => false)).toBe(true);
});

test('looks at every server, and needs no more rights than are documented', async () => {
  const cluster = await serve({ settings: { 'maxmemory-policy': 'noeviction' } });
  const rights = ['~council:*', '+@read', '+@write', '+@scripting', '+@connection', '+info'];
  const user = ['on', '>p@ss', ...rights, '+cluster|slots'];
  await cluster.everywhere('ACL', 'SETUSER', 'council', ...user);
  const url = cluster.url.replace('://', '://council:p%40ss@');
  const { dangers, version } = await inspectRedis({ url });
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(dangers).toEqual([expect.stringContaining('append-only file is off')]);
  await cluster.masters[2]?.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  expect((await inspectRedis({ url })).dangers).toHaveLength(2);
  const store = await open(url);
  await wholeTurn(store, 'one');
  await expectWhole(store, ['one']);
});

test('tells how the address of a cluster is written, and shows no password', async () => {
  const cluster = await serve();
  const [node] = cluster.masters;
  const inspected = (url: string) => inspectRedis({ url, waitMs: 3000 }).catch((error) => error);
  expect(await inspected(node?.url ?? '')).toMatchObject({
    name: 'StoreError',
    reason: 'refused',
    message: expect.stringContaining('redis+cluster://user:password@host:6379,host:6379'),
  });
  const single = await startRedisServer();
  started.push(single);
  expect(await inspected(`redis+cluster://127.0.0.1:${single.port}`)).toMatchObject({
    name: 'StoreError',
    reason: 'refused',
    message: expect.stringContaining('is not a cluster'),
  });
  const wrong = await inspected(cluster.url.replace('://', '://me:wrong-secret@'));
  expect(wrong).toMatchObject({ name: 'StoreError', reason: 'refused' });
  expect(wrong.message).toMatch(/refuses the user name or the password/);
  expect(`${wrong.message} ${wrong.cause}`).not.toMatch(/secret/);
});

test('reads an address of several servers, and shows it without its password', () => {
  const url = 'rediss+cluster://me:p%40ss@one:7000,two';
  expect(redactedAddress(url)).toBe('rediss+cluster://one:7000,two:6379');
  expect(secretsOf(url)).toEqual(['p%40ss', 'p@ss']);
  for (const wrong of ['redis+cluster://', 'redis+cluster://a:x,b', 'redis+cluster://host/1']) {
    expect(() => redactedAddress(wrong)).toThrow(/address of the Redis server is invalid/);
  }
});

import { createServer, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { refusal as refusalBy } from '../../src/store/redis/errors.ts';
import { inspectRedis, openRedisStore } from '../../src/store/redis.ts';
import type { Store, StoreError } from '../../src/store/store.ts';
import { dayMs, startOfTime } from '../contracts/store/case.ts';
import {
  answer,
  endedTurn,
  imported,
  newTurn,
  runningTurn,
  threadId,
  turnKey,
  usage,
} from '../contracts/store/samples.ts';
import { openRedisProxy, type RedisProxy } from '../fakes/redis-proxy.ts';
import { startRedisSentinel } from '../fakes/redis-sentinel.ts';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '../fakes/redis-server.ts';

const opened: Store[] = [];
const started: RedisServer[] = [];
const proxies: RedisProxy[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const proxy of proxies.splice(0)) await proxy.close();
  for (const server of started.splice(0)) await server.remove();
});

async function serve(settings: RedisServerOptions['settings'] = {}): Promise<RedisServer> {
  const server = await startRedisServer({ settings });
  started.push(server);
  return server;
}

async function open(url: string, waitMs?: number): Promise<Store> {
  const options = { url, now: () => startOfTime, ...(waitMs !== undefined && { waitMs }) };
  const store = await openRedisStore(options);
  opened.push(store);
  return store;
}

function refusal(reason: StoreError['reason'], message: RegExp) {
  return expect.objectContaining({
    name: 'StoreError',
    reason,
    message: expect.stringMatching(message),
  });
}

test('leaves no connection to a server that takes it and never answers', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('close', () => sockets.delete(socket)).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const failing = open(`redis://127.0.0.1:${port}`, 300);
  await expect(failing).rejects.toThrow(refusal('unreachable', /did not answer within/));
  await expect.poll(() => sockets.size).toBe(0);
});

test('says at once that the password is wrong, and does not show it', async () => {
  const { port } = await serve({ requirepass: 'the right one' });
  const failed = await open(`redis://:a-wrong-one@127.0.0.1:${port}`).catch((error) => error);
  expect(failed).toEqual(refusal('refused', /refuses the user name or the password/));
  expect(`${failed.message} ${failed.stack} ${failed.cause}`).not.toContain('a-wrong-one');
  await expect(open(`redis://127.0.0.1:${port}`)).rejects.toThrow(
    refusal('refused', /needs a password/),
  );
  const right = await open(`redis://:the%20right%20one@127.0.0.1:${port}`);
  expect(await right.claim('once', 1000)).toBe(true);
});

test('needs no more rights than the documentation names', async () => {
  const server = await serve();
  const rights = ['~council:*', '+@read', '+@write', '+@scripting', '+@connection', '+info'];
  await server.command('ACL', 'SETUSER', 'bot', 'on', '>secret', ...rights, '-@dangerous', '+info');
  const store = await open(`redis://bot:secret@127.0.0.1:${server.port}`);
  await endedTurn(store, newTurn('one'));
  expect(await store.messages.recent(threadId, { limit: 3 })).toHaveLength(1);
  expect(await store.sweep(10)).toBe(0);
  await server.command('ACL', 'SETUSER', 'bot', '-@scripting');
  await expect(store.claim('once', 1000)).rejects.toThrow(
    refusal('refused', /does not let this user/),
  );
});

test('refuses what is no address, without repeating it', async () => {
  for (const url of ['127.0.0.1:6379', 'http://me:secret@host', 'redis:', '']) {
    await expect(open(url)).rejects.toThrow(
      refusal('refused', /^The address of the Redis server is invalid\. Write(?!.*secret)/),
    );
  }
});

test('says what is wrong with an address of another kind', async () => {
  const { port } = await serve();
  await expect(open(`redis://127.0.0.1:${port}/99`)).rejects.toThrow(
    refusal('refused', /has no database with the number at the end/),
  );
  await expect(open(`redis+sentinel://127.0.0.1:${port}/council`)).rejects.toThrow(
    refusal('refused', /is not a sentinel\. Write.* redis:/),
  );
  const passwords = { password: 'secret', sentinelPassword: 'secret' };
  const sentinel = await startRedisSentinel({ port, ...passwords });
  onTestFinished(() => sentinel.remove());
  const url = `redis://:secret@127.0.0.1:${sentinel.port}`;
  await expect(inspectRedis({ url })).rejects.toThrow(
    refusal('refused', /is a sentinel\. Write.* redis\+sentinel:/),
  );
});

test('says that no one answers, and where', async () => {
  const server = await serve();
  await server.kill();
  await expect(open(`redis://me:secret@127.0.0.1:${server.port}/2`, 300)).rejects.toThrow(
    refusal('unreachable', new RegExp(`^The Redis server redis://127.0.0.1:${server.port}/2 did`)),
  );
});

test('fails clearly while the server is away for too long, and goes on when it is back', async () => {
  const server = await serve({ appendonly: 'yes', appendfsync: 'always' });
  const store = await open(server.url, 300);
  await endedTurn(store, newTurn('one'));
  await server.kill();
  await expect(store.turns.read(turnKey('one'))).rejects.toThrow(
    refusal('unreachable', /did not answer/),
  );
  await server.restart();
  const patient = await open(server.url);
  expect(await patient.turns.read(turnKey('one'))).toBeDefined();
  await expect.poll(() => store.turns.read(turnKey('one'))).toBeDefined();
});

test('fails clearly when the server has taken a command and never answers', async () => {
  const server = await serve();
  const store = await open(server.url, 300);
  server.pause();
  await expect(store.claim('once', 1000)).rejects.toThrow(refusal('unreachable', /did not answer/));
  await expect(open(server.url, 300)).rejects.toThrow(refusal('unreachable', /did not answer/));
  server.resume();
  await expect.poll(() => store.claim('another', 1000)).toBe(true);
});

test('takes an answer that comes after the process was halted', async () => {
  const server = await serve();
  const store = await open(server.url, 300);
  await store.turns.begin(newTurn('turn'));
  const halt = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
  const unsent = store.turns.read(turnKey('turn'));
  halt();
  expect(await unsent).toMatchObject({ turnId: 'turn' });
  const sent = store.turns.read(turnKey('turn'));
  await new Promise(setImmediate);
  halt();
  expect(await sent).toMatchObject({ turnId: 'turn' });
});

test('leaves a connection on which nothing is said any more, as of a host that is gone', async () => {
  const server = await serve();
  const proxy = await openRedisProxy(server.port);
  proxies.push(proxy);
  const store = await open(`redis://${proxy.address}`, 1000);
  proxy.fallSilent();
  await expect(store.claim('once', 1000)).rejects.toThrow(refusal('unreachable', /did not answer/));
  expect(await store.claim('another', 1000)).toBe(true);
});

test('loses nothing and does nothing twice while the server is killed and started again', async () => {
  // With everysec, a server that still waits for its disk answers before it has written.
  const server = await serve({ appendonly: 'yes', appendfsync: 'always' });
  const store = await open(server.url);
  const turnCount = 60;
  let ended = 0;

  async function runTurn(turnId: string): Promise<void> {
    expect(await store.turns.begin(newTurn(turnId))).toMatchObject({ turnId, isNew: true });
    const { attempt = 0 } = (await store.turns.take(turnKey(turnId))) ?? {};
    expect(attempt).toBe(1);
    for (const sage of ['taleb', 'naval']) {
      const messages = [answer(turnId, sage)];
      const calls = [usage(turnId, `call-of-${sage}`)];
      await Promise.all([
        store.turns.checkpoint({ turnId, threadId, attempt, messages, usage: calls }),
        store.spend(['user:terminal:home:ada'], 0.25),
      ]);
    }
    const end = { outcome: 'answered', endedAt: startOfTime };
    await store.turns.checkpoint({ turnId, threadId, attempt, end });
    ended += 1;
  }

  async function runTurns(worker: number): Promise<void> {
    for (let index = worker; index < turnCount; index += 4) await runTurn(`turn-${index}`);
  }

  async function killServer(): Promise<void> {
    for (const share of [0.2, 0.5, 0.8]) {
      await expect
        .poll(() => ended, { interval: 1, timeout: 20_000 })
        .toBeGreaterThan(share * turnCount);
      await server.restart();
    }
  }

  await Promise.all([killServer(), ...[0, 1, 2, 3].map(runTurns)]);
  expect(ended).toBe(turnCount);
  expect(await store.turns.unfinished(100)).toEqual([]);
  for (let index = 0; index < turnCount; index += 1) {
    const record = await store.turns.read(turnKey(`turn-${index}`));
    expect(record).toMatchObject({ status: 'ended', attempt: 1 });
    expect(record?.messages).toHaveLength(3);
    expect(record?.usage).toHaveLength(2);
  }
  expect(await store.spent(['user:terminal:home:ada'], startOfTime)).toEqual([
    turnCount * 2 * 0.25,
  ]);
});

test('refuses what would pass the memory of the server, whole, and goes on when there is more', async () => {
  const server = await serve({ 'maxmemory-policy': 'noeviction' });
  const store = await open(server.url);
  const { attempt } = await runningTurn(store, newTurn('one'));
  await server.command('CONFIG', 'SET', 'maxmemory', '1mb');
  const step = { turnId: 'one', threadId, attempt, messages: [answer('one', 'taleb')] };
  await expect(store.turns.checkpoint(step)).rejects.toThrow(
    refusal('full', /no memory left.*Raise its maxmemory/),
  );
  await expect(store.turns.begin(newTurn('two'))).rejects.toThrow(refusal('full', /no memory/));
  expect((await store.turns.read(turnKey('one')))?.messages).toHaveLength(1);
  await server.command('CONFIG', 'SET', 'maxmemory', '0');
  await store.turns.checkpoint(step);
  expect((await store.turns.read(turnKey('one')))?.messages).toHaveLength(2);
});

test('still gives claims when the server is full, so that the sweep can make room', async () => {
  const server = await serve({ 'maxmemory-policy': 'noeviction' });
  const store = await openRedisStore({ url: server.url, retentionDays: 30, now: () => now });
  opened.push(store);
  let now = startOfTime;
  await endedTurn(store, newTurn('one'));
  await store.claim('deletions', 60_000);
  now += 31 * dayMs;
  await server.command('CONFIG', 'SET', 'maxmemory', '1mb');
  expect(await store.claim('deletions', 60_000)).toBe(true);
  expect(await store.claim('deletions', 60_000)).toBe(false);
  expect(await store.sweep(10)).toBe(1);
});

test('reads from a replica, and says what to do when it is to write there', async () => {
  const primary = await serve({ 'repl-diskless-sync-delay': '0' });
  const store = await open(primary.url);
  await endedTurn(store, newTurn('one'));
  const replica = await serve({ replicaof: `127.0.0.1 ${primary.port}` });
  const reader = await open(replica.url, 500);
  await expect.poll(() => reader.turns.read(turnKey('one'))).toBeDefined();
  await expect(reader.turns.begin(newTurn('two'))).rejects.toThrow(
    refusal('read_only', /is a replica.*Give the address of the primary/),
  );
});

test('goes on at the primary that a failover has made, with nothing lost or done twice', async () => {
  const first = await serve({ 'repl-diskless-sync-delay': '0' });
  const proxy = await openRedisProxy(first.port);
  proxies.push(proxy);
  const store = await open(`redis://${proxy.address}`);
  const { attempt } = await runningTurn(store, newTurn('one'));
  const second = await serve({ replicaof: `127.0.0.1 ${first.port}` });
  const follower = await open(second.url);
  await expect.poll(() => follower.turns.read(turnKey('one'))).toBeDefined();

  await second.command('REPLICAOF', 'NO', 'ONE');
  await first.command('REPLICAOF', '127.0.0.1', String(second.port));
  proxy.leadTo(second.port);
  const spendScopes = ['user:terminal:home:ada'];
  const step = { turnId: 'one', threadId, attempt, usage: [usage('one', 'call')] };
  await Promise.all([
    store.turns.checkpoint({ ...step, messages: [answer('one', 'taleb')] }),
    store.spend(spendScopes, 0.25),
    store.turns.begin(newTurn('two')),
    store.claim('once', 1000),
  ]);
  expect((await follower.turns.read(turnKey('one')))?.messages).toHaveLength(2);
  expect(await follower.spent(spendScopes, startOfTime)).toEqual([0.25]);
  expect((await follower.turns.unfinished(9)).map(({ turnId }) => turnId)).toEqual(['one', 'two']);
});

test('waits while no server takes changes, and goes on when one does', async () => {
  const server = await serve();
  const store = await open(server.url);
  await store.turns.begin(newTurn('one'));
  await server.command('REPLICAOF', '127.0.0.1', '1');
  const taking = store.turns.take(turnKey('one'));
  await expect
    .poll(async () => String(await server.command('INFO', 'errorstats')))
    .toContain('errorstat_READONLY');
  await server.command('REPLICAOF', 'NO', 'ONE');
  expect(await taking).toMatchObject({ status: 'running', attempt: 1 });
});

test('waits for the replicas that a server is to have, and says that they are missing', async () => {
  const server = await serve({ 'repl-diskless-sync-delay': '0' });
  const store = await open(server.url);
  const hasty = await open(server.url, 300);
  await server.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
  await expect(hasty.claim('once', 1000)).rejects.toThrow(
    refusal('read_only', /it has too few replicas/),
  );
  const claiming = store.claim('once', 1000);
  await server.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
  expect(await claiming).toBe(true);
});

test('says that a password is missing or wrong however the server words it', async () => {
  const server = await serve({ requirepass: 'secret' });
  for (const text of ['short', 'long '.repeat(4000)]) {
    const stranger = await server.connect();
    const reply = await stranger.command('ECHO', text).catch((error: Error) => error.message);
    expect(refusalBy(server.url, String(reply))).toEqual(
      refusal('refused', /the address has none or a wrong one/),
    );
    stranger.close();
  }
});

test('says that the password was changed meanwhile, and goes on when it is right again', async () => {
  const server = await serve({ requirepass: 'old-secret' });
  const store = await open(`redis://:old-secret@127.0.0.1:${server.port}`, 500);
  const operator = await server.connect('old-secret');
  await operator.command('CONFIG', 'SET', 'requirepass', 'new-secret');
  await operator.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const failed = await store.claim('later', 1000).catch((error) => error);
  expect(failed).toEqual(refusal('refused', /needs a password|refuses the user name/));
  expect(`${failed.message} ${failed.cause}`).not.toMatch(/secret/);
  await operator.command('CONFIG', 'SET', 'requirepass', 'old-secret');
  await expect.poll(() => store.claim('later', 1000)).toBe(true);
  operator.close();
});

test('reads everything else when a server has thrown away what it was given', async () => {
  const server = await serve();
  const store = await open(server.url);
  for (const turnId of ['one', 'two']) await endedTurn(store, newTurn(turnId));
  await runningTurn(store, newTurn('three'));
  await runningTurn(store, newTurn('four'));
  await store.messages.append([imported('q', 'human'), imported('a', 'ai')]);
  for (const gone of ['turn:one', 'turn:three', '{main:thread}:message:a']) {
    await server.command('DEL', `council:{terminal:home}:${gone}`);
  }
  const ids = (await store.messages.page(threadId, { limit: 9 })).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(['q', 'question-of-four', 'question-of-two', 'taleb-in-two']);
  expect((await store.messages.recent(threadId, { limit: 9 })).map(({ turnId }) => turnId)).toEqual(
    ['two', undefined],
  );
  const turnIds = (turns: readonly { readonly turnId: string }[]) => turns.map((one) => one.turnId);
  expect(turnIds(await store.turns.list(threadId, { limit: 9 }))).toEqual(['four', 'two']);
  expect(turnIds(await store.turns.unfinished(9))).toEqual(['four']);
  expect(await store.turns.begin(newTurn('one'))).toMatchObject({ turnId: 'one', isNew: true });
});

test('sweeps, and finds vectors, when a server has thrown away who has a message', async () => {
  const server = await serve();
  let time = startOfTime;
  const store = await openRedisStore({ url: server.url, retentionDays: 1, now: () => time });
  opened.push(store);
  await store.messages.append([imported('q', 'human'), imported('a', 'ai', { turnId: 'x' })]);
  const vector = { model: 'p:m', dimensions: 1, values: Int8Array.of(1) };
  const keys = ['q', 'a'].map((id) => ({ kind: 'message', threadId, id }) as const);
  await store.memories.keepVectors(keys.map((key) => ({ key, vector })));
  const ofThread = (name: string) => `council:{terminal:home}:{main:thread}:${name}`;
  await server.command('DEL', ofThread('message:q'));
  expect(await store.memories.vectors('p:m', keys)).toEqual([undefined, vector]);
  await server.command('DEL', ofThread('ids'));
  time += 2 * dayMs;
  expect(await store.sweep(100)).toBe(2);
  expect(await store.sweep(100)).toBe(0);
  expect(await server.command('EXISTS', ofThread('messages'), ofThread('questions'))).toBe(0);
});

test('says that it was closed when it is used after', async () => {
  const store = await open((await serve()).url);
  await store.close();
  await store.close();
  await expect(store.claim('late', 1)).rejects.toThrow(refusal('unreachable', /was closed/));
});

test('refuses a retention of no time', async () => {
  const { url } = await serve();
  await expect(openRedisStore({ url, retentionDays: 0 })).rejects.toThrow(RangeError);
});

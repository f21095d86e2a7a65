import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openRedisStore } from '../../src/store/redis.ts';
import { forgottenKnownMs, type Store, spendingKeptDays } from '../../src/store/store.ts';
import { dayMs, startOfTime } from '../contracts/store/case.ts';
import { fill } from '../contracts/store/full-store.ts';
import { imported, threadId } from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;
let time = startOfTime;

beforeAll(async () => {
  server = await startRedisServer();
});
beforeEach(async () => {
  await server.command('FLUSHALL');
  time = startOfTime;
});
afterAll(() => server?.remove());

const texts = z.array(z.string());

/** What is there for ever, and what the server lets go of by itself. */
async function keysLeft(): Promise<{ lasting: readonly string[]; passing: readonly string[] }> {
  const keys = texts.parse(await server.command('KEYS', '*')).toSorted();
  const lasting: string[] = [];
  const passing: string[] = [];
  for (const key of keys) {
    const left = z.number().parse(await server.command('PTTL', key));
    (left < 0 ? lasting : passing).push(key);
  }
  return { lasting, passing };
}

/** Settings that were not written to expire, of a workspace and of none. */
const settings = [
  'council:{channel:1}:settings:channel:1',
  'council:{odd: %7bscope%7d}:settings:odd: {scope}',
];
function open(retentionDays?: number): Promise<Store> {
  return openRedisStore({
    url: server.url,
    now: () => time,
    ...(retentionDays !== undefined && { retentionDays }),
  });
}

/** What a platform may bring: a message that is not complete, from where not everybody reads. */
async function fillAll(store: Store): Promise<void> {
  await fill(store);
  const secret = { threadId: 'terminal:third:secret:t', isPrivate: true } as const;
  await store.messages.append([imported('pending', 'ai', { ...secret, status: 'pending' })]);
}

async function sweepAll(store: Store): Promise<void> {
  while ((await store.sweep(7)) === 7);
}

/** The server keeps the time by a clock of its own: what it lets go of is taken away here. */
async function letPass(): Promise<void> {
  const { passing } = await keysLeft();
  if (passing.length > 0) await server.command('DEL', ...passing);
}

test('leaves nothing of what has expired but settings', async () => {
  const store = await open(30);
  await fillAll(store);
  time += Math.max(31, spendingKeptDays + 2) * dayMs;
  await sweepAll(store);
  await letPass();
  await sweepAll(store);
  expect((await keysLeft()).lasting).toEqual(settings);
  await store.close();
});

test('leaves nothing of what was forgotten but spending and settings, where all is kept', async () => {
  const store = await open();
  await fillAll(store);
  for (const place of ['terminal:home', 'terminal:elsewhere', 'terminal:third']) {
    const { threadIds } = await store.messages.threads(place, { limit: 500 });
    for (const thread of threadIds) await forgetThread(store, thread);
  }
  await forgetThread(store, '');
  time += forgottenKnownMs + 1;
  const left = await keysLeft();
  expect(left.passing.map((key) => key.replace(/forgot:.*/, 'forgot'))).toEqual(
    expect.arrayContaining(['council:{terminal:home}:{main:thread}:forgot']),
  );
  await letPass();
  await sweepAll(store);
  const { lasting } = await keysLeft();
  expect(lasting).toEqual(
    [
      ...settings,
      ...['{claims}:calls', '{claims}:expiry'].map((name) => `council:${name}`),
      ...['spending', 'spending:all:terminal:home', 'spending:user:terminal:home:ada'].map(
        (name) => `council:{terminal:home}:${name}`,
      ),
      ...['council:{workspaces}:list', 'council:{workspaces}:listed'],
    ].toSorted(),
  );
  await store.close();
});

test('lets go of a thread at once when all of it is forgotten', async () => {
  const store = await open();
  await store.messages.append([imported('q', 'human')]);
  const other = 'terminal:home:main:other';
  await store.messages.append([imported('q', 'human', { threadId: other })]);
  await forgetThread(store, threadId);
  const threads = 'council:{terminal:home}:threads';
  expect(await server.command('ZRANGE', threads, '0', '-1')).toEqual([
    'council:{terminal:home}:{main:other}:',
  ]);
  const keys = texts.parse(await server.command('KEYS', 'council:{terminal:home}:{main:thread}:*'));
  expect(keys).toEqual([expect.stringContaining(':forgot:')]);
  await store.close();
});

test('lets go of what an older version wrote to expire, which kept no list of it', async () => {
  const store = await open();
  const scope = 'council:{terminal:home}:settings:rate:terminal:home';
  const by = { setBy: 'ada', setAt: time, expiresAt: time + 1000 };
  for (const name of ['first', 'second']) {
    await server.command('HSET', scope, name, JSON.stringify({ value: 1, ...by }));
  }
  await server.command('PEXPIRE', scope, '100000');
  const { settings } = store;
  await settings.write('rate:terminal:home', { third: 1 }, { ...by, expiresAt: time + 5000 });
  time += 1000;
  await settings.write('rate:terminal:home', { fourth: 1 }, { ...by, expiresAt: time + 5000 });
  const names = z.array(z.string()).parse(await server.command('HKEYS', scope));
  expect(new Set(names)).toEqual(new Set(['third', 'fourth']));
  expect((await keysLeft()).lasting).toEqual([]);
  await store.close();
});

test('lets go of what an older version wrote to expire between two newer ones', async () => {
  const store = await open();
  const scope = 'council:{terminal:home}:settings:rate:terminal:home';
  const by = { setBy: 'ada', setAt: time, expiresAt: time + 1000 };
  const ask = (name: string) => {
    const asked = { ...by, expiresAt: time + 1000 };
    return store.settings.write('rate:terminal:home', { [name]: 1 }, asked, {
      prefix: '',
      most: 2,
    });
  };
  await ask('first');
  await server.command('HSET', scope, 'older', JSON.stringify({ value: 1, ...by }));
  await server.command('PEXPIRE', scope, '100000');
  time += 500;
  expect([await ask('second'), await ask('third')]).toEqual([false, false]);
  time += 1000;
  expect([await ask('fourth'), await ask('fifth')]).toEqual([true, true]);
  expect((await keysLeft()).lasting).toEqual([]);
  await store.close();
});

async function forgetThread(store: Store, thread: string): Promise<void> {
  const turns = await store.turns.list(thread, { limit: 50 });
  const messages = await store.messages.page(thread, { limit: 50 });
  await store.forget({
    threadId: thread,
    turnIds: turns.map(({ turnId }) => turnId),
    messageIds: messages.map(({ id }) => id),
  });
}

import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { clockOf } from '../../src/store/redis/commands.ts';
import { connect } from '../../src/store/redis/connection.ts';
import { storeOver } from '../../src/store/redis/store-over.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { dayMs, startOfTime } from '../contracts/store/case.ts';
import { imported, newTurn } from '../contracts/store/samples.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());

test('keeps a workspace for as long as it says in every process, and lets go of its records where all else stays', async () => {
  await server.command('FLUSHALL');
  let time = startOfTime;
  const options = { url: server.url, now: () => time };
  const [one, other] = [await openRedisStore(options), await openRedisStore(options)];
  const threadId = 'p:w:c:t';
  const read = () => other.messages.page(threadId, { limit: 9 });
  for (const workspace of ['w', 'v']) {
    await one.messages.append([imported('q', 'human', { threadId: `p:${workspace}:c:t` })]);
  }
  time += 2 * dayMs;
  expect(await read()).toHaveLength(1);
  const setting = { retentionDays: 1 };
  await one.settings.write('workspace:p:w', setting, { setBy: 'sue', setAt: time });
  expect(await read()).toEqual([]);
  expect(await other.sweep(100)).toBe(1);
  const keys = z.array(z.string()).parse(await server.command('KEYS', 'council:{p:w}:*'));
  expect(keys).toEqual(['council:{p:w}:settings:workspace:p:w']);
  await one.close();
  await other.close();
});

test('drops an empty workspace from its list only when no process relies on its being there', async () => {
  await server.command('FLUSHALL');
  let time = startOfTime;
  const options = { url: server.url, now: () => time };
  const [one, other] = [await openRedisStore(options), await openRedisStore(options)];
  const threadId = 'p:w:c:t';
  const forget = async () => {
    await one.forget({ threadId, turnIds: [], messageIds: ['q'] });
    return other.sweep(100);
  };
  const listed = () => server.command('ZRANGE', 'council:{workspaces}:list', '0', '-1');
  await one.messages.append([imported('q', 'human', { threadId })]);
  await forget();
  time += 3_000_000;
  await one.turns.begin(newTurn('one', { threadId, createdAt: time }));
  expect(await other.turns.unfinished(10)).toHaveLength(1);
  await one.forget({ threadId, turnIds: ['one'], messageIds: [] });
  time += 2 * dayMs;
  await server.command('DEL', 'council:{p:w}:forgotten');
  await one.messages.append([imported('q', 'human', { threadId })]);
  await forget();
  expect(await listed()).toEqual(['council:{p:w}:']);
  time += 2 * dayMs;
  await other.sweep(100);
  expect(await listed()).toEqual([]);
  await one.turns.begin(newTurn('two', { threadId, createdAt: time }));
  expect(await other.turns.unfinished(10)).toHaveLength(1);
  await one.close();
  await other.close();
});

test('goes through more workspaces than it is told of at once', async () => {
  await server.command('FLUSHALL');
  let time = startOfTime;
  const store = await openRedisStore({ url: server.url, retentionDays: 1, now: () => time });
  const threads = Array.from({ length: 250 }, (_, at) => `test:${at}:c:t`);
  await Promise.all(
    threads.map((thread, at) =>
      store.turns.begin(
        newTurn(`turn-${at}`, { threadId: thread, createdAt: startOfTime + ((at * 97) % 250) }),
      ),
    ),
  );
  const times = (await store.turns.unfinished(120)).map(({ createdAt }) => createdAt - startOfTime);
  expect(times).toEqual(Array.from({ length: 120 }, (_, at) => at));
  time += 2 * dayMs;
  expect(await store.sweep(100)).toBe(100);
  expect(await store.sweep(1000)).toBe(150);
  expect(await store.sweep(1000)).toBe(0);
  const keys = z.array(z.string()).parse(await server.command('KEYS', '*:turn:*'));
  expect(keys).toEqual([]);
  await store.close();
});

test('sweeps workspaces side by side, because someone who has something forgotten waits for it', async () => {
  await server.command('FLUSHALL');
  const connection = await connect({ url: server.url });
  let [open, most] = [0, 0];
  const run: typeof connection.run = async (...call) => {
    open += 1;
    most = Math.max(most, open);
    return connection.run(...call).finally(() => {
      open -= 1;
    });
  };
  const store = storeOver({ ...connection, run }, clockOf({ now: () => startOfTime }));
  for (let at = 0; at < 20; at += 1) {
    await store.messages.append([imported('q', 'human', { threadId: `p:${at}:c:t` })]);
  }
  most = 0;
  await store.sweep(500);
  expect(most).toBe(20);
  await store.close();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedisStore } from '../../src/store/redis.ts';
import { startOfTime } from '../contracts/store/case.ts';
import {
  answer,
  newTurn,
  runningTurn,
  threadId,
  turnKey,
  usage,
} from '../contracts/store/samples.ts';
import { openRedisProxy } from '../fakes/redis-proxy.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server?.remove());

test('does once what it asks for again because the answer was lost', async () => {
  const proxy = await openRedisProxy(server.port);
  const store = await openRedisStore({ url: `redis://${proxy.address}`, now: () => startOfTime });
  /** Does what is asked while the connection breaks behind it. */
  const unheard = <Result>(verb: () => Promise<Result>): Promise<Result> => {
    proxy.loseNextAnswer();
    return verb();
  };
  // The server knows the scripts from here on: each verb below is one message.
  await runningTurn(store, newTurn('before'));
  const spendScopes = ['user:terminal:home:ada'];
  await store.turns.checkpoint({ turnId: 'before', threadId, attempt: 1 });
  await store.spend(spendScopes, 0.25);
  await store.claim('before', 1000);

  expect(await unheard(() => store.turns.begin(newTurn('one')))).toMatchObject({
    turnId: 'one',
    isNew: true,
  });
  expect(await store.turns.begin(newTurn('one'))).toMatchObject({ turnId: 'one', isNew: false });
  const taken = await unheard(() => store.turns.take(turnKey('one')));
  expect(taken).toMatchObject({ attempt: 1, status: 'running' });
  const step = { turnId: 'one', threadId, attempt: 1 };
  const answered = { messages: [answer('one', 'taleb')], usage: [usage('one', 'call-1')] };
  await unheard(() => store.turns.checkpoint({ ...step, ...answered }));
  const end = { outcome: 'answered', endedAt: startOfTime };
  await unheard(() => store.turns.checkpoint({ ...step, usage: [usage('one', 'call-2')], end }));
  expect((await store.turns.read(turnKey('one')))?.usage).toHaveLength(2);
  await unheard(() => store.spend(spendScopes, 0.25));
  expect(await store.spent(spendScopes, startOfTime)).toEqual([0.5]);
  await store.spend(spendScopes, 0.25, 'amount');
  await store.spend(spendScopes, 0.25, 'amount');
  expect(await store.spent(spendScopes, startOfTime)).toEqual([0.75]);
  expect(await unheard(() => store.claim('once', 1000))).toBe(true);
  expect(await store.claim('once', 1000)).toBe(false);
  expect(await store.messages.page(threadId, { limit: 9 })).toHaveLength(3);
  await store.close();
  await proxy.close();
});

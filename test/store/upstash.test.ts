import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StoreError } from '../../src/store/store.ts';
import { openUpstashStore } from '../../src/store/upstash.ts';
import {
  imported,
  newTurn,
  question,
  runningTurn,
  threadId,
  turnKey,
} from '../contracts/store/samples.ts';
import { storeContract } from '../contracts/store.ts';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { startUpstashServer, type UpstashServer } from '../fakes/upstash/server.ts';
import { upstashFixture } from './upstash-fixture.ts';

let server: RedisServer;
let endpoint: UpstashServer;

beforeAll(async () => {
  server = await startRedisServer();
  endpoint = await startUpstashServer(server.url);
});
afterAll(async () => {
  await endpoint?.close();
  await server?.remove();
});

storeContract('Upstash', () => upstashFixture(server, endpoint));

function refusal(reason: StoreError['reason'], message: RegExp) {
  return expect.objectContaining({
    name: 'StoreError',
    reason,
    message: expect.stringMatching(message),
  });
}

describe('a store over HTTP', () => {
  beforeEach(() => server.command('FLUSHALL'));

  test('asks for what is wanted in one tick with one request', async () => {
    const store = openUpstashStore(endpoint);
    await runningTurn(store, newTurn('one'));
    const before = endpoint.requestCount();
    await Promise.all([
      store.turns.read(turnKey('one')),
      store.messages.recent(threadId, { limit: 3 }),
      store.settings.read(['channel:1']),
    ]);
    expect(endpoint.requestCount() - before).toBe(1);
    await store.close();
  });

  test('fails one thing of those in a request, and does the others', async () => {
    await server.command('SET', 'council:{terminal:home}:settings:user:terminal:home:ada', 'x');
    const store = openUpstashStore(endpoint);
    const [began, read, claimed] = await Promise.allSettled([
      store.turns.begin(newTurn('one')),
      store.settings.read(['user:terminal:home:ada']),
      store.claim('once', 1000),
    ]);
    expect(began).toMatchObject({ value: { turnId: 'one', isNew: true } });
    expect(read).toMatchObject({ reason: refusal('corrupt', /has other data under a key/) });
    expect(claimed).toMatchObject({ value: true });
    await store.close();
  });

  test('takes an answer that comes after the process was halted', async () => {
    const store = openUpstashStore({ ...endpoint, waitMs: 300 });
    await store.turns.begin(newTurn('one'));
    const read = store.turns.read(turnKey('one'));
    // The request is on its way, and its answer is not here yet.
    await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
    expect(await read).toMatchObject({ turnId: 'one' });
    await store.close();
  });

  test('does once what it asks for again because the answer was lost', async () => {
    const store = openUpstashStore(endpoint);
    // The scripts are known from now on: what follows is one request each.
    await runningTurn(store, newTurn('before'));
    const { attempt } = await runningTurn(store, newTurn('one'));
    endpoint.loseAnswers(1);
    expect(await store.turns.begin(newTurn('two'))).toMatchObject({ turnId: 'two', isNew: true });
    endpoint.loseAnswers(1);
    expect(await store.turns.take(turnKey('two'))).toMatchObject({ attempt: 1 });
    endpoint.loseAnswers(1);
    const end = { outcome: 'answered', endedAt: 1 };
    await store.turns.checkpoint({ turnId: 'one', threadId, attempt, end });
    endpoint.loseAnswers(1);
    expect(await store.claim('sweeping', 1000)).toBe(true);
    expect(await store.claim('sweeping', 1000)).toBe(false);
    await store.close();
  });

  test('says what to do about a wrong token, and shows neither it nor what was asked', async () => {
    const token = 'a token of somebody else';
    const store = openUpstashStore({ url: endpoint.url, token });
    const secret = 'a question nobody should read';
    const asked = newTurn('one', { question: question('one', { content: { text: secret } }) });
    const failed = await store.turns.begin(asked).catch((error: unknown) => error);
    expect(failed).toEqual(refusal('refused', /refuses the token.*UPSTASH_REDIS_REST_TOKEN/));
    const { message, stack, cause } = failed instanceof Error ? failed : new Error();
    for (const hidden of [token, secret]) {
      expect(`${message} ${stack} ${String(cause)}`).not.toContain(hidden);
    }
  });

  test('stores what is wanted in one tick, however much it is', async () => {
    const store = openUpstashStore(endpoint);
    const text = 'A long answer. '.repeat(20_000);
    const threads = Array.from({ length: 12 }, (_, at) => `terminal:home:main:${at}`);
    await Promise.all(
      threads.map((thread) =>
        store.messages.append([imported('a', 'ai', { threadId: thread, content: { text } })]),
      ),
    );
    for (const thread of threads) {
      expect((await store.messages.page(thread, { limit: 1 }))[0]?.content).toEqual({ text });
    }
    await store.close();
  });

  test('says that one thing is too large, or that a plan is used up, and what to do', async () => {
    const store = openUpstashStore(endpoint);
    const text = 'A long answer. '.repeat(80_000);
    const large = imported('a', 'ai', { content: { text } });
    await expect(store.messages.append([large])).rejects.toThrow(
      refusal('full', /max request size exceeded.*was not stored.*larger plan/),
    );
    expect(await store.messages.page(threadId, { limit: 1 })).toEqual([]);
    for (const [said, message] of [
      ['ERR max requests limit exceeded. Limit: 500000, Usage: 500000.', /max requests limit/],
      ['ERR max daily request limit exceeded. Limit: 10000, Usage: 10001.', /max daily request/],
      ['ERR DB capacity quota exceeded', /capacity quota exceeded/],
      ['ERR max single record size exceeded', /max single record size/],
    ] as const) {
      endpoint.answerWith(400, JSON.stringify({ error: said }));
      await expect(store.claim('once', 1000)).rejects.toThrow(refusal('full', message));
    }
    await store.close();
  });

  test('asks again while something before the database answers in its place', async () => {
    const store = openUpstashStore(endpoint);
    endpoint.answerWith(502, '<html>Bad gateway</html>', 4);
    expect(await store.claim('once', 60_000)).toBe(true);
    expect(await store.claim('once', 60_000)).toBe(false);
    for (const said of [{ error: 'Service unavailable' }, { message: 'Too many requests' }]) {
      endpoint.answerWith(503, JSON.stringify(said), 4);
      expect(await store.claim('once', 60_000)).toBe(false);
    }
    await store.close();
  });

  test('asks again for as long as a server is waited for, not only as often as the client does', async () => {
    const store = openUpstashStore(endpoint);
    endpoint.loseAnswers(7);
    expect(await store.claim('once', 60_000)).toBe(true);
    await store.close();
  });

  test('says that what answers is no database, and does not repeat what it said', async () => {
    const other = await startUpstashServer(server.url);
    const store = openUpstashStore({ url: other.url, token: other.token, waitMs: 300 });
    for (const status of [200, 502]) {
      other.answerWith(status, '<html>[{"result":"what somebody said', 100);
      const failed = await store.claim('once', 1000).catch((error: unknown) => error);
      expect(failed).toEqual(refusal('unreachable', /did not answer.*the response is not JSON/));
      const { message, stack, cause } = failed instanceof Error ? failed : new Error();
      expect(`${message} ${stack} ${String(cause)}`).not.toContain('somebody');
    }
    await store.close();
    await other.close();
  });

  test('says that no one answers', async () => {
    const gone = await startUpstashServer(server.url);
    await gone.close();
    const store = openUpstashStore({ url: gone.url, token: gone.token, waitMs: 300 });
    await expect(store.claim('once', 1000)).rejects.toThrow(
      refusal('unreachable', /did not answer.*Check that it runs/),
    );
  });

  test('refuses an address that is none, without repeating it', () => {
    expect(() => openUpstashStore({ url: 'redis://me:secret@host', token: 'x' })).toThrow(
      refusal('refused', /^UPSTASH_REDIS_REST_URL is not(?!.*secret)/),
    );
  });
});

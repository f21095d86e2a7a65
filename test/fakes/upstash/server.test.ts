import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from '../redis-server.ts';
import { startUpstashServer, type UpstashServer } from './server.ts';

let redis: RedisServer;
let endpoint: UpstashServer;

beforeAll(async () => {
  redis = await startRedisServer();
  endpoint = await startUpstashServer(redis.url);
});
afterAll(async () => {
  await endpoint?.close();
  await redis?.remove();
});

async function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${endpoint.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${endpoint.token}`, ...headers },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

test('runs one command', async () => {
  expect(await post('/', ['SET', 'a', '1'])).toEqual({ status: 200, body: { result: 'OK' } });
  expect(await post('/', ['GET', 'a'])).toEqual({ status: 200, body: { result: '1' } });
  const refused = await post('/', ['INCR', 'a', 'b', 'c']);
  expect(refused).toEqual({
    status: 400,
    body: { error: expect.stringMatching(/^ERR wrong number of arguments/) },
  });
});

test('runs a pipeline, in which each command has its own answer or error', async () => {
  const { status, body } = await post('/pipeline', [
    ['SET', 'text', 'x'],
    ['INCR', 'text'],
    ['GET', 'text'],
  ]);
  expect(status).toBe(200);
  expect(body).toEqual([
    { result: 'OK' },
    { error: expect.stringMatching(/not an integer/) },
    { result: 'x' },
  ]);
});

test('runs a transaction', async () => {
  const { body } = await post('/multi-exec', [
    ['RPUSH', 'list', 'a', 'b'],
    ['LRANGE', 'list', '0', '-1'],
  ]);
  expect(body).toEqual([{ result: 2 }, { result: ['a', 'b'] }]);
});

test('encodes text where the client asks for it', async () => {
  const sent = [
    ['RPUSH', 'words', 'ö'],
    ['LRANGE', 'words', '0', '-1'],
    ['GET', 'nothing'],
  ];
  const { body } = await post('/pipeline', sent, { 'upstash-encoding': 'base64' });
  expect(body).toEqual([
    { result: 1 },
    { result: [Buffer.from('ö').toString('base64')] },
    { result: null },
  ]);
});

test('refuses a wrong token', async () => {
  const refused = await post('/', ['GET', 'a'], { authorization: 'Bearer guessed' });
  expect(refused).toMatchObject({
    status: 401,
    body: { error: expect.stringMatching(/^WRONGPASS/) },
  });
});

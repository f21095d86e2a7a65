import { describe, expect, test } from 'vitest';
import { keyed, openWeb, raw } from './web-world.ts';

const origin = 'https://chat.example.org';
const options = { origins: [origin], keyed: { ck_1: keyed('k1', 'acme', 'ask', 'read') } };
const allowed = 'access-control-allow-origin';

const preflight = (port: number, path: string, from = origin) =>
  raw(port, path, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'sec-fetch-site': 'cross-site',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
const ask = (port: number, key: string, from = origin) =>
  raw(port, '/api/turns', {
    method: 'POST',
    headers: {
      origin: from,
      'sec-fetch-site': 'cross-site',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    },
    body: '{"question":"Why?"}',
  });

describe('a page of another site', () => {
  test.each(['/v1/chat/completions', '/api/turns'])(
    'may call %s once the operator names its origin',
    async (path) => {
      const { port } = await openWeb([], { ...options, publicUrl: 'http://127.0.0.1' });
      const { status, headers } = await preflight(port, path);
      expect([status, headers[allowed]]).toEqual([204, origin]);
      expect(headers['access-control-allow-headers']).toBe('authorization,content-type');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  test('reads what it is answered, refusals included', async () => {
    const { port, asked } = await openWeb([], { ...options, publicUrl: 'http://127.0.0.1' });
    const taken = await ask(port, 'ck_1');
    expect([taken.status, taken.headers[allowed], asked.length]).toEqual([202, origin, 1]);
    expect(taken.headers['access-control-expose-headers']).toContain('retry-after');
    const refused = await ask(port, 'ck_2');
    expect([refused.status, refused.headers[allowed]]).toEqual([401, origin]);
  });

  test('needs a key, even where this machine needs none', async () => {
    const { port } = await openWeb([], options);
    const read = (headers: Record<string, string>) => raw(port, '/api/threads', { headers });
    expect((await read({ origin })).status).toBe(403);
    expect((await read({ origin, authorization: 'Bearer ck_1' })).status).toBe(200);
    expect((await read({ 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });

  test('of an origin that is not named may read nothing', async () => {
    const { port } = await openWeb([], options);
    const from = 'https://chat.example.org.evil.example';
    expect((await preflight(port, '/api/turns', from)).headers[allowed]).toBeUndefined();
    expect((await ask(port, 'ck_1', from)).headers[allowed]).toBeUndefined();
  });

  test.each(['/', '/turns/t1', '/ask', '/mcp'])('never reaches %s', async (path) => {
    const { port } = await openWeb([], options);
    expect((await preflight(port, path)).headers[allowed]).toBeUndefined();
  });

  test('is let in nowhere as long as no origin is named', async () => {
    const { port } = await openWeb([], { keyed: options.keyed });
    expect((await preflight(port, '/v1/models')).headers[allowed]).toBeUndefined();
    expect((await ask(port, 'ck_1')).headers[allowed]).toBeUndefined();
  });
});

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request, Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Log, silentLog } from '../../../src/domain/log.ts';
import {
  addressOf,
  callerIn,
  createCallers,
  type WebEnv,
} from '../../../src/platforms/web/caller.ts';
import {
  startWebServer,
  type WebServerOptions,
  webApp,
} from '../../../src/platforms/web/server.ts';
import { type Keys, keyed, openWeb, raw, recordsOf } from './web-world.ts';

const key = keyed('k1', 'acme', 'ask', 'read');
const sessionSecret = 'a secret of the test that is long enough for it';

/** Routes that say who calls, change something, and fail. */
function trial() {
  const app = new Hono<WebEnv>();
  app.get('/who', (context) => context.text(callerIn(context).workspace));
  app.post('/change', async (context) => context.text(await context.req.text()));
  app.get('/fail', () => {
    throw new Error('the password is 1234');
  });
  app.post('/enter', async (context) => {
    await callers({ ck_1: key }, 'https://council.example').remember(context, 'k1');
    return context.text('in');
  });
  return { path: '/try', app, mostBodyBytes: 1000 };
}

function lateTrial() {
  const app = new Hono<WebEnv>();
  app.get('/', () => new Promise<Response>(() => undefined));
  return { path: '/late', app, withinMs: 20 };
}

function callers(keys: Keys, publicUrl?: string) {
  return createCallers(recordsOf(keys), sessionSecret, publicUrl);
}

async function open(options: Partial<WebServerOptions> = {}, keys: Keys = {}): Promise<number> {
  const { publicUrl } = options;
  const server = await startWebServer({
    host: '127.0.0.1',
    port: 0,
    routes: [trial(), lateTrial()],
    log: silentLog,
    publicUrl,
    callers: callers(keys, publicUrl),
    ...options,
  });
  onTestFinished(() => server.close(AbortSignal.abort()));
  return server.port;
}

test('the largest request has the time that it takes over a slow line', async () => {
  let requestTimeout = 0;
  const note = (message: unknown) => {
    const isSent = typeof message === 'object' && message !== null && 'server' in message;
    if (isSent && message.server instanceof Server) ({ requestTimeout } = message.server);
  };
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  await raw(await open(), '/try/who');
  // 16 MB at 1 Mbit/s, in milliseconds.
  expect(requestTimeout).toBeGreaterThan((16_000_000 * 8) / 1000);
});

test('the wait for a reply begins when the request has arrived', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const known = Promise.withResolvers<void>();
  const keys = recordsOf({ ck_1: key });
  const find = async (secret: string) => {
    known.resolve();
    return keys.find(secret);
  };
  const port = await open({ callers: createCallers({ ...keys, find }, sessionSecret) });
  const headers = { authorization: 'Bearer ck_1', 'content-length': '2' };
  const sent = request({ port, path: '/try/change', method: 'POST', headers });
  const answer = once(sent, 'response');
  sent.write('a');
  await known.promise;
  await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(60_000);
  sent.end('b');
  const [reply] = await answer;
  expect([reply.statusCode, await text(reply)]).toEqual([200, 'ab']);
});

test.each([
  ['its length', { 'content-length': '10' }],
  ['no length', { 'transfer-encoding': 'chunked' }],
])('a stranger is refused before the body is read, with %s', async (_, length) => {
  const { port } = await openWeb([], {
    publicUrl: 'https://council.example',
    keyed: { ck_1: key },
  });
  for (const path of ['/v1/responses', '/api/turns', '/mcp']) {
    const headers = { 'content-type': 'application/json', ...length };
    const sent = request({ port, path, method: 'POST', headers }).on('error', () => undefined);
    onTestFinished(() => void sent.destroy());
    sent.write('{');
    const [{ statusCode, headers: replied }] = await once(sent, 'response');
    expect([path, statusCode, replied['www-authenticate']]).toEqual([path, 401, 'Bearer']);
  }
});

describe('who calls', () => {
  test('is the person at this machine, without a key', async () => {
    const port = await open();
    expect(await raw(port, '/try/who')).toMatchObject({ status: 200, body: 'local' });
    const localhost = await raw(port, '/try/who', { headers: { host: `localhost:${port}` } });
    expect(localhost.body).toBe('local');
  });

  test.each([
    ['through a proxy', { 'x-forwarded-for': '203.0.113.9' }],
    ['through a proxy of another kind', { forwarded: 'for=203.0.113.9' }],
  ])('is no one %s', async (_, headers) => {
    const port = await open();
    expect((await raw(port, '/try/who', { headers })).status).toBe(401);
  });

  test.each([
    ['127.0.0.1', 200],
    ['::ffff:127.0.0.1', 200],
    ['203.0.113.9', 401],
    ['::', 401],
  ])('is the person at this machine by the address %s: %i', async (remoteAddress, status) => {
    const app = webApp({
      host: '0.0.0.0',
      callers: callers({}),
      routes: [trial()],
      log: silentLog,
    });
    const headers = { host: 'localhost' };
    const bindings = { incoming: { socket: { remoteAddress } } };
    expect((await app.request('/try/who', { headers }, bindings)).status).toBe(status);
  });

  test('is no one without a key where others reach it', async () => {
    const port = await open({ publicUrl: 'https://council.example' });
    expect((await raw(port, '/try/who')).status).toBe(401);
  });

  test('is whom the key names, and no one with another one', async () => {
    const port = await open({ publicUrl: 'https://council.example' }, { ck_1: key });
    const by = (secret: string) =>
      raw(port, '/try/who', { headers: { authorization: `Bearer ${secret}` } });
    expect(await by('ck_1')).toMatchObject({ status: 200, body: 'acme' });
    expect((await by('ck_2')).status).toBe(401);
  });

  test('is whom a session names, for as long as its key is there and no one has written it himself', async () => {
    const keys: Record<string, typeof key> = { ck_1: key };
    const port = await open({ publicUrl: 'https://council.example' }, keys);
    const { headers } = await raw(port, '/try/enter', { method: 'POST' });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    const [session = ''] = cookie.split(';');
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('Secure');
    expect(cookie).toContain('SameSite=Lax');
    const by = (sent: string) => raw(port, '/try/who', { headers: { cookie: sent } });
    expect((await by(session)).body).toBe('acme');
    expect((await by(session.replace('k1', 'k2'))).status).toBe(401);
    delete keys.ck_1;
    expect((await by(session)).status).toBe(401);
  });
});

test('a session is over after 30 days', async () => {
  const publicUrl = 'https://council.example';
  const app = webApp({
    host: '127.0.0.1',
    publicUrl,
    routes: [trial()],
    log: silentLog,
    callers: callers({ ck_1: key }, publicUrl),
  });
  const host = 'localhost';
  const { headers } = await app.request('/try/enter', { method: 'POST', headers: { host } });
  const [cookie = ''] = headers.get('set-cookie')?.split(';') ?? [];
  const who = async () => (await app.request('/try/who', { headers: { host, cookie } })).status;
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const now = Date.now();
  const dayMs = 86_400_000;
  vi.setSystemTime(now + 30 * dayMs - 60_000);
  expect(await who()).toBe(200);
  vi.setSystemTime(now + 30 * dayMs + 60_000);
  expect(await who()).toBe(401);
});

test('the address of a request is the sender’s, and behind a proxy on this machine what that says', async () => {
  const app = new Hono<WebEnv>().get('/', (context) => context.text(addressOf(context)));
  const headers = { 'x-forwarded-for': 'made up, 203.0.113.9' };
  const by = async (remoteAddress: string) =>
    (await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } })).text();
  expect(await by('127.0.0.1')).toBe('203.0.113.9');
  expect(await by('198.51.100.7')).toBe('198.51.100.7');
});

describe('the server', () => {
  test('answers to no other name than its own, so that no site can point one at it', async () => {
    const port = await open();
    const other = await raw(port, '/try/who', { headers: { host: `evil.example:${port}` } });
    expect(other.status).toBe(421);
    const known = await open({ publicUrl: 'https://council.example' }, { ck_1: key });
    const headers = { host: 'council.example', authorization: 'Bearer ck_1' };
    expect((await raw(known, '/try/who', { headers })).status).toBe(200);
  });

  test('answers to any name where other machines reach it, and then needs a key', async () => {
    const port = await open({ host: '0.0.0.0' }, { ck_1: key });
    const headers = { host: `council.lan:${port}` };
    expect((await raw(port, '/try/who', { headers })).status).toBe(401);
    const authorization = 'Bearer ck_1';
    expect((await raw(port, '/try/who', { headers: { ...headers, authorization } })).status).toBe(
      200,
    );
  });

  test('takes no change from a page of another site', async () => {
    const port = await open();
    const change = (headers: Record<string, string>) =>
      raw(port, '/try/change', { method: 'POST', headers, body: 'x' });
    expect((await change({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await change({ origin: 'null' })).status).toBe(403);
    expect((await change({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    // A browser adds the password of a proxy by itself, wherever the request comes from.
    const authorization = 'Basic dW1hOnNlY3JldA==';
    expect((await change({ origin: 'https://evil.example', authorization })).status).toBe(403);
    expect((await change({ origin: `http://127.0.0.1:${port}` })).status).toBe(200);
    expect((await change({})).status).toBe(200);
  });

  test.each([
    ['https://council.example', 'council.example:443', 200],
    ['https://council.example', '127.0.0.1:8010', 200],
    ['http://council.example', '127.0.0.1:8010', 403],
    ['https://council.example:8443', 'council.example', 403],
    ['https://evil.example', 'council.example', 403],
    ['null', '127.0.0.1:8010', 403],
  ])('answers a form of %s that a proxy sends on to %s: %i', async (origin, host, status) => {
    const port = await open({ publicUrl: 'https://council.example/' }, { ck_1: key });
    const options = { method: 'POST', headers: { origin, host } };
    expect((await raw(port, '/try/enter', options)).status).toBe(status);
  });

  test('lets a page load and run what is its own, and nothing else', async () => {
    const { headers } = await raw(await open(), '/try/who');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  test('binds its own name to TLS, and no other host of the domain', async () => {
    const port = await open({ publicUrl: 'https://council.example' }, { ck_1: key });
    const { headers } = await raw(port, '/try/who');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });

  test('tells an error in words and shows nothing of it, but to the log', async () => {
    const logged: unknown[] = [];
    const log: Log = { ...silentLog, error: (facts) => void logged.push(facts) };
    const port = await open({ log });
    const { status, body } = await raw(port, '/try/fail');
    expect(status).toBe(500);
    expect(body).not.toMatch(/1234|\.ts\b|\bat .*:\d/);
    expect(logged).toMatchObject([{ error: { message: 'the password is 1234' } }]);
  });

  test('bounds what a request brings and how long its reply may take', async () => {
    const port = await open();
    const body = 'x'.repeat(1001);
    expect((await raw(port, '/try/change', { method: 'POST', body })).status).toBe(413);
    expect((await raw(port, '/late')).status).toBe(503);
  });

  test('lets no cache keep what it answers, errors included', async () => {
    const port = await open();
    for (const path of ['/try/who', '/try/fail', '/nothing', '/late'])
      expect((await raw(port, path)).headers).toMatchObject({
        'cache-control': 'private, no-cache',
      });
  });

  test.each([
    ['a list', `[${'1,'.repeat(60_000)}1]`, 413],
    ['nested lists', '['.repeat(60_000) + ']'.repeat(60_000), 413],
    ['objects', `{"a":[${'{"b":1},'.repeat(30_000)}1]}`, 413],
    ['a text of commas, brackets and quotes', JSON.stringify({ a: ',[{\\"'.repeat(20_000) }), 200],
  ])('reads no more values than it can check in time: %s', async (_, body, status) => {
    const port = await open({ routes: [{ ...trial(), mostBodyBytes: 1_000_000 }] });
    expect((await raw(port, '/try/change', { method: 'POST', body })).status).toBe(status);
  });

  test.each([
    ['no request at all', 'hello\r\n\r\n'],
    ['a path that is none', 'GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a broken escape', 'GET /%E0%A4%A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    [
      'a body that is not expected',
      'GET /try/who HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab',
    ],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'a cookie that is none',
      'GET /try/who HTTP/1.1\r\nHost: localhost\r\nCookie: council_session=%E0%A4%A.x; =;;\r\nConnection: close\r\n\r\n',
    ],
  ])('outlives %s', async (_, sent) => {
    const port = await open();
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.end(sent);
    expect(await text(socket).catch(() => '')).not.toMatch(/\.ts:|node:internal|^HTTP\S+ 500/);
    expect((await raw(port, '/try/who')).status).toBe(200);
  });

  test.each([
    ['an address that others reach', { host: '0.0.0.0' }],
    ['an address of its own name', { publicUrl: 'https://council.example' }],
  ])('is not opened on %s before a key is made', async (_, options) => {
    await expect(openWeb([], options)).rejects.toThrow(
      /there is no key.*`npm run council -- keys make NAME`/,
    );
    const opened = await openWeb([], { ...options, keyed: { ck_1: key } });
    expect(opened.web.health().isListening).toBe(true);
  });

  test('says what to change where another process listens', async () => {
    const { port } = await openWeb();
    await expect(openWeb([], { port })).rejects.toThrow(`port ${port}`);
  });

  test('takes nothing more once it is stopped, and lets go of who watches', async () => {
    const { web, port } = await openWeb();
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    await web.stop();
    await expect(raw(port, '/')).rejects.toThrow();
  });
});

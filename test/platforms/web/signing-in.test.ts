import { describe, expect, test } from 'vitest';
import { endedTurn } from './ended-turn.ts';
import { askedTurn, formHeaders as headers, keyed, openWeb, raw } from './web-world.ts';

describe('who gets in', () => {
  const ours = keyed('k1', 'acme', 'ask', 'read');
  const reader = keyed('k2', 'acme', 'read');
  const keys = { ck_ours: ours, ck_reader: reader };
  const options = { publicUrl: 'http://council.example', keyed: keys };

  async function opened() {
    return openWeb([endedTurn('Wait.', 'acme')], options);
  }

  async function signIn(port: number, key: string) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await raw(port, '/sign-in', { method: 'POST', headers, body: `key=${key}` });
    const [cookie = ''] = reply.headers['set-cookie'] ?? [];
    return { ...reply, cookie: cookie.split(';')[0] ?? '' };
  }

  async function landing(to: string) {
    const { port } = await opened();
    const form = { method: 'POST', headers, body: 'key=ck_ours' };
    return (await raw(port, `/sign-in?${new URLSearchParams({ to })}`, form)).headers.location;
  }

  test('is asked for a key first, and shown nothing', async () => {
    const { port } = await opened();
    for (const path of ['/', '/turns/t1', '/turns/t1/live', '/threads/t1', '/settings']) {
      const { status, headers, body } = await raw(port, path);
      expect([status, headers.location, body]).toEqual([303, '/sign-in', '']);
    }
    const { status, body } = await signIn(port, 'ck_other');
    expect(status).toBe(401);
    expect(body).toContain('from the person who runs this council');
    expect(body).toContain('npm run council -- keys make NAME');
    // Where to type, and what is wrong, is told at once to a person who can't see it.
    expect(body).toMatch(
      /<p [^>]*id="problem"[\s\S]*<input id="key"[^>]* autofocus aria-describedby="problem">/,
    );
  });

  test('is told as JSON where a program asks, e.g. one that looks for a sign-in by OAuth', async () => {
    const { port } = await opened();
    const asked = { headers: { accept: 'application/json' } };
    for (const [path, options] of [
      ['/.well-known/oauth-authorization-server', asked],
      ['/register', { ...asked, method: 'POST', body: '{}' }],
    ] as const) {
      const { status, body, headers } = await raw(port, path, options);
      expect([path, status, headers['www-authenticate']]).toEqual([path, 401, 'Bearer']);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'invalid_api_key' } });
    }
  });

  test('may try few wrong keys a minute, and takes nothing from other addresses', async () => {
    const { port } = await opened();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const tried = async (key: string, from: string) => {
      const sent = { ...headers, 'x-forwarded-for': `made up, ${from}` };
      const options = { method: 'POST', headers: sent, body: `key=${key}` };
      const { status, headers: said } = await raw(port, '/sign-in', options);
      return [status, Number(said['retry-after'] ?? 0) > 0];
    };
    for (let time = 0; time < 9; time += 1) await tried('ck_other', '203.0.113.9');
    // Who gets in begins anew.
    expect(await tried('ck_ours', '203.0.113.9')).toEqual([303, false]);
    for (let time = 0; time < 10; time += 1) {
      expect(await tried('ck_other', '203.0.113.9')).toEqual([401, false]);
    }
    expect(await tried('ck_ours', '203.0.113.9')).toEqual([429, true]);
    expect(await tried('ck_ours', '203.0.113.8')).toEqual([303, false]);
  });

  test.each(['//evil', '/\\evil', 'https://evil', '/\t/evil', '/a\r\nSet-Cookie: a=b', ' //evil'])(
    'lands on this site only, whatever the link says: %j',
    async (path) => expect(await landing(path)).toBe('/'),
  );

  test('lands where the link led', async () => {
    expect(await landing('/turns/t1?a=1')).toBe('/turns/t1?a=1');
    expect(await landing('')).toBe('/');
  });

  test('is sent from a link to the form, which keeps where it led, after a wrong key, too', async () => {
    const { port } = await opened();
    const browser = { headers: { accept: 'text/html,*/*;q=0.8' } };
    const location = '/sign-in?to=%2Fturns%2Ft1%3Fa%3D1';
    expect((await raw(port, '/turns/t1?a=1', browser)).headers.location).toBe(location);
    expect((await raw(port, '/', browser)).headers.location).toBe('/sign-in');
    const wrong = { method: 'POST', headers, body: 'key=ck_other' };
    for (const { body } of [await raw(port, location), await raw(port, location, wrong)])
      expect(body).toContain(`action="${location}"`);
  });

  test('goes on with the session, and not without it', async () => {
    const { port } = await opened();
    const { cookie } = await signIn(port, 'ck_ours');
    expect((await raw(port, '/turns/t1', { headers: { cookie } })).status).toBe(200);
    const out = await raw(port, '/sign-out', { method: 'POST', headers: { cookie } });
    expect(out.headers['set-cookie']?.[0]).toMatch(/Max-Age=0/);
  });

  test('is told about cookies where the browser keeps none, instead of being asked for the key again', async () => {
    const { port } = await opened();
    const from = {
      accept: 'text/html,*/*;q=0.8',
      referer: 'http://council.example/sign-in?to=%2F',
    };
    const { status, body } = await raw(port, '/turns/t1', { headers: from });
    expect([status, body]).toEqual([401, expect.stringContaining('allow cookies for this site')]);
    expect(body).toContain('action="/sign-in?to=%2Fturns%2Ft1"');
    const elsewhere = { ...from, referer: 'http://council.example/turns/t2' };
    expect((await raw(port, '/turns/t1', { headers: elsewhere })).status).toBe(303);
  });

  test('whose session ends while they write has the question asked once they are back', async () => {
    const { port, asked } = await opened();
    const browser = { ...headers, accept: 'text/html,*/*;q=0.8' };
    const body = 'question=Why%3F%0D%0A%22Now%22%3F&sages=ada&sages=ben&depth=quick&form=f1';
    const ended = await raw(port, '/ask', { method: 'POST', headers: browser, body });
    expect([ended.status, ended.headers.location]).toEqual([401, undefined]);
    expect(ended.body).toContain('Your session has ended.');
    const sentOn = (page: string, key: string) => {
      const fields = page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g);
      const read = Array.from(fields, ([, name = '', value = '']): [string, string] => [
        name,
        value.replaceAll('&quot;', '"'),
      ]);
      return `${new URLSearchParams([...read, ['key', key]])}`;
    };
    const wrong = sentOn(ended.body, 'ck_other');
    const again = await raw(port, '/sign-in', { method: 'POST', headers: browser, body: wrong });
    const right = sentOn(again.body, 'ck_ours');
    const signed = await raw(port, '/sign-in', { method: 'POST', headers: browser, body: right });
    expect([signed.status, signed.headers.location]).toEqual([307, '/ask']);
    const cookie = signed.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    await raw(port, '/ask', { method: 'POST', headers: { ...browser, cookie }, body: right });
    expect(asked).toMatchObject([
      { question: 'Why?\n"Now"?', sages: ['ada', 'ben'], depth: 'quick' },
    ]);
  });

  test('whose session ends before they press a button is back at its page once they are in', async () => {
    const { port } = await opened();
    const referer = 'http://council.example/turns/t1';
    const browser = { ...headers, accept: 'text/html,*/*;q=0.8', referer };
    const sent = { method: 'POST', headers: browser, body: 'rating=good' };
    const { status, body } = await raw(port, '/turns/t1/feedback', sent);
    expect([status, body]).toEqual([401, expect.stringContaining('press the button again')]);
    expect(body).toContain('action="/sign-in?to=%2Fturns%2Ft1"');
  });

  test('finds nothing of another workspace', async () => {
    const { port } = await openWeb([endedTurn('Wait.', 'acme')]);
    for (const path of ['/turns/t1', '/turns/t1/live', '/turns/t1/receipt', '/turns/t1/export']) {
      expect((await raw(port, path)).status).toBe(404);
    }
    for (const path of ['/turns/t1/share', '/turns/t1/stop', '/turns/%0D%0A/stop'])
      expect((await raw(port, path, { method: 'POST' })).status).toBe(404);
  });

  test('may do what the key may', async () => {
    const { port, asked, stopped } = await opened();
    const { cookie } = await signIn(port, 'ck_reader');
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const posted = (path: string) =>
      raw(port, path, { method: 'POST', headers, body: 'question=Why' });
    for (const path of ['/ask', '/turns/t1/stop', '/turns/t1/share', '/turns/t1/unshare']) {
      expect((await posted(path)).status).toBe(403);
    }
    expect([asked, stopped]).toEqual([[], []]);
    expect((await raw(port, '/turns/t1', { headers })).body).not.toContain('action="/turns/');
  });
});

test.each(['ask', 'read'] as const)('a key that may only %s gets no form', async (scope) => {
  const keys = { ck_only: keyed('k3', 'acme', scope) };
  const { port } = await openWeb([askedTurn('t1', 'acme')], { keyed: keys });
  const only = { headers: { ...headers, authorization: 'Bearer ck_only' } };
  for (const path of ['/', ...(scope === 'read' ? ['/threads/t1'] : [])]) {
    const { body } = await raw(port, path, only);
    expect(body).toContain('Asking here takes a key that may ask and read');
    expect(body).not.toContain('action="/ask"');
  }
});

test('a key that may not read sees no settings, and pays for no question that it could not follow', async () => {
  const { port, asked } = await openWeb([], { keyed: { ck_asker: keyed('k3', 'acme', 'ask') } });
  const authorization = 'Bearer ck_asker';
  const form = { method: 'POST', headers: { ...headers, authorization }, body: 'question=Why' };
  const call = { name: 'consult_council', arguments: { question: 'Why?' } };
  const consult = await raw(port, '/mcp', {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  expect(consult.body).toContain('This key may not read.');
  expect((await raw(port, '/ask', form)).status).toBe(403);
  expect((await raw(port, '/settings', { headers: { authorization } })).status).toBe(403);
  expect(asked).toEqual([]);
});

import { expect, test } from 'vitest';
import { webRecords } from '../../../src/app/web-records.ts';
import { WebKeys } from '../../../src/platforms/web/keys.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { StoreError } from '../../../src/store/store.ts';
import { openWeb } from './web-world.ts';

const reason = 'Its memory can’t be reached.';
const refused = { ask: async () => ({ status: 'refused', reason, isAway: true }) as const };
const question = 'Rewrite it?';
const waysIn = [
  ['/api/turns', { question }],
  ['/v1/chat/completions', { model: 'council', messages: [{ role: 'user', content: question }] }],
] as const;
const unreachable = async (): Promise<never> => {
  throw new StoreError('10.0.0.1 does not answer.', { reason: 'unreachable' });
};

const ask = (origin: string, path: string, body: object, headers = {}) =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test.each(waysIn)(
  '%s says when to ask again a question that the store can’t take',
  async (path, body) => {
    const { origin } = await openWeb([], {}, refused);
    const { status, headers } = await ask(origin, path, body);
    expect([status, headers.get('retry-after')]).toEqual([503, '30']);
    expect(headers.get('x-should-retry')).toBeNull();
  },
);

test.each(waysIn)(
  '%s says it too where a key or the conversation can’t be read',
  async (path, body) => {
    const list = unreachable;
    const keys = new WebKeys({ list, put: list, drop: list });
    const store = openSqliteStore({ path: ':memory:' });
    const away = { ...store, turns: { ...store.turns, list: unreachable } };
    const worlds = [
      [await openWeb([], { keys }), { authorization: 'Bearer ck_live_1' }],
      [await openWeb([], { records: webRecords(away) }), {}],
    ] as const;
    for (const [{ origin }, headers] of worlds) {
      const said = await ask(origin, path, body, headers);
      expect([said.status, said.headers.get('retry-after')]).toEqual([503, '30']);
      expect(await said.text()).not.toContain('10.0.0.1');
    }
  },
);

test.each(['/api/sages', '/api/settings', '/api/leaderboard', '/v1/models', '/settings', '/'])(
  '%s says it where the bot can’t read what it needs',
  async (path) => {
    const store = openSqliteStore({ path: ':memory:' });
    const away = { ...store, turns: { ...store.turns, list: unreachable } };
    const records = { ...webRecords(away), threads: unreachable, scoredTurns: unreachable };
    const bot = { settings: unreachable, overview: unreachable, command: unreachable };
    const { origin } = await openWeb([], { records }, { ...bot, suggest: unreachable });
    const said = await fetch(`${origin}${path}`);
    expect([said.status, said.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await said.text()).not.toContain('10.0.0.1');
  },
);

test('a browser is told on a page that its key can’t be read', async () => {
  const list = unreachable;
  const { origin } = await openWeb([], { keys: new WebKeys({ list, put: list, drop: list }) });
  const headers = { accept: 'text/html', authorization: 'Bearer ck_live_1' };
  const said = await fetch(origin, { headers });
  expect([said.status, said.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await said.text()).toContain('<h1>The council can’t reach its database');
});

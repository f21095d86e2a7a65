import { describe, expect, test } from 'vitest';
import { memoriesBody } from '../../src/platforms/web/api/schemas.ts';
import { errorForm, openApi, taken } from './open-api.ts';

describe('a key', () => {
  test('reaches nothing of another workspace, by any route', async () => {
    const { caller, idle } = await openApi();
    const ours = await caller('acme');
    const theirs = await caller('other');
    const { turnId } = await ours.ask('Where is the harbour?', { thread: 'secret' });
    await idle();
    for (const path of [
      `/turns/${turnId}`,
      `/turns/${turnId}/events`,
      `/turns/${turnId}/charts/ranking`,
      '/threads/secret',
    ]) {
      const found = await theirs.get(path);
      expect([path, found.status]).toEqual([path, 404]);
      expect(await found.text()).not.toContain('harbour');
    }
    for (const [path, body] of [
      ['again', { sage: 'ben' }],
      ['deeper', undefined],
      ['feedback', { rating: 'bad' }],
    ] as const) {
      expect((await theirs.call('POST', `/turns/${turnId}/${path}`, body)).status).toBe(404);
    }
    const stopped = await theirs.call('POST', `/turns/${turnId}/stop`);
    expect(await stopped.json()).toEqual({ stopped: false });
    expect((await theirs.get('/threads/secret/export')).status).toBe(422);
    expect(await theirs.json('/threads?search=harbour')).toEqual({ threads: [] });
    expect(await theirs.json('/memory?search=harbour&thread=secret')).toEqual({ memories: [] });
    expect(await theirs.json('/leaderboard')).toMatchObject({ turns: 0 });
    // A question with the same thread and idempotency key is another one there.
    expect((await theirs.ask('Whose?', { thread: 'secret', depth: 'quick' })).isNew).toBe(true);
    await idle();
    expect(await ours.json('/threads/secret')).toMatchObject({ turns: [{ turnId }] });
  });

  test('alone reads and goes on with the chats of its program, by every way in', async () => {
    const { caller, idle, web, keys } = await openApi();
    const [ours, theirs] = [await caller('acme'), await caller('acme')];
    const [owner, other] = [await keys.named(ours.id), await keys.named(theirs.id)];
    if (!owner || !other) throw new Error('Both keys were made.');
    const { council } = web;
    const chat = { question: 'Where is the harbour?', thread: 'chat', isPersonal: true };
    const asked = await council.ask(owner, chat);
    if (asked.status !== 'accepted') throw new Error('It was not taken.');
    await idle();
    for (const path of [`/turns/${asked.turnId}`, '/threads/chat']) {
      expect([path, (await theirs.get(path)).status]).toEqual([path, 404]);
      expect([path, (await ours.get(path)).status]).toEqual([path, 200]);
    }
    expect(await theirs.json('/threads')).toEqual({ threads: [] });
    expect(await theirs.json('/threads?search=harbour')).toEqual({ threads: [] });
    expect(await ours.json('/threads')).toMatchObject({ threads: [{ thread: 'chat' }] });
    for (const path of ['/threads/chat/export', '/memory?search=harbour&thread=chat']) {
      expect([path, (await theirs.get(path)).status]).toEqual([path, 403]);
    }
    const question = { question: 'And then?', thread: 'chat' };
    expect((await theirs.call('POST', '/turns', question)).status).toBe(403);
    expect(await council.stop(other, asked.turnId)).toBe(false);
    // It stays private when its person goes on with it by another way.
    const { turnId } = await ours.ask('And then?', { thread: 'chat', depth: 'quick' });
    await idle();
    expect((await theirs.get(`/turns/${turnId}`)).status).toBe(404);
    expect(await theirs.json('/threads')).toEqual({ threads: [] });
  });

  test('keeps the chat of its program to itself where another key has used its name before', async () => {
    const { caller, idle, web, keys } = await openApi();
    const [ours, theirs] = [await caller('acme'), await caller('acme')];
    const owner = await keys.named(ours.id);
    if (!owner) throw new Error('The key was made.');
    await theirs.ask('Where is the harbour?', { thread: 'chat', depth: 'quick' });
    await idle();
    const thread = await web.council.threadOfChat(owner, 'chat');
    const chat = { question: 'What do I earn?', thread, isPersonal: true };
    const { turnId } = await web.council.ask(owner, chat);
    await idle();
    expect((await theirs.get(`/turns/${turnId}`)).status).toBe(404);
    expect(await theirs.json('/memory?search=earn')).toEqual({ memories: [] });
    expect(await web.council.threadOfChat(owner, 'chat')).toBe(thread);
  });

  test('alone adds messages to the chats of its program, where they stay', async () => {
    const { caller, idle, web, keys } = await openApi();
    const [ours, theirs] = [await caller('acme'), await caller('acme')];
    const owner = await keys.named(ours.id);
    if (!owner) throw new Error('The key was made.');
    const question = 'Where is the harbour?';
    await web.council.ask(owner, { question, thread: 'chat', isPersonal: true });
    await idle();
    const messages = [
      { id: '1', thread: 'chat', author: 'Uma', text: 'In Ostia.', at: Date.now() },
    ];
    expect((await theirs.call('POST', '/ingest', { messages })).status).toBe(403);
    const added = await ours.call('POST', '/ingest', { messages });
    expect(await added.json()).toMatchObject({ added: 1 });
    for (const { json } of [ours, theirs])
      expect(await json('/memory?search=Ostia')).toEqual({ memories: [] });
    const { memories } = memoriesBody.parse(await ours.json('/memory?search=Ostia&thread=chat'));
    expect(memories[0]?.text).toContain('In Ostia.');
  });

  test('may do what it was made for and nothing else', async () => {
    const { caller } = await openApi();
    const reader = await caller('acme', { scopes: ['read'] });
    const asker = await caller('acme', { scopes: ['ask'] });
    const refused = await reader.call('POST', '/turns', { question: 'Why?' });
    expect(refused.status).toBe(403);
    expect(errorForm.parse(await refused.json()).error.message).toBe(
      'This key may not ask questions.',
    );
    const said = { id: '1', thread: 'log', author: 'Uma', text: 'x', at: 1 };
    expect((await asker.call('POST', '/ingest', { messages: [said] })).status).toBe(403);
    for (const path of ['/threads', '/memory?search=x', '/settings', '/sages', '/leaderboard']) {
      expect([path, (await asker.get(path)).status]).toEqual([path, 403]);
    }
  });

  test('sees the settings on the page, though it may not change them', async () => {
    const { keys, origin } = await openApi();
    const key = { name: 'Ben', workspace: 'acme', scopes: ['read' as const], limits: {} };
    const { secret } = await keys.make({ ...key, requestsPerMinute: 1000 }, Date.now());
    const headers = { authorization: `Bearer ${secret}` };
    const page = await fetch(`${origin}/settings`, { headers });
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<td>standard'),
    ]);
  });

  test('is known until it is withdrawn', async () => {
    const { caller, keys } = await openApi();
    const { id, get } = await caller('acme');
    expect((await get('/sages')).status).toBe(200);
    await keys.withdraw(id);
    // From elsewhere: at this machine no one needs one.
    const gone = await get('/sages', { 'x-forwarded-for': '203.0.113.9' });
    expect(gone.status).toBe(401);
    expect(errorForm.parse(await gone.json()).error.code).toBe('invalid_api_key');
  });

  test('that has used up a limit is told when to come back', async () => {
    const { caller, application } = await openApi((name) =>
      name === 'moderator' ? { kind: 'hang' } : undefined,
    );
    const few = await caller('acme', { requestsPerMinute: 2 });
    expect([(await few.get('/sages')).status, (await few.get('/sages')).status]).toEqual([
      200, 200,
    ]);
    const late = await few.get('/sages');
    expect(late.status).toBe(429);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(errorForm.parse(await late.json()).error.code).toBe('rate_limit_exceeded');
    const one = await caller('acme', { limits: { openQuestions: 1 } });
    const send = async () =>
      taken.parse(
        await (
          await one.call('POST', '/turns', { question: 'First?' }, { 'idempotency-key': 'k' })
        ).json(),
      );
    const { turnId } = await send();
    expect(await send()).toMatchObject({ turnId, isNew: false });
    const second = await one.call('POST', '/turns', { question: 'Second?' });
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('30');
    const messages = [{ role: 'user', content: 'Second?' }];
    const model = { model: 'council', messages };
    const asModel = await one.call('POST', '/../v1/chat/completions', model);
    expect([asModel.status, asModel.headers.get('retry-after')]).toEqual([429, '30']);
    await one.call('POST', `/turns/${turnId}/stop`);
    const poor = await caller('acme', { limits: { usdPerDay: 1 } });
    await application.store.spend([`user:any:any:web:key:${poor.id}`], 1);
    const broke = await poor.call('POST', '/turns', { question: 'Third?' });
    expect(broke.status).toBe(429);
    expect(errorForm.parse(await broke.json()).error.message).toMatch(
      /^Your budget of .* It renews at 20\d\d-\d\d-\d\dT00:00:00/,
    );
  });
});

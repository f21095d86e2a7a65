import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keysIn } from '../../src/app/web-records.ts';
import { memoriesBody, sagesBody, settingsBody } from '../../src/platforms/web/api/schemas.ts';
import type { NewKey } from '../../src/platforms/web/keys.ts';
import { scoredTurn } from '../bot/scored.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const anyScopes = ['ask', 'read', 'ingest'] as const;
const taken = z.object({ turnId: z.string(), thread: z.string(), isNew: z.boolean() });
const errorForm = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

const documentForm = z.object({
  paths: z.record(z.string(), z.unknown()),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/** A council on the web, and callers with a key each. */
async function open(faults?: Parameters<typeof startRehearsedModels>[0]) {
  const models = await startRehearsedModels(faults);
  const { origin, application, web } = await openWebCouncil(models.settings);
  const keys = keysIn(application.store.settings);
  const caller = async (workspace: string, changes: Partial<NewKey> = {}) => {
    const scopes = [...anyScopes];
    const usual = { name: workspace, workspace, scopes, limits: {}, requestsPerMinute: 1000 };
    const { secret, id } = await keys.make({ ...usual, ...changes }, Date.now());
    const call = (method: string, path: string, body?: unknown, headers = {}) =>
      fetch(`${origin}/api${path}`, {
        method,
        headers: {
          ...{ authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    return {
      id,
      call,
      get: (path: string, headers = {}) => call('GET', path, undefined, headers),
      json: async (path: string): Promise<unknown> => (await call('GET', path)).json(),
      ask: async (question: string, more = {}) =>
        taken.parse(await (await call('POST', '/turns', { question, ...more })).json()),
    };
  };
  return { models, web, origin, application, keys, caller, idle: () => application.queue.idle() };
}

/** The names of the events of a stream, with their ids. */
function eventsIn(text: string) {
  return [...text.matchAll(/^event: (\w+)\ndata: (.*)\nid: (\S+)$/gm)].map(
    ([, type, data, id]) => ({
      type,
      id,
      data,
    }),
  );
}

describe('the API', () => {
  test('asks a council, tells it live, and gives the turn with its ballots and its cost', async () => {
    const { caller, idle } = await open();
    const { ask, get, json } = await caller('acme');
    const { turnId, thread } = await ask('Should we rewrite it?');
    const streamed = await get(`/turns/${turnId}/events`);
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    expect(streamed.headers.get('cache-control')).toBe('no-cache, no-transform');
    const events = eventsIn(await streamed.text());
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['seated', 'answered', 'reviewed', 'ranked', 'concluded', 'ended']),
    );
    expect(events.map(({ data }) => data).join()).not.toContain('You are ada');
    await idle();
    const turn = await json(`/turns/${turnId}`);
    expect(turn).toMatchObject({
      ...{ turnId, thread, status: 'ended', outcome: 'answered', askedBy: 'acme' },
      question: 'Should we rewrite it?',
      verdict: { kind: 'synthesis' },
      ranking: { places: [{ position: 1 }, {}, {}] },
      cost: { calls: expect.any(Number) },
    });
    expect(turn).toHaveProperty('reviews.0.ballot.status', 'ranked');
    expect(turn).toHaveProperty('reviews.0.labels.0.label');
    expect(JSON.stringify(turn)).not.toContain('You are ada');
    // Taken up again where it broke off.
    const kept = eventsIn(await (await get(`/turns/${turnId}/events`)).text());
    const from = { 'last-event-id': kept[2]?.id ?? '' };
    const rest = eventsIn(await (await get(`/turns/${turnId}/events`, from)).text());
    expect(rest).toEqual(kept.slice(3));
    for (const [kind, form, type] of [
      ['ranking', 'svg', 'image/svg+xml; charset=utf-8'],
      ['ranking', 'png', 'image/png'],
      ['agreement', 'svg', 'image/svg+xml; charset=utf-8'],
    ]) {
      const chart = await get(`/turns/${turnId}/charts/${kind}?form=${form}`);
      expect([chart.status, chart.headers.get('content-type')]).toEqual([200, type]);
    }
  });

  test('asks once, however often a request is sent with one Idempotency-Key', async () => {
    const { caller, models, idle } = await open();
    const { call } = await caller('acme');
    const send = async (question: string) =>
      call('POST', '/turns', { question, depth: 'quick' }, { 'idempotency-key': 'k-1' });
    const first = taken.parse(await (await send('Which tea?')).json());
    await idle();
    const second = taken.parse(await (await send('Which tea?')).json());
    expect(second).toEqual({ ...first, isNew: false });
    expect((await send('Which car?')).status).toBe(409);
    expect(models.counts().chair).toBe(1);
    const other = await caller('acme');
    const theirs = await other.call(
      'POST',
      '/turns',
      { question: 'Which tea?' },
      { 'idempotency-key': 'k-1' },
    );
    expect(taken.parse(await theirs.json()).isNew).toBe(true);
  });

  test('asks each time where the Idempotency-Key is empty', async () => {
    const { caller } = await open();
    const { call } = await caller('acme');
    for (const question of ['Which tea?', 'Which tea?', 'Which car?']) {
      const reply = await call('POST', '/turns', { question }, { 'idempotency-key': '' });
      expect(taken.parse(await reply.json()).isNew).toBe(true);
    }
  });

  test('goes on from a verdict: one sage again, and a rating', async () => {
    const { caller, idle } = await open();
    const { ask, call, json } = await caller('acme');
    const { turnId, thread } = await ask('Should we rewrite it?');
    await idle();
    const again = await call('POST', `/turns/${turnId}/again`, { sage: 'ben' });
    expect(again.status).toBe(202);
    const next = taken.parse(await again.json());
    expect(next.thread).toBe(thread);
    await idle();
    expect(await json(`/turns/${next.turnId}`)).toMatchObject({
      ...{ status: 'ended', answers: [{ sage: 'ben' }] },
    });
    const rated = await call('POST', `/turns/${turnId}/feedback`, { rating: 'good' });
    expect(rated.status).toBe(200);
    const refused = await call('POST', `/turns/${turnId}/again`, { sage: 'dora' });
    expect(refused.status).toBe(422);
    expect(errorForm.parse(await refused.json()).error.message).toContain(
      'didn’t sit in that turn',
    );
  });

  test('lists conversations, gives one whole, exports it, and finds what was said in it', async () => {
    const { caller, idle } = await open();
    const { ask, json, get } = await caller('acme');
    await ask('Where is the harbour of Ostia?', { thread: 'ostia', depth: 'quick' });
    await idle();
    expect(await json('/threads?search=harbour')).toMatchObject({ threads: [{ thread: 'ostia' }] });
    expect(await json('/threads/ostia')).toMatchObject({
      turns: [{ question: 'Where is the harbour of Ostia?', outcome: 'answered' }],
    });
    const exported = await get('/threads/ostia/export?format=json');
    expect(exported.headers.get('content-disposition')).toContain('attachment');
    expect(await exported.json()).toMatchObject({ format: 'council-archive' });
    const { memories } = memoriesBody.parse(await json('/memory?search=harbour'));
    expect(memories[0]?.text).toContain('Where is the harbour of Ostia?');
    expect(memories[0]?.text).not.toContain('<t:');
  });

  test('shows the bench, the settings and the leaderboard', async () => {
    const { caller, application } = await open();
    const { json, get } = await caller('acme');
    const { sages } = sagesBody.parse(await json('/sages'));
    expect(sages.map(({ key }) => key)).toEqual(['ada', 'ben', 'cleo']);
    expect(JSON.stringify(sages)).not.toContain('You are');
    const { settings } = settingsBody.parse(await json('/settings'));
    expect(settings).toContainEqual(expect.objectContaining({ name: 'depth', origin: 'file' }));
    expect(await json('/leaderboard?by=model')).toMatchObject({
      by: 'model',
      turns: 0,
      ranked: [],
    });
    expect((await get('/leaderboard/chart')).status).toBe(404);
    for (let count = 0; count < 10; count += 1) {
      await scoredTurn(application.store, 'web:acme:council:plans');
    }
    expect(await json('/leaderboard')).toMatchObject({
      turns: 10,
      ranked: [{ id: 'ada' }, {}, {}],
    });
    const chart = await get('/leaderboard/chart?form=png');
    expect([chart.status, chart.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test('has what people said elsewhere remembered, once, with who said it and when', async () => {
    const { caller } = await open();
    const { call, json } = await caller('acme');
    const said = {
      id: '1',
      thread: 'log',
      author: 'Uma',
      text: 'The key is under the mat.',
      at: 1e12,
    };
    const send = async () => (await call('POST', '/ingest', { messages: [said] })).json();
    expect(await send()).toEqual({ added: 1, known: 0, expired: 0 });
    expect(await send()).toEqual({ added: 0, known: 1, expired: 0 });
    const { memories } = memoriesBody.parse(await json('/memory?search=where+is+the+key'));
    expect(memories[0]?.text).toMatch(/^Uma · 2001-09-09T01:46:40\.000Z\n.*under the mat/);
  });

  test('describes all of it in one document, which needs no key of a workspace', async () => {
    const { caller } = await open();
    const { json } = await caller('acme');
    const document = await json('/openapi.json');
    expect(document).toMatchObject({ openapi: '3.1.0', security: [{ key: [] }] });
    const { paths, components } = documentForm.parse(document);
    expect(Object.keys(paths)).toHaveLength(17);
    const written = JSON.stringify(document);
    for (const [, name = ''] of written.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      expect(Object.keys(components.schemas)).toContain(name);
    }
    expect(written).not.toContain('$defs');
    const { Turn, Question } = components.schemas;
    expect(Turn).toHaveProperty('properties.answers.items.required', [
      ...['sage', 'status', 'answer', 'summary', 'model', 'latencyMs'],
    ]);
    expect(Question).toMatchObject({ required: ['question'] });
  });
});

describe('a key', () => {
  test('reaches nothing of another workspace, by any route', async () => {
    const { caller, idle } = await open();
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
    const { caller, idle, web, keys } = await open();
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

  test('alone adds messages to the chats of its program, where they stay', async () => {
    const { caller, idle, web, keys } = await open();
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
    const { caller } = await open();
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

  test('is known until it is withdrawn', async () => {
    const { caller, keys } = await open();
    const { id, get } = await caller('acme');
    expect((await get('/sages')).status).toBe(200);
    await keys.withdraw(id);
    // From elsewhere: at this machine no one needs one.
    const gone = await get('/sages', { 'x-forwarded-for': '203.0.113.9' });
    expect(gone.status).toBe(401);
    expect(errorForm.parse(await gone.json()).error.code).toBe('invalid_api_key');
  });

  test('that has used up a limit is told when to come back', async () => {
    const { caller, application } = await open((name) =>
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

describe('a request that can’t be answered', () => {
  test.each([
    ['no JSON', '/turns', '{', 400],
    ['an empty question', '/turns', '{"question":"  "}', 422],
    ['a field that is none', '/turns', '{"question":"Why?","model":"x"}', 400],
    ['a thread of elsewhere', '/turns', '{"question":"Why?","thread":"a:b:c"}', 400],
    ['a sage that is none', '/turns', '{"question":"Why?","sages":["zed"]}', 422],
    ['a turn that is none', '/turns/%00%ff/again', '{"sage":"ben"}', 404],
    ['no messages', '/ingest', '{"messages":[]}', 400],
    [
      'a message of no time',
      '/ingest',
      '{"messages":[{"id":"1","thread":"a","author":"u","text":"x","at":-1}]}',
      400,
    ],
    ['a path that is none', '/nothing', '{}', 404],
  ])('is told so in words, without a stack: %s', async (_, path, body, status) => {
    const { origin } = await open();
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${origin}/api${path}`, { method: 'POST', headers, body });
    const text = await reply.text();
    expect([reply.status, text]).toEqual([status, expect.any(String)]);
    expect(errorForm.parse(JSON.parse(text)).error.message.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/\.ts\b|node:|\bat .*:\d/);
  });

  test('is told to come as JSON', async () => {
    const { origin } = await open();
    const reply = await fetch(`${origin}/api/turns`, {
      method: 'POST',
      body: '{"question":"Why?"}',
    });
    const { error } = errorForm.parse(await reply.json());
    expect([reply.status, error.code]).toEqual([415, 'invalid_request']);
    expect(error.message).toContain('Content-Type: application/json');
  });
});

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoriesBody, sagesBody, settingsBody } from '../../src/platforms/web/api/schemas.ts';
import { scoredTurn } from '../bot/scored.ts';
import { errorForm, openApi, taken } from './open-api.ts';

const documentForm = z.object({
  paths: z.record(z.string(), z.unknown()),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

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
    const { caller, idle } = await openApi();
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
      turnId,
      thread,
      status: 'ended',
      outcome: 'answered',
      askedBy: 'acme',
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
    const { caller, models, idle } = await openApi();
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
    const { caller } = await openApi();
    const { call } = await caller('acme');
    for (const question of ['Which tea?', 'Which tea?', 'Which car?']) {
      const reply = await call('POST', '/turns', { question }, { 'idempotency-key': '' });
      expect(taken.parse(await reply.json()).isNew).toBe(true);
    }
  });

  test('goes on from a verdict: one sage again, and a rating', async () => {
    const { caller, idle } = await openApi();
    const { ask, call, json } = await caller('acme');
    const { turnId, thread } = await ask('Should we rewrite it?');
    await idle();
    const again = await call('POST', `/turns/${turnId}/again`, { sage: 'ben' });
    expect(again.status).toBe(202);
    const next = taken.parse(await again.json());
    expect(next.thread).toBe(thread);
    await idle();
    expect(await json(`/turns/${next.turnId}`)).toMatchObject({
      status: 'ended',
      answers: [{ sage: 'ben' }],
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
    const { caller, idle } = await openApi();
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
    const { caller, application } = await openApi();
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
    const { caller } = await openApi();
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
    const { caller } = await openApi();
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

describe('a request that can’t be answered', () => {
  test.each([
    ['no JSON', '/turns', '{', 400],
    ['an empty question', '/turns', '{"question":"  "}', 422],
    ['a field that is none', '/turns', '{"question":"Why?","model":"x"}', 400],
    ['a thread of elsewhere', '/turns', '{"question":"Why?","thread":"a:b:c"}', 400],
    ['a sage that is none', '/turns', '{"question":"Why?","sages":["zed"]}', 422],
    [
      'more sages than there can be',
      '/turns',
      JSON.stringify({ question: 'Why?', sages: Array(20_000).fill(1) }),
      400,
    ],
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
    const { origin } = await openApi();
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${origin}/api${path}`, { method: 'POST', headers, body });
    const text = await reply.text();
    expect([reply.status, text]).toEqual([status, expect.any(String)]);
    expect(errorForm.parse(JSON.parse(text)).error.message.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/\.ts\b|node:|\bat .*:\d/);
    expect(text.length).toBeLessThan(1000);
  });

  test('is told to come as JSON', async () => {
    const { origin } = await openApi();
    const reply = await fetch(`${origin}/api/turns`, {
      method: 'POST',
      body: '{"question":"Why?"}',
    });
    const { error } = errorForm.parse(await reply.json());
    expect([reply.status, error.code]).toEqual([415, 'invalid_request']);
    expect(error.message).toContain('Content-Type: application/json');
  });
});

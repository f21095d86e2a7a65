import { describe, expect, test } from 'vitest';
import type { SideTask, SideTaskDone } from '../../../../src/platforms/platform.ts';
import type { WebTurn } from '../../../../src/platforms/web/web-council.ts';
import { keyed, openWeb, raw } from '../web-world.ts';
import { answered, asking, call, key, post } from './programs.ts';

describe('a question of a program', () => {
  test('is answered with the verdict and with what all calls together took', async () => {
    const world = await openWeb([answered]);
    const { status, body } = await post(world, asking('Should we hire?'));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      id: 'chatcmpl-turn-1',
      object: 'chat.completion',
      model: 'council',
      choices: [{ message: { role: 'assistant', content: 'Not yet.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 },
    });
    expect(world.stopped).toEqual([]);
  });

  test('is streamed as chunks and ends in [DONE]', async () => {
    const world = await openWeb([answered]);
    const { headers, body } = await post(world, { ...asking('Should we hire?'), stream: true });
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache, no-transform');
    expect(headers['x-accel-buffering']).toBe('no');
    const frames = body.trimEnd().split('\n\n');
    expect(frames.at(-1)).toBe('data: [DONE]');
    expect(frames.every((frame) => frame.startsWith('data: '))).toBe(true);
    expect(body).not.toContain('"usage"');
  });

  test.each([
    ['council-deep', { depth: 'deep' }],
    ['council-auto', { depth: 'auto' }],
    ['council/hiring', { preset: 'hiring' }],
    ['sage/ada', { sages: ['ada'] }],
  ])('asks %s', async (model, wished) => {
    const world = await openWeb([answered]);
    await post(world, { ...asking('Should we hire?'), model });
    expect(world.asked[0]).toMatchObject(wished);
  });

  test('is asked once, however often it is sent with the same key', async () => {
    const world = await openWeb([answered]);
    for (let time = 0; time < 2; time += 1) {
      await post(world, asking('Should we hire?'), { 'idempotency-key': 'k' });
    }
    const [one, other] = world.asked;
    expect(one?.eventId).toBe(other?.eventId);
    expect(one?.threadId).toBe(other?.threadId);
    expect(other?.eventId).not.toBe('k');
  });

  test('that is repeated is not held against the limits again, and its key stands for no other', async () => {
    const ask = async () => ({ status: 'refused', reason: 'One is waiting.' }) as const;
    const earlier = { turnId: 'turn-1', hasEnded: false, question: 'Should we hire?' };
    const world = await openWeb([answered], {}, { ask, turnOf: async () => earlier });
    const asked = (question: string) => post(world, asking(question), { 'idempotency-key': 'k' });
    expect(JSON.parse((await asked('Should we hire?')).body).id).toBe('chatcmpl-turn-1');
    const other = await asked('Should we move?');
    expect([other.status, JSON.parse(other.body).error.code]).toEqual([409, 'asked_already']);
  });

  test('may carry what a council has no use for, which is told in a header', async () => {
    const world = await openWeb([answered]);
    const more = { temperature: 0.5, tools: [], seed: 1, user: 'u1', 'bad\r\nname': 1 };
    const { status, headers } = await post(world, { ...asking('Should we hire?'), ...more });
    expect(status).toBe(200);
    expect(headers['x-council-ignored']).toBe('temperature, tools, seed');
  });

  test.each([
    ['/v1/chat/completions', { store: false }, 'store'],
    ['/v1/responses', { store: false }, 'store'],
    ['/v1/responses', { store: true }, undefined],
  ])('is told by %s, with %j, whether it is stored against its will', async (path, sent, told) => {
    const { input, ...chat } = { ...asking('Should we hire?'), input: 'Should we hire?' };
    const asked = path === '/v1/responses' ? { input } : chat;
    const { status, headers } = await post(
      await openWeb([answered]),
      { ...asked, ...sent },
      {},
      path,
    );
    expect([status, headers['x-council-ignored']]).toEqual([200, told]);
  });

  test('may have fields of its program in its messages', async () => {
    const world = await openWeb([answered]);
    const message = { role: 'user', content: 'Should we hire?', type: 'human', id: 7 };
    expect((await post(world, { model: 'council', messages: [message] })).status).toBe(200);
  });

  test('of a key that may ask and not read is answered all the same', async () => {
    const turn: WebTurn = { ...answered, threadId: 'web:acme:council:t' };
    const world = await openWeb([turn], { keyed: { ck_1: key } });
    const headers = { authorization: 'Bearer ck_1' };
    expect((await post(world, asking('Hi?'), headers)).status).toBe(200);
    expect(world.asked[0]).toMatchObject({ author: { id: 'k1' } });
  });
});

describe('what is refused', () => {
  test.each([
    ['/v1/chat/completions', 'messages'],
    ['/v1/responses', 'input'],
  ])('a part that is not supported, with those that are: %s', async (path, field) => {
    const world = await openWeb();
    const refused = async (part: object) => {
      const sent = { [field]: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] };
      const { status, body } = await post(world, sent, {}, path);
      return [status, JSON.parse(body).error.message];
    };
    expect(await refused({ type: 'input_audio', input_audio: {} })).toEqual([
      400,
      `\`${field}.0.content.1.type\` is invalid: only texts, pictures and files are supported (\`text\`, \`image_url\`, \`file\`, or \`input_text\`, \`input_image\`, \`input_file\`).`,
    ]);
    expect(await refused({ type: 'text' })).toEqual([
      400,
      expect.stringMatching(/^`\w+\.0\.content\.1\.text` is invalid: .*expected string/),
    ]);
  });

  test.each([
    ['no JSON', '{', 400, 'invalid_json'],
    ['no object', '7', 400, 'invalid_value'],
    ['no messages', '{"model":"council"}', 400, 'invalid_value'],
    [
      'a part that there is not',
      JSON.stringify(asking([{ type: 'input_audio' }])),
      400,
      'invalid_value',
    ],
    [
      'an unknown model',
      JSON.stringify({ ...asking('Hi'), model: 'gpt-5' }),
      404,
      'model_not_found',
    ],
    [
      'an unknown preset',
      JSON.stringify({ ...asking('Hi'), model: 'council/x' }),
      404,
      'model_not_found',
    ],
    [
      'a model that is no name',
      JSON.stringify({ ...asking('Hi'), model: `sage/${'x'.repeat(9000)}` }),
      404,
      'model_not_found',
    ],
    ['a body of 17 MB', `"${'x'.repeat(17_000_000)}"`, 413, undefined],
  ])('is %s', async (_, body, status, code) => {
    const world = await openWeb();
    const reply = await raw(world.port, '/v1/chat/completions', { method: 'POST', body });
    expect(reply.status).toBe(status);
    const { error } = JSON.parse(reply.body);
    expect(error).toMatchObject({ message: expect.stringMatching(/\S/), type: expect.any(String) });
    if (code !== undefined) expect(error).toMatchObject({ code, param: expect.any(String) });
    expect(reply.headers['x-should-retry'] ?? 'false').toBe('false');
    expect(world.asked).toEqual([]);
  });

  test('is a council that asks itself', async () => {
    const world = await openWeb([answered]);
    const reply = await post(world, asking('Hi?'), { 'X-Council-Depth': '1' });
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body).error).toMatchObject({ code: 'council_recursion' });
    expect(world.asked).toEqual([]);
  });

  test.each([
    ['a limit that is soon free', { retryAfterMs: 59_500 }, 429, 'rate_limit_exceeded', '60'],
    ['a budget that renews', { retryAfterMs: 7_199_500 }, 429, 'insufficient_quota', '7200'],
    ['a person who is not let in', { isStranger: true }, 403, 'forbidden', undefined],
    ['a question that is never taken', {}, 422, 'not_taken', undefined],
  ])('is told in the words of the bot: %s', async (_, facts, status, code, retryAfter) => {
    const refused = { status: 'refused', reason: 'Not until <t:1763763540>.', ...facts } as const;
    const world = await openWeb([], {}, { ask: async () => refused });
    const reply = await post(world, asking('Hi?'));
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body).error).toMatchObject({
      code,
      message: 'Not until 2025-11-21T22:19:00.000Z.',
    });
    expect(reply.headers['retry-after']).toBe(retryAfter);
    expect(reply.headers['x-should-retry']).toBe(retryAfter === undefined ? 'false' : undefined);
  });

  test('is going on from a response of another workspace, or from none', async () => {
    const turn: WebTurn = { ...answered, threadId: 'web:other:council:t' };
    const world = await openWeb([turn], { keyed: { ck_1: key } });
    for (const id of ['resp_turn-1', 'resp_nothing', 'turn-1', 'resp_']) {
      const reply = await raw(world.port, '/v1/responses', {
        method: 'POST',
        headers: { authorization: 'Bearer ck_1' },
        body: JSON.stringify({ input: 'And then?', previous_response_id: id }),
      });
      expect(reply.status).toBe(404);
      expect(JSON.parse(reply.body).error.code).toBe('previous_response_not_found');
    }
    expect(world.asked).toEqual([]);
  });

  test('is a question of a key that may only read', async () => {
    const reading = keyed('k2', 'acme', 'read');
    const world = await openWeb([], { keyed: { ck_2: reading } });
    const reply = await post(world, asking('Hi?'), { authorization: 'Bearer ck_2' });
    expect(reply.status).toBe(403);
    expect(JSON.parse(reply.body).error).toMatchObject({ type: 'permission_error' });
  });

  test('is a question of no one', async () => {
    const world = await openWeb();
    const reply = await post(world, asking('Hi?'), { forwarded: 'for=203.0.113.9' });
    expect(reply.status).toBe(401);
    expect(JSON.parse(reply.body).error).toMatchObject({ code: 'invalid_api_key', param: '' });
  });
});

describe('a small task of a program', () => {
  const title =
    '### Task:\nGenerate a concise title summarizing the chat history.\n<chat_history>\n';

  async function world(done: SideTaskDone) {
    const sideTasks: SideTask[] = [];
    const opened = await openWeb(
      [],
      {},
      {
        sideTask: async (sideTask) => {
          sideTasks.push(sideTask);
          return done;
        },
      },
    );
    return { ...opened, sideTasks };
  }

  test('is one call, whatever model it is asked of, and no turn', async () => {
    const opened = await world({ status: 'done', text: '{"title":"Hiring"}', calls: [call] });
    const body = { ...asking(`${title}…</chat_history>`), model: 'council-deep' };
    const reply = JSON.parse((await post(opened, body)).body);
    expect(reply.choices[0].message.content).toBe('{"title":"Hiring"}');
    expect(reply.usage.total_tokens).toBe(14);
    const streamed = await post(opened, { ...body, stream: true });
    expect(streamed.body).toContain('Hiring');
    expect(opened.asked).toEqual([]);
    expect(opened.sideTasks).toHaveLength(2);
    expect(opened.sideTasks[0]?.person).toMatchObject({ id: 'local' });
  });

  test.each([
    [{ status: 'refused', reason: 'Your budget is spent.', retryAfterMs: 1000 } as const, 429],
    [{ status: 'failed', reason: 'The key was rejected.' } as const, 502],
  ])('that is %o is told so', async (done, status) => {
    const opened = await world(done);
    const reply = await post(opened, asking(`${title}…`));
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body).error.message).toBe(done.reason);
  });
});

test.each(['/v1/models', '/v1/models/sage/ada'])(
  '%s names sages and presets only to a key that may ask them',
  async (path) => {
    const keys = { ck_1: key, ck_2: keyed('k2', 'acme', 'ingest', 'read') };
    const { port } = await openWeb([], { keyed: keys });
    const by = (secret: string) =>
      raw(port, path, { headers: { authorization: `Bearer ${secret}` } });
    expect((await by('ck_1')).status).toBe(200);
    const { status, body } = await by('ck_2');
    expect([status, JSON.parse(body)]).toMatchObject([
      ...[403, { error: { code: 'forbidden', message: 'This key may not ask questions.' } }],
    ]);
  },
);

import { describe, expect, test } from 'vitest';
import type { SideTask, SideTaskDone } from '../../../../src/platforms/platform.ts';
import type { WebTurn } from '../../../../src/platforms/web/web-council.ts';
import { askedTurn, keyed, openWeb, raw, v1Limits, type WebWorld } from '../web-world.ts';
import { all } from './pieces.ts';

const verdict = {
  ...({ kind: 'synthesis', verdict: 'Not yet.', by: 'test:chair', latencyMs: 1 } as const),
  ...{ consensus: [], disagreements: [], minorityReport: '', unsettled: [], dissent: [] },
};
const call = {
  ...{ model: 'test:m', stage: 'sage', outcome: 'answered', latencyMs: 1, estimated: false },
  ...{ inputTokens: 10, outputTokens: 4, reasoningTokens: 1 },
};
const answered: WebTurn = {
  ...askedTurn('turn-1', 'local', { verdict }),
  ...{ status: 'ended', outcome: 'answered', usage: [call, call] },
};
const key = keyed('k1', 'acme', 'ask');

function post(
  world: Pick<WebWorld, 'port'>,
  body: unknown,
  headers: Record<string, string> = {},
  path = '/v1/chat/completions',
) {
  return raw(world.port, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

function asking(content: unknown, ...before: readonly object[]) {
  return { model: 'council', messages: [...before, { role: 'user', content }] };
}

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a question of a program', () => {
  test('is answered with the verdict and with what all calls together took', async () => {
    const world = await openWeb([answered]);
    const { status, body } = await post(world, asking('Should we hire?'));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      ...{ id: 'chatcmpl-turn-1', object: 'chat.completion', model: 'council' },
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

  test('has a thread of its own each time, which no other thread recalls', async () => {
    const world = await openWeb([answered]);
    await post(world, asking('Should we hire?'));
    await post(world, asking('Should we hire?'));
    const [one, other] = world.asked;
    expect(one?.threadId).not.toBe(other?.threadId);
    expect(one).toMatchObject({
      isPrivate: true,
      isPrivateThread: true,
      question: 'Should we hire?',
    });
    expect(one?.heard).toBeUndefined();
  });

  test('goes on in the chat that its program names, which remembers what was said', async () => {
    const world = await openWeb([answered]);
    const history = [
      { role: 'user', content: 'Should we hire?' },
      { role: 'assistant', content: 'Not yet.' },
    ];
    for (const headers of [{ 'x-openwebui-chat-id': 'c-1' }, { 'x-session-id': 'turn-1' }]) {
      await post(world, asking('And when?', ...history), headers);
    }
    await post(world, asking('Hi'), { 'x-session-id': 'übel/../ :' });
    await post(world, asking('Hi'), { 'x-session-id': '' });
    const [first, second, odd, none] = world.asked;
    expect(none?.threadId).toMatch(/^web:local:council:[0-9a-f-]{36}$/);
    expect(first?.threadId).toBe('web:local:council:c-1');
    expect(second?.threadId).toBe(answered.threadId);
    // Of the first chat the council knows nothing: it may have begun with another model.
    expect(first?.heard?.messages.map(({ text }) => text)).toEqual(['Should we hire?', 'Not yet.']);
    expect(second?.heard).toBeUndefined();
    expect(odd?.threadId).toMatch(/^web:local:council:[0-9a-f]{64}$/);
  });

  test('is heard with what its chat said to other models, and what the council said is not read again', async () => {
    const world = await openWeb([answered]);
    const before = ['Ann leads us.', 'Noted.', 'About turn-1?', 'Not yet.', 'Ann has left.', 'Oh.'];
    const history = before.map((content, index) => ({
      ...{ role: index % 2 === 0 ? 'user' : 'assistant', content },
    }));
    await post(world, asking('And when?', ...history), { 'x-session-id': 'turn-1' });
    const [asked] = world.asked;
    expect(asked?.threadId).toBe(answered.threadId);
    expect(asked?.heard?.messages.map(({ text }) => text)).toEqual([
      ...['Ann leads us.', 'Noted.', 'Ann has left.', 'Oh.'],
    ]);
  });

  // LibreChat names each new chat like this, Open WebUI each temporary one of a browser tab.
  test.each(['new', 'local:hVx1Bq', '{{LIBRECHAT_BODY_CONVERSATIONID}}'])(
    'has a thread of its own where several chats share the name: %s',
    async (chat) => {
      const world = await openWeb([answered]);
      for (const question of ['What do I earn?', 'Why?'])
        await post(world, asking(question), { 'x-session-id': chat });
      const threads = new Set(world.asked.map(({ threadId }) => threadId));
      expect(threads.size).toBe(2);
    },
  );

  test('goes on apart in a chat that began with another key, of which it learns nothing', async () => {
    const turn: WebTurn = { ...answered, threadId: 'web:acme:council:t' };
    const theirs = { ...askedTurn('turn-0', 'acme'), threadId: 'web:acme:council:chat' };
    const request = { ...theirs.past.request, isPrivateThread: true as const };
    const world = await openWeb([turn, { ...theirs, past: { ...theirs.past, request } }], {
      keyed: { ck_1: key },
    });
    const headers = { authorization: 'Bearer ck_1', 'x-session-id': 'chat' };
    expect((await post(world, asking('And when?'), headers)).status).toBe(200);
    await post(world, asking('And why?'), headers);
    const [one, other] = world.asked;
    expect(one?.threadId).toMatch(/^web:acme:council:[0-9a-f]{64}$/);
    expect(other?.threadId).toBe(one?.threadId);
  });

  test.each([
    ['by its id', { previous_response_id: 'resp_turn-1' }, []],
    [
      'by references to what it said, as the AI SDK does',
      {},
      [
        { role: 'user', content: 'Should we hire?' },
        { type: 'item_reference', id: 'rs_turn-1' },
        { type: 'item_reference', id: 'msg_turn-1' },
      ],
    ],
  ])('goes on from a response %s, with all that is new', async (_, fields, before) => {
    const { past } = answered;
    const request = { ...past.request, isPrivateThread: true as const };
    const world = await openWeb([{ ...answered, past: { ...past, request } }]);
    const input = [
      { role: 'developer', content: 'Answer in French.' },
      ...before,
      { role: 'user', content: 'Ann has left.' },
      { role: 'user', content: 'And when?' },
    ];
    expect((await post(world, { ...fields, input }, {}, '/v1/responses')).status).toBe(200);
    const [asked] = world.asked;
    expect(asked).toMatchObject({ threadId: answered.threadId, question: 'And when?' });
    expect(asked?.instructions).toBe('Answer in French.');
    expect(asked?.heard?.messages.map(({ text }) => text)).toEqual(['Ann has left.']);
  });

  test('brings what was said before it, and what the program tells every model', async () => {
    const world = await openWeb([answered]);
    const before = [
      { role: 'system', content: 'Answer in French.' },
      { role: 'user', content: 'My name is Alice.' },
      { role: 'assistant', content: 'Hello Alice.', reasoning_content: 'Long thoughts.' },
    ];
    await post(world, asking('What is my name?', ...before));
    const [asked] = world.asked;
    expect(asked?.question).toBe('What is my name?');
    expect(asked?.instructions).toBe('Answer in French.');
    const heard = asked?.heard?.messages.map(({ author, text }) => `${author.name}: ${text}`);
    expect(heard).toEqual(['You: My name is Alice.', 'Assistant: Hello Alice.']);
    expect(JSON.stringify(asked)).not.toContain('Long thoughts.');
  });

  test('brings pictures, which the platform opens while they are kept', async () => {
    const world = await openWeb([answered]);
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: png } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
    ];
    await post(world, asking(parts));
    const sources = world.asked[0]?.heard?.messages[0]?.sources ?? [];
    expect(sources).toMatchObject([
      { status: 'pointed', kind: 'file' },
      { status: 'pointed', kind: 'page', address: 'https://example.org/a.png' },
      { status: 'unread', kind: 'file', name: 'the picture' },
    ]);
    const [picture] = sources;
    const address = picture?.status === 'pointed' ? picture.address : '';
    const { signal } = new AbortController();
    const opened = await world.web.openFile('web:local:council', address, signal);
    if (opened.status !== 'open') throw new Error(opened.why);
    const bytes = Buffer.concat(await all(opened.stream));
    expect(bytes.toString('base64')).toBe(png.split(',')[1]);
    expect(await world.web.openFile('web:local:council', 'other', signal)).toMatchObject({
      status: 'withheld',
    });
  });

  test.each([
    ['/v1/chat/completions', 'messages', { type: 'file', file: { file_id: 'file-1' } }],
    ['/v1/responses', 'input', { type: 'input_image', file_id: 'file-1' }],
  ])('says which files came without their content: %s', async (path, field, part) => {
    const world = await openWeb([answered]);
    const send = (content: readonly object[]) =>
      post(world, { [field]: [{ role: 'user', content }] }, {}, path);
    await send([{ type: 'text', text: 'What is this?' }, part]);
    expect(world.asked[0]?.heard?.messages[0]?.sources).toMatchObject([
      { status: 'unread', kind: 'file', why: 'its content was not sent' },
    ]);
    expect((await send([part])).status).toBe(400);
  });

  test('may be longer than a question: it is read whole, and its end is what is asked', async () => {
    const world = await openWeb([answered]);
    const documents = 'A report. '.repeat(2000);
    await post(world, asking(`${documents}\n\nShould we hire?`));
    const [asked] = world.asked;
    expect(asked?.question).toHaveLength(6000);
    expect(asked?.question.endsWith('Should we hire?')).toBe(true);
    expect(asked?.heard?.messages[0]?.sources).toMatchObject([
      { status: 'read', name: 'message.txt', text: expect.stringMatching(/^A report\./) },
    ]);
  });

  test('comes with long instructions as a document, e.g. files that the program puts before its own', async () => {
    const world = await openWeb([answered]);
    const told = `${'A report. '.repeat(2000)}\n\nAnswer in French.`;
    await post(world, asking('Should we hire?', { role: 'system', content: told }));
    const [asked] = world.asked;
    expect(asked?.instructions).toHaveLength(v1Limits.contextChars);
    expect(asked?.heard?.messages[0]?.sources).toMatchObject([{ status: 'read', text: told }]);
  });

  test('comes with long messages before it as documents, as far as there is room for them', async () => {
    const world = await openWeb([answered]);
    const file = (name: string) => `${name}\n${'code; '.repeat(4000)}`;
    const before = [
      { role: 'user', content: file('old.ts') },
      { role: 'user', content: file('new.ts') },
      { role: 'assistant', content: 'Ok.' },
    ];
    await post(world, asking('What is wrong?', ...before));
    const [older, newer, ok] = world.asked[0]?.heard?.messages ?? [];
    expect(ok?.text).toBe('Ok.');
    expect(newer?.sources).toMatchObject([{ text: file('new.ts').trim() }]);
    expect(older?.sources).toMatchObject([
      { text: expect.stringMatching(/^old\.ts/), isCut: true },
    ]);
    const sources = [older, newer].flatMap((message) => message?.sources ?? []);
    const chars = sources.map((one) => (one.status === 'read' ? one.text.length : 0));
    expect(chars.reduce((sum, count) => sum + count, 0)).toBe(v1Limits.sourceChars);
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
      ...{ code, message: 'Not until 2025-11-21T22:19:00.000Z.' },
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

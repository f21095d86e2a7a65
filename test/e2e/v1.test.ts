import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { describe, expect, test } from 'vitest';
import { localCaller } from '../../src/platforms/web/caller.ts';
import { pngOf } from '../sources/files.ts';
import { hanging, openV1 as open } from './open-v1.ts';

const messages = [{ role: 'user', content: 'Should we rewrite the engine?' }] as const;

describe('the openai client', () => {
  test('lists the council, its depths and its sages', async () => {
    const { openai } = await open();
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['council', 'council-quick', 'council-deep']));
    expect(ids.filter((id) => id.startsWith('sage/')).length).toBeGreaterThan(2);
    expect(await openai.models.retrieve('council-quick')).toMatchObject({ id: 'council-quick' });
  });

  test('streams a chat completion: thoughts, the verdict, one end and the usage', async () => {
    const { openai } = await open();
    const stream = openai.chat.completions.stream({
      model: 'council',
      messages: [...messages],
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const done = await stream.finalChatCompletion();
    expect(done.choices[0]?.finish_reason).toBe('stop');
    expect(done.choices[0]?.message.content).not.toBe('');
    expect(new Set(chunks.map(({ id, model, created }) => `${id} ${model} ${created}`)).size).toBe(
      1,
    );
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas[0]).toMatchObject({ role: 'assistant' });
    expect(deltas.slice(1).some(({ role }) => role !== undefined)).toBe(false);
    expect(JSON.stringify(deltas)).toContain('reasoning_content');
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [] });
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('waits for a chat completion, and reads the same', async () => {
    const { openai } = await open();
    const done = await openai.chat.completions.create({
      model: 'council-quick',
      messages: [...messages],
    });
    expect(done.object).toBe('chat.completion');
    expect(done.choices[0]?.message.content?.length).toBeGreaterThan(0);
    expect(done.choices[0]?.message).toHaveProperty('reasoning_content');
    expect(done.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('streams a response, and goes on from it', async () => {
    const { openai, web } = await open();
    const stream = openai.responses.stream({
      model: 'council-quick',
      input: 'Should we rewrite it?',
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    const done = await stream.finalResponse();
    expect(types.slice(0, 3)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
    ]);
    expect(types.at(-1)).toBe('response.completed');
    expect(done.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(done.output_text).not.toBe('');
    expect(done.usage?.total_tokens).toBeGreaterThan(0);
    const next = await openai.responses.create({
      model: 'council-quick',
      input: 'And then?',
      previous_response_id: done.id,
    });
    const turnOf = async (id: string) => web.council.turn(localCaller, id.replace('resp_', ''));
    expect((await turnOf(next.id))?.threadId).toBe((await turnOf(done.id))?.threadId);
  });

  test.each([
    ['another model', { model: 'gpt-5' }, 404, 'model_not_found'],
    ['a sage that is not there', { model: 'sage/nobody' }, 404, 'model_not_found'],
    ['several replies', { n: 2 }, 400, 'unsupported_value'],
    ['nothing', { messages: [] }, 400, 'invalid_value'],
    [
      'no word of a user',
      { messages: [{ role: 'system' as const, content: 'Hi' }] },
      400,
      'invalid_value',
    ],
  ])('is told in its own shape that it asks for %s', async (_, changes, status, code) => {
    const { openai } = await open();
    const asked = openai.chat.completions.create({
      model: 'council',
      messages: [...messages],
      ...changes,
    });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status, code });
  });
});

describe('the AI SDK, which checks every chunk', () => {
  const providers = {
    'chat completions': (baseURL: string) =>
      createOpenAICompatible({ name: 'council', baseURL, includeUsage: true })('council'),
    responses: (baseURL: string) =>
      createOpenResponses({ name: 'council', url: `${baseURL}/responses` })('council'),
  };

  test.each(Object.entries(providers))('reads %s', async (_, modelAt) => {
    const { baseURL } = await open();
    const result = streamText({ model: modelAt(baseURL), prompt: 'Should we rewrite it?' });
    const types = new Set<string>();
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error;
      types.add(part.type);
    }
    expect(types).toContain('reasoning-delta');
    expect(types).toContain('text-delta');
    expect(await result.text).not.toBe('');
    expect(await result.finishReason).toBe('stop');
    expect((await result.usage).outputTokens).toBeGreaterThan(0);
  });
});

const say = (content: string) => ({ role: 'user', content }) as const;
const title = '### Task:\nGenerate a concise title summarizing the chat history.\n<chat_history>…';

describe('a program', () => {
  test('that leaves a stream stops the turn, with all calls in flight', async () => {
    const { openai, models } = await open(hanging);
    const stream = await openai.chat.completions.create({
      model: 'council',
      messages: [...messages],
      stream: true,
    });
    const chunks = stream[Symbol.asyncIterator]();
    await chunks.next();
    await expect.poll(() => models.openCalls()).toBe(3);
    stream.controller.abort();
    await expect.poll(() => models.openCalls()).toBe(0);
  });

  test('that hangs up while it waits stops the turn as well', async () => {
    const { openai, models } = await open(hanging);
    const leaving = new AbortController();
    const asked = openai.chat.completions.create(
      { model: 'council', messages: [...messages] },
      { signal: leaving.signal },
    );
    asked.catch(() => undefined);
    await expect.poll(() => models.openCalls()).toBe(3);
    leaving.abort();
    await expect.poll(() => models.openCalls()).toBe(0);
  });

  test('that gives up and asks again gets the answer of its first question, paid for once', async () => {
    const { openai, models } = await open(undefined, { latencyMs: 300 });
    const done = await openai.chat.completions.create(
      { model: 'council', messages: [...messages] },
      { timeout: 700, maxRetries: 5 },
    );
    expect(done.choices[0]?.message.content).not.toBe('');
    expect(models.counts()).toMatchObject({ moderator: 1, 'sage ben': 1, chair: 1 });
  });

  test('that waits while the process ends gets its answer, if it comes in time', async () => {
    const { openai, models, application } = await open(undefined, { latencyMs: 200 });
    const asked = { model: 'council', messages: [...messages] };
    const whole = openai.chat.completions.create(asked, { maxRetries: 0 });
    const stream = await openai.chat.completions.create({ ...asked, stream: true });
    await expect.poll(() => models.openCalls()).toBeGreaterThan(1);
    const ended = application.bot.stopAll(20_000);
    const chunks = await Array.fromAsync(stream);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect((await whole).choices[0]?.message.content).not.toBe('');
    await ended;
  });

  test('is disconnected when the process has no more time, and its turn stops', async () => {
    const { openai, models, application, web } = await open(hanging);
    const asked = { model: 'council', messages: [...messages] };
    const whole = openai.chat.completions.create(asked, { maxRetries: 0 });
    whole.catch(() => undefined);
    await expect.poll(() => models.openCalls()).toBe(3);
    const [thread] = await web.council.threads(localCaller, { limit: 1 });
    await application.bot.stopAll(50);
    await expect(whole).rejects.toThrow();
    const turnId = thread?.turnIds[0] ?? '';
    await expect
      .poll(async () => (await web.council.turn(localCaller, turnId))?.past.isStopped)
      .toBe(true);
  });

  test('that comes back with its Idempotency-Key finds its answer, paid for once', async () => {
    const { openai, models } = await open(undefined, { latencyMs: 300 });
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) =>
      openai.chat.completions.create(
        { model: 'council', messages: [...messages] },
        { headers: { 'idempotency-key': 'k' }, ...(signal && { signal }) },
      );
    ask(leaving.signal).catch(() => undefined);
    await expect.poll(() => models.openCalls()).toBeGreaterThan(0);
    leaving.abort();
    const done = await ask();
    expect(done.choices[0]?.message.content).not.toBe('');
    expect(models.counts()).toMatchObject({ moderator: 1, 'sage ben': 1, chair: 1 });
  });

  test('that asks in German gets German words around the answers, also when it comes back', async () => {
    const { openai } = await open();
    const ask = () =>
      openai.chat.completions.create(
        {
          model: 'council',
          messages: [{ role: 'user', content: 'Sollen wir die Maschine neu bauen?' }],
        },
        { headers: { 'idempotency-key': 'k' } },
      );
    const done = await ask();
    const said = JSON.stringify(done.choices[0]?.message);
    expect(said).toContain('Sicherheit: ');
    expect(said).toContain('### Rangliste (blinde Stimmzettel: 3)');
    expect(said).not.toMatch(/Confidence|Ranking|ballots|Sages[,:]|The chair is writing/);
    expect((await ask()).choices[0]?.message).toEqual(done.choices[0]?.message);
  });

  test('is told why a council failed: by a status, or in a frame of its stream', async () => {
    const { openai } = await open(() => ({ kind: 'status', status: 401 }));
    const asked = { model: 'council', messages: [...messages] };
    const whole = await openai.chat.completions.create(asked).catch((error: unknown) => error);
    expect(whole).toMatchObject({ status: 502, code: 'council_failed' });
    expect(String(whole)).toMatch(/key/);
    const stream = await openai.chat.completions.create({ ...asked, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow(/key/);
    const response = await openai.responses.create({
      model: 'council',
      input: 'Hi?',
      stream: true,
    });
    const types: string[] = [];
    for await (const { type } of response) types.push(type);
    expect(types.at(-1)).toBe('response.failed');
  });

  test('has its small tasks done by one call, of which nothing is kept', async () => {
    const { openai, models, web } = await open();
    const done = await openai.chat.completions.create({
      model: 'council',
      messages: [{ role: 'user', content: title }],
    });
    expect(done.choices[0]?.message.content).not.toBe('');
    expect(done.usage?.total_tokens).toBeGreaterThan(0);
    expect(models.asked).toHaveLength(1);
    expect(await web.council.threads(localCaller, { limit: 10 })).toEqual([]);
  });

  test('that is thanked gets a plain reply by one call, and its chat goes on', async () => {
    const { openai, models, web } = await open();
    const thanked = await openai.chat.completions.create({
      model: 'council',
      messages: [...messages, { role: 'assistant', content: 'In parts.' }, say('Thanks, great!')],
    });
    expect(thanked.choices[0]?.message.content).not.toBe('');
    expect(models.asked).toHaveLength(1);
    const respond = (input: string, previous: string | null = null) =>
      openai.responses.create({ model: 'council-quick', input, previous_response_id: previous });
    const greeted = await respond('Hello!');
    expect(models.asked).toHaveLength(2);
    expect(await web.council.threads(localCaller, { limit: 10 })).toEqual([]);
    const first = await respond('Should we rewrite it?', greeted.id);
    const next = await respond('And when?', (await respond('Thank you', first.id)).id);
    const turnOf = async ({ id }: { id: string }) =>
      web.council.turn(localCaller, id.replace('resp_', ''));
    expect((await turnOf(next))?.threadId).toBe((await turnOf(first))?.threadId);
  });

  test('hears one sage itself when it thanks that sage, and the council about its picture', async () => {
    const { openai, models } = await open();
    const alone = { model: 'sage/ben', messages: [say('Thanks!')] };
    await openai.chat.completions.create(alone);
    expect(models.asked).toEqual(['sage ben']);
    const url = `data:image/png;base64,${pngOf(40, 30).toString('base64')}`;
    const picture = { type: 'image_url', image_url: { url } } as const;
    const shown = [{ type: 'text', text: 'Great!' } as const, picture];
    await openai.chat.completions.create({
      model: 'council-quick',
      messages: [{ role: 'user', content: shown }],
    });
    expect(models.counts()).toMatchObject({ chair: 1 });
  });

  test('shows a picture, of which its bytes are not kept', async () => {
    const { openai, web } = await open();
    const url = `data:image/png;base64,${pngOf(40, 30).toString('base64')}`;
    const done = await openai.chat.completions.create({
      model: 'council-quick',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    });
    const turn = await web.council.turn(localCaller, done.id.replace('chatcmpl-', ''));
    expect(turn?.past.heard?.messages[0]?.sources).toMatchObject([
      { status: 'picture', width: 40, height: 30 },
    ]);
    expect(JSON.stringify(turn)).not.toContain('base64');
  });

  test('finds what was said before in the thread that it names, and elsewhere nothing', async () => {
    const { openai, web } = await open();
    const ask = (content: string, headers: Record<string, string> = {}) =>
      openai.chat.completions.create(
        { model: 'council-quick', messages: [{ role: 'user', content }] },
        { headers },
      );
    await ask('Which tea is best?', { 'x-session-id': 'chat-1' });
    const again = await ask('Which tea is best, again?', { 'x-session-id': 'chat-1' });
    const alone = await ask('Which tea is best, again?');
    const remembered = async ({ id }: { id: string }) => {
      const turnId = id.replace('chatcmpl-', '');
      await expect
        .poll(async () => (await web.council.turn(localCaller, turnId))?.status)
        .toBe('ended');
      const ended = (await web.council.turn(localCaller, turnId))?.past.ended;
      return ended?.memory?.used.map(({ kind }) => kind) ?? [];
    };
    expect(await remembered(again)).not.toEqual([]);
    expect(await remembered(alone)).toEqual([]);
  });
});

test('a chat that another model has its part in is heard as far as the council does not know it', async () => {
  type Said = OpenAI.ChatCompletionMessageParam;
  const { openai, web } = await open();
  const ask = async (history: readonly Said[], content: string) => {
    const asked: Said[] = [...history, { role: 'user', content }];
    const request = { model: 'council', messages: asked, stream: true } as const;
    const options = { headers: { 'x-session-id': 'chat-1' } };
    const chunks = await Array.fromAsync(await openai.chat.completions.create(request, options));
    const reply = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    const turn = await web.council.turn(localCaller, chunks[0]?.id.replace('chatcmpl-', '') ?? '');
    const heard = turn?.past.heard?.messages.map(({ text }) => text);
    return { heard, history: [...asked, { role: 'assistant', content: reply } as const] };
  };
  const before = ['Ann leads us.', 'Noted.'];
  const first = await ask(
    before.map((content, index) => ({ role: index === 0 ? 'user' : 'assistant', content })),
    'Should we rewrite it?',
  );
  expect(first.heard).toEqual(before);
  expect((await ask(first.history, 'And when?')).heard).toEqual(before);
});

import { createServer } from 'node:net';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { hostileRequests, sendBytes } from '../../fakes/hostile-requests.ts';
import { startRehearsalServer } from '../../fakes/rehearsal/server.ts';
import { benchOfSages } from './bench-of-sages.ts';
import { sageOf, sagePrompt } from './council-prompts.ts';
import { contract, rehearse, textOf } from './rehearsal.ts';

const hello = [{ role: 'user' as const, content: 'Hello, who are you?' }];

describe('the rehearsal over the API', () => {
  it('offers two models to talk to and one for vectors', async () => {
    const { client } = await rehearse();
    const models: string[] = [];
    for await (const model of client.models.list()) models.push(model.id);
    expect(models).toEqual(['sages', 'sages-2', 'sages-embedding']);
  });

  it('says what it is to someone who just talks to it', async () => {
    const { client } = await rehearse();
    expect(await textOf(client, hello)).toContain('no language model');
  });

  it('streams the same reply that it gives whole, with usage at the end', async () => {
    const { client } = await rehearse({ chunkChars: 7 });
    const messages = [...sagePrompt(sageOf('engineer'), 'Why do our deploys fail on Fridays?')];
    const whole = await textOf(client, messages, 'sage_answer');
    const stream = await client.chat.completions.create({
      model: 'sages',
      messages,
      response_format: contract('sage_answer'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    const finishReasons: string[] = [];
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      if (choice?.delta.content) pieces.push(choice.delta.content);
      if (choice?.finish_reason) finishReasons.push(choice.finish_reason);
      usage = chunk.usage ?? usage;
    }
    expect(pieces.join('')).toBe(whole);
    expect(pieces.length).toBeGreaterThan(10);
    expect(finishReasons).toEqual(['stop']);
    expect(usage?.completion_tokens).toBe(Math.ceil(whole.length / 4));
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  it('sends no usage in a stream that does not ask for it', async () => {
    const { client } = await rehearse();
    const stream = await client.chat.completions.create({
      model: 'sages',
      messages: hello,
      stream: true,
    });
    for await (const chunk of stream) expect(chunk.usage ?? null).toBeNull();
  });

  it('keeps emoji whole wherever a stream is cut', async () => {
    const said = '🏛️🧭👩‍👩‍👧 ok';
    const { client } = await rehearse({ chunkChars: 1, say: () => said });
    const stream = await client.chat.completions.create({
      model: 'sages',
      messages: hello,
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) {
      const piece = chunk.choices[0]?.delta.content ?? '';
      expect(piece.isWellFormed()).toBe(true);
      text += piece;
    }
    expect(text).toBe(said);
  });

  it('paces a stream and delivers all of it', async () => {
    const { client } = await rehearse({ tokensPerSecond: 100_000, latencyMs: 1 });
    const stream = client.chat.completions.stream({ model: 'sages', messages: hello });
    const paced = await stream.finalContent();
    expect(paced).toBe(await textOf(client, hello));
  });

  it('cuts a reply at the bound that was asked for, and says so', async () => {
    const { client } = await rehearse();
    const completion = await client.chat.completions.create({
      model: 'sages',
      messages: hello,
      max_completion_tokens: 1,
    });
    expect(completion.choices[0]?.finish_reason).toBe('length');
    expect(completion.usage?.completion_tokens).toBe(1);
  });

  it('answers a schema that it does not know with a JSON object', async () => {
    const { client } = await rehearse();
    expect(JSON.parse(await textOf(client, hello, 'weather'))).toHaveProperty('answer');
  });

  it('refuses a model that it does not have, and names those it has', async () => {
    const { client } = await rehearse();
    const asked = textOf(client, hello, undefined, 'gpt-5');
    await expect(asked).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(asked).rejects.toThrow('sages and sages-2');
  });

  it.each([
    ['no JSON', '{"model": "sages", ', 400],
    ['no messages', '{"model":"sages","messages":[]}', 400],
    ['an unknown role', '{"model":"sages","messages":[{"role":"ghost","content":"boo"}]}', 400],
    ['null', 'null', 400],
  ])('refuses a body of %s in the shape of the API', async (_name, body, status) => {
    const { server } = await rehearse();
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
  });

  it('refuses a body that is too long', async () => {
    const { server } = await rehearse();
    const body = JSON.stringify({ model: 'sages', filler: 'x'.repeat(17 * 1024 * 1024) });
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(413);
  });

  it('refuses an address that it does not know', async () => {
    const { server } = await rehearse();
    const response = await fetch(`${server.baseUrl}/images/generations`, { method: 'POST' });
    expect(response.status).toBe(404);
  });

  it('reads messages in parts and developer messages', async () => {
    const { server } = await rehearse();
    const response = await fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'sages',
        messages: [
          { role: 'developer', content: 'You are The Engineer.' },
          { role: 'user', content: [{ type: 'text', text: '<question>Why?</question>' }] },
        ],
      }),
    });
    expect(response.status).toBe(200);
    expect(server.journal()[0]).toMatchObject({ part: 'sage', sage: 'engineer' });
  });

  it('answers fifty calls at once, each as if it were alone', async () => {
    const { client, server } = await rehearse({ latencyMs: 5 });
    const questions = Array.from({ length: 50 }, (_, index) => `Should we try plan ${index}?`);
    const ask = (question: string) =>
      textOf(client, sagePrompt(sageOf('economist'), question), 'sage_answer');
    const together = await Promise.all(questions.map(ask));
    expect(together[17]).toBe(await ask('Should we try plan 17?'));
    expect(new Set(together).size).toBe(50);
    expect(server.journal().map(({ number }) => number)).toHaveLength(51);
    expect(server.openCalls()).toBe(0);
  });
});

describe('the end of a call', () => {
  it('gives up a reply whose reader has gone', async () => {
    const { client, server } = await rehearse({ tokensPerSecond: 1 });
    const stream = await client.chat.completions.create({
      model: 'sages',
      messages: hello,
      stream: true,
    });
    for await (const _chunk of stream) break;
    await expect.poll(() => server.openCalls()).toBe(0);
    expect(server.journal()).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('gives up a reply that no one waits for any more', async () => {
    const { client, server } = await rehearse({ latencyMs: 2 ** 30 });
    const given = new AbortController();
    const asked = client.chat.completions.create(
      { model: 'sages', messages: hello },
      { signal: given.signal },
    );
    await expect.poll(() => server.openCalls()).toBe(1);
    given.abort();
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await expect.poll(() => server.journal()).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('closes while streams are open, and lets go of its port', async () => {
    const server = await startRehearsalServer({ sages: benchOfSages, tokensPerSecond: 1 });
    const client = new OpenAI({ baseURL: server.baseUrl, apiKey: 'none', maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'sages',
      messages: hello,
      stream: true,
    });
    await server.close();
    await server.close();
    const reading = (async () => {
      for await (const _chunk of stream);
    })();
    await expect(reading).rejects.toThrow();
    await expect.poll(() => server.openCalls()).toBe(0);
    const port = Number(new URL(server.baseUrl).port);
    const successor = createServer();
    await new Promise<void>((resolve, reject) => {
      successor.once('error', reject);
      successor.listen(port, '127.0.0.1', resolve);
    });
    await new Promise((resolve) => successor.close(resolve));
  });

  it('keeps the newest calls in its journal, and how often each part was played', async () => {
    const { client, server } = await rehearse({ journalEntries: 2 });
    for (const key of ['engineer', 'economist', 'engineer', 'engineer', 'economist']) {
      await textOf(client, sagePrompt(sageOf(key), 'Why?'), 'sage_answer');
    }
    expect(server.journal()).toMatchObject([
      { number: 3, part: 'sage', sage: 'engineer', schema: 'sage_answer', earlier: 2 },
      { number: 4, part: 'sage', sage: 'economist', earlier: 1, outcome: 'answered' },
    ]);
  });
});

describe('whatever comes to the rehearsal', () => {
  it('is survived, whichever path it names', async () => {
    const { client, server } = await rehearse();
    const port = Number(new URL(server.baseUrl).port);
    const requests = Object.values(hostileRequests).flatMap((bytes) => [
      bytes,
      bytes.replaceAll(' / HTTP', ' /v1/chat/completions HTTP'),
      bytes.replaceAll(' / HTTP', ' /v1/embeddings HTTP'),
    ]);
    await Promise.all(requests.map((bytes) => sendBytes(port, bytes)));
    expect(await textOf(client, hello)).toContain('no language model');
  });

  it.each([
    null,
    [],
    0,
    {},
    { messages: null },
    { messages: [null] },
    { messages: [{}], tools: 0 },
  ])('is answered in words when its body is %j', async (body) => {
    const { server } = await rehearse();
    for (const path of ['chat/completions', 'embeddings']) {
      const response = await fetch(`${server.baseUrl}/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    }
  });
});

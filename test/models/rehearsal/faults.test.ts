import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../fakes/rehearsal/options.ts';
import { sageOf, sagePrompt } from './council-prompts.ts';
import { rehearse, textOf } from './rehearsal.ts';

const messages = [...sagePrompt(sageOf('engineer'), 'Why do our deploys fail on Fridays?')];
const request = { model: 'sages', messages };

/** What arrived of a stream, and how it ended. */
async function stream(client: OpenAI) {
  let text = '';
  let refusal = '';
  let finishReason: string | undefined;
  try {
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
      refusal += chunk.choices[0]?.delta.refusal ?? '';
      finishReason = chunk.choices[0]?.finish_reason ?? finishReason;
    }
    return { text, refusal, finishReason, error: undefined };
  } catch (error) {
    return { text, refusal, finishReason, error };
  }
}

const always = (fault: Fault) => rehearse({ faults: () => fault });

describe('faults that are asked for', () => {
  it.each([
    [401, OpenAI.AuthenticationError],
    [402, OpenAI.APIError],
    [404, OpenAI.NotFoundError],
    [500, OpenAI.InternalServerError],
  ])('answers %i', async (status, errorClass) => {
    const { client } = await always({ kind: 'status', status });
    const asked = client.chat.completions.create(request);
    await expect(asked).rejects.toBeInstanceOf(errorClass);
    await expect(asked).rejects.toMatchObject({ status });
  });

  it('answers 429 and says how long to wait', async () => {
    const { client } = await always({ kind: 'status', status: 429, retryAfterSeconds: 7 });
    const error: unknown = await client.chat.completions.create(request).catch((caught) => caught);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error instanceof OpenAI.RateLimitError && error.headers?.get('retry-after')).toBe('7');
  });

  it('never answers a call that hangs', async () => {
    const { client, server } = await always({ kind: 'hang' });
    const given = new AbortController();
    const asked = client.chat.completions.create(request, { signal: given.signal });
    await expect.poll(() => server.openCalls()).toBe(1);
    given.abort();
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await expect.poll(() => server.openCalls()).toBe(0);
  });

  it('drops the connection in the middle of a stream', async () => {
    const { client } = await always({ kind: 'cut', afterChars: 40 });
    const { text, finishReason, error } = await stream(client);
    expect(text).toHaveLength(40);
    expect(finishReason).toBeUndefined();
    expect(error).toBeInstanceOf(Error);
  });

  it('drops the connection in the middle of a whole reply', async () => {
    const { client } = await always({ kind: 'cut', afterChars: 40 });
    await expect(client.chat.completions.create(request)).rejects.toThrow();
  });

  it('falls silent in the middle of a stream', async () => {
    const { client, server } = await always({ kind: 'stall', afterChars: 40 });
    const given = new AbortController();
    const chunks = await client.chat.completions.create(
      { ...request, stream: true },
      { signal: given.signal },
    );
    let text = '';
    for await (const chunk of chunks) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (text.length === 40) given.abort();
    }
    expect(text).toHaveLength(40);
    await expect.poll(() => server.journal()).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('ends a stream without a finish reason', async () => {
    const { client } = await always({ kind: 'no_finish_reason' });
    const { text, finishReason, error } = await stream(client);
    expect(text).toContain('rehearsal');
    expect({ finishReason, error }).toEqual({ finishReason: undefined, error: undefined });
  });

  it('stops at a length', async () => {
    const { client } = await always({ kind: 'length', afterChars: 12 });
    expect(await stream(client)).toMatchObject({
      text: expect.any(String),
      finishReason: 'length',
    });
    expect((await stream(client)).text).toHaveLength(12);
  });

  it('sends a body that is no JSON, and a stream without events', async () => {
    const { client } = await always({ kind: 'malformed_body' });
    await expect(client.chat.completions.create(request)).rejects.toThrow();
    const { text, finishReason } = await stream(client);
    expect({ text, finishReason }).toEqual({ text: '', finishReason: undefined });
  });

  it('declines in the field for it', async () => {
    const { client } = await always({ kind: 'refusal' });
    expect(await stream(client)).toMatchObject({ text: '', finishReason: 'stop' });
    expect((await stream(client)).refusal).toContain('declines');
    const completion = await client.chat.completions.create(request);
    expect(completion.choices[0]?.message).toMatchObject({ content: null });
    expect(completion.choices[0]?.message.refusal).toContain('declines');
  });

  it('is stopped by a filter', async () => {
    const { client } = await always({ kind: 'filtered' });
    expect(await stream(client)).toMatchObject({ text: '', finishReason: 'content_filter' });
  });

  it.each([
    ['nothing', ''],
    ['half a JSON object', '{"answer": "Let me'],
  ])('says %s instead of its reply', async (_name, text) => {
    const { client } = await always({ kind: 'text', text });
    expect(await textOf(client, messages)).toBe(text);
    expect(await stream(client)).toMatchObject({ text, finishReason: 'stop' });
  });

  it('fails only the calls that it is told to fail', async () => {
    const { client, server } = await rehearse({
      faults: (call) =>
        call.sage === 'engineer' && call.earlier === 0
          ? { kind: 'status', status: 500 }
          : undefined,
    });
    await expect(textOf(client, messages)).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await textOf(client, sagePrompt(sageOf('economist'), 'Why?'));
    await textOf(client, messages);
    expect(server.journal().map(({ outcome }) => outcome)).toEqual([
      'faulted',
      'answered',
      'answered',
    ]);
  });

  it('says what went wrong when a fault of the caller throws', async () => {
    const { client, server } = await rehearse({
      faults: () => {
        throw new Error('no such plan');
      },
    });
    await expect(textOf(client, messages)).rejects.toThrow('no such plan');
    expect(server.journal()).toMatchObject([{ outcome: 'failed' }]);
    expect(server.openCalls()).toBe(0);
  });

  it('says what the caller would rather have it say', async () => {
    const { client } = await rehearse({
      say: (call) => (call.part === 'sage' ? `{"answer":"${call.sage}"}` : undefined),
    });
    expect(await textOf(client, messages, 'sage_answer')).toBe('{"answer":"engineer"}');
    expect(await textOf(client, [{ role: 'user', content: 'Hi' }])).toContain('rehearsal');
  });
});

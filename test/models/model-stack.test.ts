import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallUsage } from '../../src/models/chat-model.ts';
import { withRetry } from '../../src/models/retry.ts';
import { askInShape } from '../../src/models/structured.ts';
import { withUsage } from '../../src/models/usage.ts';
import { failureOf, modelAt, noPrices, question } from './ask.ts';

const shape = {
  name: 'answer',
  schema: z.object({ answer: z.string(), summary: z.string() }),
};
const answer = { answer: 'Größer denken 🦉, then "measure".', summary: 'Measure.' };
const whole = JSON.stringify(answer);

let server: LLMock;
beforeEach(async () => {
  server = new LLMock({ host: '127.0.0.1', port: 0, journalMaxEntries: 100 });
  await server.start();
});
afterEach(async () => {
  await server.stop();
});

/** The model as the project composes it, its waits left out. */
function openStack() {
  const calls: CallUsage[] = [];
  const record = (call: CallUsage) => {
    calls.push(call);
  };
  const counted = withUsage(modelAt(`${server.url}/v1`), { prices: noPrices, record });
  return { model: withRetry(counted, { sleep: async () => {} }), calls };
}

/** Asks in a shape, streamed, and notes the answers as they grow. */
async function ask(signal = new AbortController().signal) {
  const { model, calls } = openStack();
  const grown: unknown[] = [];
  const listener = {
    onPartial: (value: unknown) => grown.push(structuredClone(value)),
    onRestart: () => grown.push('restart'),
  };
  const outcomes = () => calls.map(({ outcome }) => outcome);
  const shaped = askInShape(model, question({ signal }), shape, listener);
  return { shaped, grown, calls, outcomes };
}

/** Matches the question as long as it has been answered so many times in the conversation. */
function afterReplies(count: number) {
  return (request: ChatCompletionRequest) =>
    request.messages.filter(({ role }) => role === 'assistant').length === count;
}

describe('the models, put together', () => {
  it('bring a streamed answer in its shape, with the figures of the server', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 22 };
    const pace = { chunkSize: 3, streamingProfile: { tps: 200 } };
    server.onMessage(/career/, { content: whole, reasoning: 'Hm.', usage }, pace);
    const { shaped, grown, calls } = await ask();
    expect(await shaped).toMatchObject({
      status: 'shaped',
      value: answer,
      reply: { reasoning: 'Hm.' },
      tries: 1,
    });
    expect(grown.length).toBeGreaterThan(3);
    expect(grown.at(-1)).toEqual(answer);
    expect(calls).toMatchObject([
      { outcome: 'answered', inputTokens: 11, outputTokens: 22, estimated: false },
    ]);
    const asked = server.getLastRequest()?.body;
    expect(asked).toMatchObject({ response_format: { type: 'json_schema' } });
    expect(asked).not.toHaveProperty('temperature');
  });

  it('mend an invalid answer in the same conversation', async () => {
    server.on({ predicate: afterReplies(0) }, { content: '```json\n{"answer": "Ye' });
    server.on({ predicate: afterReplies(1) }, { content: '{"answer": "Yes."}' });
    server.on({ predicate: afterReplies(2) }, { content: `Here it is:\n${whole}` });
    const { shaped, outcomes } = await ask();
    expect(await shaped).toMatchObject({ status: 'shaped', value: answer, tries: 3 });
    expect(outcomes()).toEqual(['answered', 'answered', 'answered']);
  });

  it('give plain text after three invalid answers', async () => {
    server.onMessage(/./, { content: 'Think bigger.' });
    const { shaped } = await ask();
    expect(await shaped).toMatchObject({ status: 'unshaped', text: 'Think bigger.', tries: 3 });
    expect(server.getRequests()).toHaveLength(3);
  });

  it('mend an answer that was cut at the limit', async () => {
    const cut = { content: whole.slice(0, 20), finishReason: 'length' };
    server.on({ predicate: afterReplies(0) }, cut);
    server.on({ predicate: afterReplies(1) }, { content: whole });
    const { shaped } = await ask();
    expect(await shaped).toMatchObject({ status: 'shaped', value: answer, tries: 2 });
    expect(JSON.stringify(server.getLastRequest()?.body)).toContain('cut off at the length limit');
  });

  it.each([
    [429, 'rate_limited'],
    [500, 'server_error'],
  ])('try again after a %s', async (status, failure) => {
    server.onMessage(/career/, { content: whole });
    server.nextRequestError(status, { message: 'not now' });
    const { shaped, outcomes } = await ask();
    expect(await shaped).toMatchObject({ status: 'shaped', value: answer, tries: 1 });
    expect(outcomes()).toEqual([failure, 'answered']);
  });

  it.each([
    [401, 'key_rejected'],
    [402, 'payment_required'],
    [404, 'model_not_found'],
  ])('do not try again after a %s', async (status, failure) => {
    server.onMessage(/career/, { content: whole });
    server.nextRequestError(status, { message: 'no' });
    const { shaped, outcomes } = await ask();
    expect(await failureOf(shaped)).toMatchObject({ failure });
    expect(outcomes()).toEqual([failure]);
  });

  it.each([
    ['malformed', { chaos: { malformedRate: 1 } }, 'broken_stream', 2],
    ['disconnected', { chaos: { disconnectRate: 1 } }, 'unreachable', 3],
  ] as const)('give up on a %s stream', async (_how, options, failure, times) => {
    server.onMessage(/career/, { content: whole }, options);
    const { shaped, outcomes } = await ask();
    expect(await failureOf(shaped)).toMatchObject({ failure });
    expect(outcomes()).toEqual(Array(times).fill(failure));
  });

  it('keep what had come when a stream is truncated twice', async () => {
    const options = { chunkSize: 5, truncateAfterChunks: 4, streamingProfile: { tps: 200 } };
    server.onMessage(/career/, { content: whole }, options);
    const { shaped, grown, outcomes } = await ask();
    const error = await failureOf(shaped);
    expect(error.failure).toBe('broken_stream');
    expect(whole.startsWith(error.partialText) && error.partialText !== '').toBe(true);
    expect(grown).toContain('restart');
    expect(outcomes()).toEqual(['broken_stream', 'broken_stream']);
  });

  it('end a call that hangs when it is stopped', async () => {
    server.onMessage(/career/, { content: whole }, { chunkSize: 5, streamingProfile: { tps: 5 } });
    const stop = new AbortController();
    const reason = new Error('stopped by a member');
    const { model, calls } = openStack();
    const listener = { onPartial: () => stop.abort(reason) };
    const asked = askInShape(model, question({ signal: stop.signal }), shape, listener);
    await expect(asked).rejects.toBe(reason);
    expect(calls).toMatchObject([{ outcome: 'aborted', estimated: true }]);
  });
});

import { expect, it } from 'vitest';
import { openEmbedder } from '../../src/models/providers.ts';
import { answerJson, startRawModelServer } from '../fakes/raw-model-server.ts';
import { failureOf } from './ask.ts';

function embedderAt(baseUrl: string) {
  const raw = { baseUrl, structuredOutput: 'prompt', streamUsage: true } as const;
  return openEmbedder('raw:vectors', { raw });
}

it.each([
  ['an error behind a success', { error: { message: 'slow down', code: 429 } }, 'rate_limited'],
  ['a wrong path at LM Studio', { error: 'Unexpected endpoint or method.' }, 'wrong_address'],
  ['too few vectors', { data: [{ index: 0, embedding: [1] }] }, 'bad_request'],
  ['vectors of several lengths', [[1], [1, 2]], 'bad_request'],
  ['a vector without numbers', [[], []], 'bad_request'],
  [
    'a vector with gaps',
    [
      [1, null],
      [1, 2],
    ],
    'bad_request',
  ],
])('an embedding model that sends %s fails as what it is', async (_what, sent, failure) => {
  const data = Array.isArray(sent)
    ? { data: sent.map((embedding, index) => ({ index, embedding })) }
    : sent;
  await using server = await startRawModelServer(answerJson(data));
  const { embed } = embedderAt(server.baseUrl);
  const error = await failureOf(embed(['one', 'two'], new AbortController().signal));
  expect(error.failure).toBe(failure);
});

it('an embedding model that is paid by one’s own key of a provider costs what the provider charges', async () => {
  const usage = {
    prompt_tokens: 12,
    cost: 0,
    is_byok: true,
    cost_details: { upstream_inference_cost: 0.25 },
  };
  const sent = { data: [{ index: 0, embedding: [1, 2] }], usage };
  await using server = await startRawModelServer(answerJson(sent));
  const { embed } = embedderAt(server.baseUrl);
  const embedded = await embed(['one'], new AbortController().signal);
  expect(embedded.usage?.costUsd).toBe(0.25);
});

it.each([
  ['only the others, as Gemini', [{ embedding: [1, 2] }, { index: 1, embedding: [3, 4] }]],
  ['none', [{ embedding: [1, 2] }, { embedding: [3, 4] }]],
  [
    'no order',
    [
      { index: 1, embedding: [3, 4] },
      { index: 0, embedding: [1, 2] },
    ],
  ],
])('an embedding model may number %s', async (_which, data) => {
  await using server = await startRawModelServer(answerJson({ data }));
  const { embed } = embedderAt(server.baseUrl);
  const { vectors } = await embed(['one', 'two'], new AbortController().signal);
  expect(vectors).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

it('an embedding model is no longer asked for numbers where it refuses to be, as Voyage does', async () => {
  const detail = "Value 'float' supplied for argument 'encoding_format' is not valid.";
  const sent = { data: [{ index: 0, embedding: [1, 2] }] };
  await using server = await startRawModelServer((request, response) =>
    (request.body.encoding_format ? answerJson({ detail }, 400) : answerJson(sent))(
      request,
      response,
    ),
  );
  const { embed } = embedderAt(server.baseUrl);
  for (const text of ['one', 'two']) {
    expect((await embed([text], new AbortController().signal)).vectors).toEqual([[1, 2]]);
  }
  const asked = server.requests.map(({ body }) => body.encoding_format);
  expect(asked).toEqual(['float', undefined, undefined]);
});

it('an embedding model is asked for numbers again after a refusal that only repeats the request', async () => {
  const detail = [{ msg: 'too long', input: { encoding_format: 'float' } }];
  const refusal = answerJson({ detail }, 422);
  const sent = { data: [{ index: 0, embedding: [1, 2] }] };
  await using server = await startRawModelServer(refusal, refusal, answerJson(sent));
  const { embed } = embedderAt(server.baseUrl);
  const { signal } = new AbortController();
  expect((await failureOf(embed(['one'], signal))).failure).toBe('bad_request');
  await embed(['two'], signal);
  const asked = server.requests.map(({ body }) => body.encoding_format);
  expect(asked).toEqual(['float', undefined, 'float']);
});

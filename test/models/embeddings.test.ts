import { expect, it } from 'vitest';
import { openEmbedder } from '../../src/models/providers.ts';
import { answerJson, startRawModelServer } from '../fakes/raw-model-server.ts';
import { failureOf } from './ask.ts';

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
  const { baseUrl } = server;
  const raw = { baseUrl, structuredOutput: 'prompt', streamUsage: true } as const;
  const { embed } = openEmbedder('raw:vectors', { raw });
  const error = await failureOf(embed(['one', 'two'], new AbortController().signal));
  expect(error.failure).toBe(failure);
});

it('an embedding model that is paid by one’s own key of a provider costs what the provider charges', async () => {
  const usage = {
    ...{ prompt_tokens: 12, cost: 0, is_byok: true },
    cost_details: { upstream_inference_cost: 0.25 },
  };
  const sent = { data: [{ index: 0, embedding: [1, 2] }], usage };
  await using server = await startRawModelServer(answerJson(sent));
  const raw = { baseUrl: server.baseUrl, structuredOutput: 'prompt', streamUsage: true } as const;
  const { embed } = openEmbedder('raw:vectors', { raw });
  const embedded = await embed(['one'], new AbortController().signal);
  expect(embedded.usage?.costUsd).toBe(0.25);
});

/** How these tests ask a model. */

import {
  type ChatChunk,
  type ChatModel,
  type ChatRequest,
  ModelError,
} from '../../src/models/chat-model.ts';
import { createOpenAiModel } from '../../src/models/openai/openai.ts';
import { type Prices, pricesIn } from '../../src/models/prices.ts';
import { type RawAnswer, startRawModelServer } from '../fakes/raw-model-server.ts';

type ModelOptions = Parameters<typeof createOpenAiModel>[0];

/** No one knows what anything costs. */
export const noPrices: Prices = { own: pricesIn({}), listed: pricesIn({}) };

/** A request with one question; never aborted unless a signal is given. */
export function question(more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: 'user', content: 'How should I frame my career path?' }],
    stage: 'sage',
    signal: new AbortController().signal,
    ...more,
  };
}

/** `openai:gpt-test` at the given server, with a key. */
export function modelAt(baseUrl: string, more: Partial<ModelOptions> = {}): ChatModel {
  return createOpenAiModel({
    provider: 'openai',
    model: 'gpt-test',
    baseUrl,
    apiKey: 'sk-secret-0123456789',
    apiKeyEnv: 'OPENAI_API_KEY',
    structuredOutput: 'json_schema',
    streamUsage: true,
    outputLimit: 'max_completion_tokens',
    ...more,
  });
}

/** All chunks of a stream. */
export async function chunksOf(stream: AsyncIterable<ChatChunk>): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return chunks;
}

/** The model error that a call ends with; fails the test when it ends otherwise. */
export async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ModelError) {
      return error;
    }
    throw error;
  }
  throw new Error('The call was expected to fail and did not.');
}

/** The failure of a whole and of a streamed call to a server that always answers so. */
export async function bothFailuresOf(answer: RawAnswer) {
  await using server = await startRawModelServer(answer);
  const model = modelAt(server.baseUrl);
  return [
    await failureOf(model.complete(question())),
    await failureOf(chunksOf(model.stream(question()))),
  ];
}

import { describe, expect, it } from 'vitest';
import { listChatModels, openModel } from '../../src/models/providers.ts';
import { answerJson, answerWhole, startRawModelServer } from '../fakes/raw-model-server.ts';
import { question } from './ask.ts';

describe('a model opened by name', () => {
  it.each([
    ['ollama:llama3.2:3b', 'llama3.2:3b'],
    ['ollama:openai/gpt-5-mini', 'openai/gpt-5-mini'],
  ])('is asked for at its provider: %s', async (name, model) => {
    await using server = await startRawModelServer(answerWhole('Yes.'));
    const providers = {
      ollama: { baseUrl: server.baseUrl, structuredOutput: 'prompt', streamUsage: true },
    } as const;
    const opened = openModel(name, providers);
    await opened.complete(question());
    expect(opened.id).toBe(name);
    expect(server.requests[0]?.body.model).toBe(model);
  });

  it.each(['gpt-5', ':gpt-5', 'openai:', 'openai: ', ''])('is not %j', (name) => {
    expect(() => openModel(name, {})).toThrow(/is not provider:model/);
  });

  it.each(['opnai:gpt-5', 'constructor:gpt-5'])('needs a provider: %s', (name) => {
    const openai = {
      baseUrl: 'http://127.0.0.1:1/v1',
      structuredOutput: 'prompt',
      streamUsage: true,
    } as const;
    expect(() => openModel(name, { openai })).toThrow(
      /Provider "\w+".*is not set up\. Known: openai\./,
    );
  });
});

describe('a local server', () => {
  const patient = () => new AbortController().signal;

  it('lists its models', async () => {
    await using server = await startRawModelServer(
      answerJson({ object: 'list', data: [{ id: 'llama3.2:3b' }, { id: 'qwen3' }] }),
    );
    expect(await listChatModels({ baseUrl: `${server.baseUrl}/` }, patient())).toEqual([
      'llama3.2:3b',
      'qwen3',
    ]);
    expect(server.requests[0]?.path).toBe('/v1/models');
  });

  it.each([
    ['without an object around the list, as Together', [{ id: 'qwen3' }]],
    [
      'with a page about each, as OpenRouter',
      { data: [{ id: 'qwen3', description: 'x'.repeat(3_000_000) }] },
    ],
  ])('may list them %s', async (_how, list) => {
    await using server = await startRawModelServer(answerJson(list));
    expect(await listChatModels(server, patient(), 5000)).toEqual(['qwen3']);
  });

  it('lists none that can not chat, whichever comes first', async () => {
    const names = [
      ...['nomic-embed-text:latest', 'bge-m3', 'all-minilm:22m', 'hf.co/BAAI/bge-reranker-v2'],
      ...['whisper-large-v3', 'text-embedding-3-small', 'snowflake-arctic-embed2'],
      ...['llama3.2:3b', 'gemma3', 'openai/gpt-oss-20b', 'bgem-chat'],
    ];
    await using server = await startRawModelServer(
      answerJson({ object: 'list', data: names.map((id) => ({ id })) }),
    );
    expect(await listChatModels(server, patient())).toEqual(names.slice(-4));
  });

  it('may have none', async () => {
    await using server = await startRawModelServer(answerJson({ object: 'list', data: null }));
    expect(await listChatModels(server, patient())).toEqual([]);
  });

  it.each([
    ['speaks something else', answerJson({ hello: 'there' })],
    ['sends no JSON', answerJson('<html>')],
    ['refuses', answerJson({ error: 'no' }, 404)],
    ['says nothing', () => {}],
  ])('is not there when it %s', async (_how, answer) => {
    await using server = await startRawModelServer(answer);
    expect(await listChatModels(server, patient())).toBeUndefined();
  });

  it('is not there when no one listens', async () => {
    const server = await startRawModelServer();
    await server[Symbol.asyncDispose]();
    expect(await listChatModels(server, patient())).toBeUndefined();
  });

  it('is not looked for any longer when the search is stopped', async () => {
    await using server = await startRawModelServer(() => {});
    const found = listChatModels(server, AbortSignal.abort('stopped'));
    await expect(found).rejects.toBe('stopped');
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelsByName, providersOf } from '../../src/app/open-models.ts';
import { knownProviders } from '../../src/settings/known-providers.ts';
import { loadConfig } from '../../src/settings/load.ts';
import { startRawModelServer } from '../fakes/raw-model-server.ts';
import { question } from '../models/ask.ts';
import { providersTable, withTable } from '../settings/settings-page.ts';
import { says, useful } from './server-behaviours.ts';

/** What a provider's server is sent for a streamed answer in a shape, with a limit and an effort set. */
async function sentTo(provider: string) {
  const server = await startRawModelServer(says(useful));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const folder = mkdtempSync(join(tmpdir(), 'council-providers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const directory = join(folder, 'config');
  mkdirSync(join(directory, 'sages'), { recursive: true });
  const yaml = [
    'council: { fallbackSage: ada }',
    'limits: { maxOutputTokens: 500 }',
    `models: { reasoningEffort: low, providers: { ${provider}: { baseUrl: "${server.baseUrl}" } } }`,
  ];
  writeFileSync(join(directory, 'council.yaml'), yaml.join('\n'));
  writeFileSync(join(directory, 'sages', 'ada.md'), '---\nname: Ada\ndescription: Sees.\n---\n');
  const { apiKeyEnv } = knownProviders[provider] ?? {};
  const environment = apiKeyEnv ? { [apiKeyEnv]: 'sk-0123456789' } : {};
  const config = loadConfig({ directory, environment });
  const model = modelsByName(config, providersOf(config))(`${provider}:some/model`);
  const replySchema = { name: 'answer', json: { type: 'object' } };
  for await (const _chunk of model.stream(question({ replySchema })));
  return server.requests[0];
}

const reasoning = { reasoning_effort: 'low' };
const usual = { max_tokens: 500, stream_options: { include_usage: true } };
const schema = { response_format: { type: 'json_schema' } };

describe('a server is sent what it takes', () => {
  const takes: readonly [string, object, readonly string[]][] = [
    ['openai', { max_completion_tokens: 500, ...reasoning, ...schema }, ['max_tokens', 'usage']],
    ['openrouter', { ...usual, ...reasoning, ...schema, usage: { include: true } }, []],
    ['anthropic', usual, ['response_format', 'reasoning_effort']],
    ['gemini', { ...usual, ...reasoning, ...schema }, ['usage']],
    ['deepseek', { ...usual, response_format: { type: 'json_object' } }, []],
    ['mistral', { max_tokens: 500, ...schema }, ['stream_options', 'reasoning_effort']],
    ['groq', { ...usual, ...schema }, []],
    ['xai', { ...usual, ...schema }, []],
    ['together', { ...usual, ...schema }, []],
    ['ollama', { ...usual, ...schema }, ['usage']],
    ['lmstudio', { ...usual, ...schema }, []],
    ['llamacpp', { ...usual, ...schema }, []],
    ['vllm', { ...usual, ...schema }, []],
  ];
  test.each(takes)('by %s', async (provider, taken, notTaken) => {
    const request = await sentTo(provider);
    expect(request?.body).toMatchObject({ model: 'some/model', ...taken });
    for (const field of notTaken) expect(request?.body).not.toHaveProperty(field);
    const key = knownProviders[provider]?.apiKeyEnv ? 'Bearer sk-0123456789' : undefined;
    expect(request?.headers.authorization).toBe(key);
  });

  test('and no provider is left out here', () => {
    expect(takes.map(([provider]) => provider)).toEqual(Object.keys(knownProviders));
  });
});

test('the page on models has the table as it is', async () => {
  const path = join(import.meta.dirname, '../../docs/models.md');
  const page = withTable(readFileSync(path, 'utf8'), providersTable());
  await expect(page).toMatchFileSnapshot(path);
});

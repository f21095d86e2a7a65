import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  allModels,
  assertKeys,
  chooseDefaultModel,
  knownModels,
  MissingKeyError,
  modelNames,
} from '../../src/app/models.ts';
import {
  chooseModels,
  openPrices,
  priceEstimator,
  providersOf,
  uncheckedBudgets,
} from '../../src/app/open-models.ts';
import { noModel } from '../../src/models/chat-model.ts';
import { costOf } from '../../src/models/prices.ts';
import { type Config, loadConfig } from '../../src/settings/load.ts';
import { load, projectWith } from '../settings/config-folder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A configuration with two sages, one of which names a model of its own. */
function configure(yaml: string, environment: Readonly<Record<string, string>> = {}): Config {
  const folder = mkdtempSync(join(tmpdir(), 'council-config-'));
  folders.push(folder);
  const directory = join(folder, 'config');
  mkdirSync(join(directory, 'sages'), { recursive: true });
  writeFileSync(join(directory, 'council.yaml'), yaml);
  const sage = (name: string, more = '') =>
    `---\nname: ${name}\ndescription: Sees things.\n${more}---\n`;
  writeFileSync(join(directory, 'sages', 'ada.md'), sage('Ada', 'model: openrouter:a/ada\n'));
  writeFileSync(join(directory, 'sages', 'strategy_expert.md'), sage('Strategy Expert'));
  return loadConfig({ directory, environment });
}

const signal = new AbortController().signal;
/** No one listens there. */
const noLocalServer = { OLLAMA_HOST: '127.0.0.1:1' };

describe('which model speaks where nothing is set', () => {
  test('is OpenAI’s with its key, else OpenRouter’s with its key', async () => {
    const both = configure('', { OPENAI_API_KEY: 'sk-a', OPENROUTER_API_KEY: 'sk-b' });
    expect(await chooseDefaultModel(both, signal)).toBe('openai:gpt-5-mini');
    const one = configure('', { OPENROUTER_API_KEY: 'sk-b' });
    expect(await chooseDefaultModel(one, signal)).toBe('openrouter:openai/gpt-5-mini');
  });

  test('is that of any provider whose key is set, with the model that the file names for it', async () => {
    const gemini = configure('', { GEMINI_API_KEY: 'g' });
    expect(await chooseDefaultModel(gemini, signal)).toBe('gemini:gemini-3.5-flash');
    const named = configure('models: { autoModels: { mistral: m } }', { MISTRAL_API_KEY: 'x' });
    expect(await chooseDefaultModel(named, signal)).toBe('mistral:m');
  });

  test('is the first chat model of a local server that answers', async () => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: 'llama3.2:3b', object: 'model' }] }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const chosen = await chooseDefaultModel(
      configure('', { OLLAMA_HOST: `127.0.0.1:${port}` }),
      signal,
    );
    expect(chosen).toBe('ollama:llama3.2:3b');
    server.close();
  });

  test('is none where there is nothing else, in one line that says how to have one', async () => {
    const { names, notice } = await chooseModels(configure('', noLocalServer), signal);
    expect(names.chair).toBe(noModel);
    expect(notice).toMatch(/No model is set up.*setup/);
    expect(notice).not.toContain('\n');
  });
});

describe('the model of each part', () => {
  test('is the part’s own, else the default', () => {
    const names = modelNames(configure('models: { chair: openai:gpt-5 }'), 'rehearsal:sages');
    expect(names.chair).toBe('openai:gpt-5');
    expect(names.moderator).toBe('rehearsal:sages');
    expect(names.fallback).toEqual([]);
  });

  test('of a sage is the setting for it, else its file’s, else that of all sages', () => {
    const names = modelNames(
      configure('models: { sage: openai:s, sages: { strategy_expert: openai:own } }'),
      'rehearsal:sages',
    );
    expect(names.sage('strategy_expert')).toBe('openai:own');
    expect(names.sage('ada')).toBe('openrouter:a/ada');
    expect(names.sage('new_somebody')).toBe('openai:s');
  });

  test('of a review is that of its sage, unless one is set for all reviews', () => {
    expect(modelNames(configure(''), 'rehearsal:sages').reviewer('ada')).toBe('openrouter:a/ada');
    const one = modelNames(configure('models: { reviewer: openai:judge }'), 'rehearsal:sages');
    expect(one.reviewer('ada')).toBe('openai:judge');
  });
});

describe('keys', () => {
  test('that a part needs and that are not set are all told at once, before anything is asked', () => {
    const config = configure('models: { chair: openai:gpt-5, embedding: openai:vectors }');
    const names = modelNames(config, 'rehearsal:sages');
    expect(() => assertKeys(config, names)).toThrow(MissingKeyError);
    expect(() => assertKeys(config, names)).toThrow(
      /openrouter:a\/ada needs OPENROUTER_API_KEY[\s\S]*openai:gpt-5 needs OPENAI_API_KEY[\s\S]*openai:vectors needs/,
    );
  });

  test('that are in a file that is not read are told with the name of that file', () => {
    const files = { 'config/council.yaml': 'models: { default: openai:gpt-5 }' };
    const config = load({ ...files, '.env.txt': 'OPENAI_API_KEY=sk-a' });
    expect(() => assertKeys(config, modelNames(config, 'openai:gpt-5'))).toThrow(
      /and it is not set\.\n\S+\.env\.txt sets OPENAI_API_KEY, but only/,
    );
  });

  test('are told with the file in which to name another model, wherever it is', () => {
    const project = projectWith({ 'etc/ours.yaml': 'models: { default: openai:gpt-5 }' });
    const config = loadConfig({ directory: join(project, 'etc/ours.yaml'), environment: {} });
    expect(() => assertKeys(config, modelNames(config, 'openai:gpt-5'))).toThrow(
      /or name another model in \S+\/etc\/ours\.yaml\.$/,
    );
  });

  test('that can not be sent are told like those that are not set, and not shown', () => {
    const broken = { OPENAI_API_KEY: '“sk-a', OPENROUTER_API_KEY: 'sk b' };
    const config = configure('models: { chair: openai:gpt-5 }', broken);
    const start = () => assertKeys(config, modelNames(config, 'rehearsal:sages'));
    expect(start).toThrow(MissingKeyError);
    expect(start).toThrow(
      /OPENROUTER_API_KEY, for .* no key has.*\nOPENAI_API_KEY, for openai:gpt-5/,
    );
    expect(start).not.toThrow(/sk-a|sk b/);
  });

  test('reach their own provider and no other', () => {
    const config = configure('', { OPENAI_API_KEY: 'sk-a', OPENROUTER_API_KEY: 'sk-b' });
    const providers = providersOf(config);
    expect(providers.openai?.apiKey).toBe('sk-a');
    expect(providers.openrouter?.apiKey).toBe('sk-b');
    expect(providers.ollama?.apiKey).toBeUndefined();
  });
});

describe('what models cost', () => {
  const used = ['openai:gpt-5-mini', 'openrouter:openai/gpt-5-mini', 'ollama:llama3.2'] as const;
  const own =
    'models: { prices: { "openai:gpt-5-mini": { inputUsdPerMillionTokens: 1, outputUsdPerMillionTokens: 10 } } }';

  async function pricesOf(text: string) {
    const config = configure(text);
    return openPrices(config, providersOf(config), used);
  }

  test('is known of the models that keys alone bring, nothing on this machine, and unknown elsewhere', async () => {
    const priceOf = priceEstimator(await pricesOf(''));
    expect(priceOf('openai:gpt-5-mini', 1000, 100)).toBeGreaterThan(0);
    expect(priceOf('openrouter:openai/gpt-5-mini', 1000, 100)).toBeGreaterThan(0);
    expect(priceOf('openai:text-embedding-3-small', 1000, 0)).toBeGreaterThan(0);
    expect(priceOf('openai:no-such-model', 1000, 100)).toBeUndefined();
    expect(priceOf('ollama:llama3.2', 1000, 100)).toBe(0);
    expect(priceOf('own:llama3.2', 1000, 100)).toBeUndefined();
    expect(priceOf('own:gpt-5-mini', 1000, 100)).toBeUndefined();
  });

  test('is as the operator says, whatever the table says', async () => {
    const priceOf = priceEstimator(await pricesOf(own));
    expect(priceOf('openai:gpt-5-mini', 1000, 100)).toBeCloseTo(0.002);
  });

  test('is less for input that the server had cached, as far as the table has a price for it', async () => {
    const prices = await pricesOf('');
    const cost = (model: string, cachedTokens?: number) =>
      costOf(prices, model, {
        inputTokens: 10_000,
        outputTokens: 0,
        reasoningTokens: 0,
        ...(cachedTokens !== undefined && { cachedTokens }),
      }) ?? Number.NaN;
    const model = 'openai:gpt-5-mini';
    expect(cost(model, 8000) / cost(model)).toBeCloseTo(0.28);
    // Some servers count otherwise.
    expect(cost(model, 20_000) / cost(model)).toBeCloseTo(0.1);
    expect(cost('openai:gpt-4', 8000)).toBe(cost('openai:gpt-4'));
    expect(cost('openrouter:openai/gpt-5-mini', 8000)).toBeLessThan(
      cost('openrouter:openai/gpt-5-mini'),
    );
  });

  test('is told where a budget is set and there is no price to hold it against', async () => {
    const limited = `${own}\nbudgets: { totalUsdPerDay: 5 }`;
    const told = async (text: string, models: readonly string[]) =>
      uncheckedBudgets(configure(text), await pricesOf(text), models);
    expect(await told(own, used)).toBeUndefined();
    expect(await told(limited, ['openai:gpt-5-mini'])).toBeUndefined();
    // OpenRouter states what each call has cost.
    expect(await told(limited, ['openrouter:acme/brand-new'])).toBeUndefined();
    expect(await told(limited, [...used, 'own:llama3.2'])).toMatch(
      /there is no known price of own:llama3\.2\. .* under models\.prices in \/\S+\/council\.yaml;/,
    );
    // A question's embedding costs a millionth of a dollar.
    const embedded = configure(
      `models: { default: openai:gpt-5-mini, embedding: own:embedder, providers: { own: { baseUrl: https://own.test/v1 } } }
budgets: { totalUsdPerDay: 5 }`,
    );
    const { unchecked } = await chooseModels(embedded, signal);
    expect(unchecked).toBeUndefined();
  });
});

test('every model that some part may use is listed once', () => {
  const config = configure('models: { chair: openai:gpt-5, compactor: openai:gpt-5 }');
  expect(allModels(config, modelNames(config, 'rehearsal:sages'))).toEqual([
    'rehearsal:sages',
    'openrouter:a/ada',
    'openai:gpt-5',
  ]);
});

test('the models of the operator’s presets are in use: a key of theirs is missed at the start', () => {
  const presets =
    'presets: { hiring: { description: For people, sageModel: groq:a, chairModel: openai:gpt-5 } }';
  const config = configure(presets, { OPENROUTER_API_KEY: 'sk-test', OPENAI_API_KEY: 'sk-test' });
  const names = modelNames(config, noModel);
  expect(knownModels(config, names)).toEqual(['openrouter:a/ada', 'openai:gpt-5']);
  expect(() => assertKeys(config, names)).toThrow('groq:a needs GROQ_API_KEY, and it is not set.');
});

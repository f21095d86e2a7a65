import { describe, expect, test } from 'vitest';
import { fileSettings, knownModels } from '../../src/composition/council.ts';
import { createModelOpener, modelNames, providersOf } from '../../src/composition/models.ts';
import { silentLog } from '../../src/domain/log.ts';
import { load } from '../config/config-folder.ts';
import { noPrices } from '../models/ask.ts';

function councilFile(...lines: readonly string[]) {
  return { 'config/council.yaml': lines.join('\n') };
}

describe('what the files say of every channel', () => {
  test('is unlimited, moderated and remembers unless they say otherwise', () => {
    const config = load({});
    expect(fileSettings(config, modelNames(config, 'test:model'))).toEqual({
      seats: 'moderated',
      bench: 'all',
      depth: 'standard',
      maxDynamicSages: 2,
      chairModel: 'test:model',
      language: 'auto',
      followUpMode: 'asked',
      channelUsdPerDay: 'unlimited',
      questionsPerUserPerHour: 'unlimited',
      memory: true,
      managers: 'nobody',
      memoryReach: 'channel',
      history: 'summaries',
      retentionDays: 'unlimited',
      forgetDeleted: true,
    });
  });

  test('is taken over where they do', () => {
    const config = load(
      councilFile(
        'council: { depth: quick, language: German, followUpMode: mention }',
        'limits: { questionsPerUserPerHour: 12 }',
        'memory: { interactions: 0, reach: workspace, history: full, retentionDays: 30, forgetDeleted: false }',
        'budgets: { channelUsdPerDay: 5 }',
        'models: { chair: "ollama:big" }',
      ),
    );
    expect(fileSettings(config, modelNames(config, 'ollama:small'))).toMatchObject({
      depth: 'quick',
      language: 'German',
      followUpMode: 'mention',
      questionsPerUserPerHour: 12,
      memory: false,
      memoryReach: 'workspace',
      history: 'full',
      retentionDays: 30,
      forgetDeleted: false,
      channelUsdPerDay: 5,
      chairModel: 'ollama:big',
    });
  });
});

describe('the models that a channel may choose for its chair', () => {
  const priced = councilFile(
    'models:',
    '  chair: ollama:big',
    '  prices:',
    '    openai:gpt-5: { inputUsdPerMillionTokens: 1, outputUsdPerMillionTokens: 10 }',
    '    ollama:other: { inputUsdPerMillionTokens: 0, outputUsdPerMillionTokens: 0 }',
  );

  test('are those in use and those with a price, without those that lack a key', () => {
    const config = load(priced);
    const names = modelNames(config, 'ollama:small');
    expect(knownModels(config, names)).toEqual(['ollama:small', 'ollama:big', 'ollama:other']);
    const withKey = load(priced, { OPENAI_API_KEY: 'sk-test' });
    expect(knownModels(withKey, names)).toContain('openai:gpt-5');
  });

  test('speak for the chair of that channel, and for nobody else', () => {
    const config = load(priced);
    const names = modelNames(config, 'ollama:small');
    const providers = providersOf(config, undefined);
    const open = createModelOpener(config, names, providers, noPrices, () => undefined, silentLog);
    const models = open(() => undefined, { chair: 'ollama:other', workspace: 'test:w' });
    expect(models.chair.id).toBe('ollama:other');
    expect(models.moderator.id).toBe('ollama:small');
  });
});

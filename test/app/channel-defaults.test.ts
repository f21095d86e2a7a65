import { describe, expect, test } from 'vitest';
import { councilOf, knownModels, modelNames } from '../../src/app/models.ts';
import { createModelOpener, providersOf } from '../../src/app/open-models.ts';
import { silentLog } from '../../src/domain/log.ts';
import { defaultSettings } from '../../src/settings/channel-settings.ts';
import { noPrices } from '../models/ask.ts';
import { load } from '../settings/config-folder.ts';

function councilFile(...lines: readonly string[]) {
  return { 'config/council.yaml': lines.join('\n') };
}

describe('what the files say of every channel', () => {
  test('is unlimited, moderated and remembers unless they say otherwise', () => {
    const config = load({});
    expect(defaultSettings(config.settings, modelNames(config, 'test:model'))).toEqual({
      timeZone: 'UTC',
      seats: 'moderated',
      bench: 'all',
      depth: 'standard',
      maxDynamicSages: 2,
      answerWords: 160,
      nextQuestions: true,
      criteria: 'none',
      moderatorModel: 'test:model',
      sageModel: 'own',
      reviewerModel: 'own',
      chairModel: 'test:model',
      language: 'auto',
      followUpMode: 'asked',
      channelUsdPerDay: 'unlimited',
      questionsPerUserPerHour: 'unlimited',
      memory: true,
      managers: 'nobody',
      muted: 'nobody',
      memoryReach: 'channel',
      history: 'summaries',
      retentionDays: 'unlimited',
      forgetDeleted: true,
      attachments: true,
      links: 'members',
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
    expect(defaultSettings(config.settings, modelNames(config, 'ollama:small'))).toMatchObject({
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

describe('the models that a channel may choose from', () => {
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

  const nothingChosen = {
    moderatorModel: 'ollama:small',
    sageModel: 'own',
    reviewerModel: 'own',
    chairModel: 'ollama:big',
  };
  function opened(choice: Partial<typeof nothingChosen>, lines = priced) {
    const config = load(lines);
    const names = modelNames(config, 'ollama:small');
    const chosenModels = { names, providers: providersOf(config), prices: noPrices };
    const open = createModelOpener(config, chosenModels, () => undefined, silentLog);
    const { moderator, sage, reviewer, chair } = open(() => undefined, {
      ...nothingChosen,
      ...choice,
      workspace: 'test:w',
    });
    const [expert] = councilOf(config).bench;
    if (!expert) throw new Error('the bench is empty');
    return [moderator, sage(expert), reviewer(expert), chair].map(({ id }) =>
      id.replace('ollama:', ''),
    );
  }

  test('speak for the part that it chose them for, in that channel', () => {
    expect(opened({})).toEqual(['small', 'small', 'small', 'big']);
    expect(opened({ moderatorModel: 'ollama:other' })).toEqual(['other', 'small', 'small', 'big']);
    expect(opened({ reviewerModel: 'ollama:other' })).toEqual(['small', 'small', 'other', 'big']);
    expect(opened({ chairModel: 'ollama:other' })).toEqual(['small', 'small', 'small', 'other']);
  });

  test('also review, where they speak for the sages and no one has chosen another for that', () => {
    expect(opened({ sageModel: 'ollama:other' })).toEqual(['small', 'other', 'other', 'big']);
    const withReviewer = councilFile(
      'models: { reviewer: "ollama:judge", sages: { strategy_expert: "ollama:own" } }',
    );
    expect(opened({}, withReviewer)).toEqual(['small', 'own', 'judge', 'big']);
    expect(opened({ sageModel: 'ollama:other' }, withReviewer)).toEqual([
      'small',
      'other',
      'judge',
      'big',
    ]);
  });
});

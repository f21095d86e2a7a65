import { describe, expect, it } from 'vitest';
import { knownProviders } from '../../src/settings/known-providers.ts';
import { load, mistakesIn, mistakesInCouncil } from './config-folder.ts';

const allProviders = Object.keys(knownProviders).join(', ');

describe('a setting that does not fit the others', () => {
  it.each([
    [
      'council:',
      '  seats: [engneer]',
      'council.seats[0]: there is no sage "engneer". Did you mean engineer? Otherwise add sages/engneer.md beside this file',
    ],
    [
      'council:',
      '  fallbackSage: zeus',
      'council.fallbackSage: there is no sage "zeus". Known are engineer, strategy_expert. Otherwise add sages/zeus.md beside this file',
    ],
    [
      'presets:',
      '  hiring: { description: For people, seats: [engneer] }',
      'presets.hiring.seats[0]: there is no sage "engneer". Did you mean engineer? Otherwise add sages/engneer.md beside this file',
    ],
    [
      'presets:',
      '  hiring: { description: For people, seats: [engineer, engineer] }',
      'presets.hiring.seats[1]: "engineer" is listed twice. List each sage once',
    ],
    [
      'council: { maxSages: 1 }\npresets:',
      '  hiring: { description: For people, seats: [engineer, strategy_expert] }',
      'presets.hiring.seats: 2 sages are more than council.maxSages, which is 1. Remove some or raise it',
    ],
    [
      'models:',
      '  autoModels: { opnai: gpt-5 }',
      'models.autoModels.opnai: "opnai:gpt-5" names an unknown provider. Did you mean openai? Otherwise describe it under models.providers.opnai',
    ],
    [
      'models:',
      '  sages: { zeus: openai:gpt-5 }',
      'models.sages.zeus: there is no sage "zeus". Known are engineer, strategy_expert. Otherwise add sages/zeus.md beside this file',
    ],
    [
      'council:',
      '  seats: [engineer, engineer]',
      'council.seats[1]: "engineer" is listed twice. List each sage once',
    ],
    [
      'council:',
      '  { maxSages: 1, seats: [engineer, strategy_expert] }',
      'council.seats: 2 sages are more than council.maxSages, which is 1. Remove some or raise it',
    ],
    [
      'council:',
      '  { maxSages: 2, maxDynamicSages: 3 }',
      'council.maxDynamicSages: 3 is more than council.maxSages, which is 2. Write at most 2',
    ],
    [
      'models:',
      '  chair: opnai:gpt-5',
      'models.chair: "opnai:gpt-5" names an unknown provider. Did you mean openai? Otherwise describe it under models.providers.opnai',
    ],
    [
      'models:',
      '  default: acme:big',
      `models.default: "acme:big" names an unknown provider. Known are ${allProviders}. Otherwise describe it under models.providers.acme`,
    ],
    [
      'models:',
      '  prices: { acme:big: { inputUsdPerMillionTokens: 1, outputUsdPerMillionTokens: 2 } }',
      `models.prices.acme:big: "acme:big" names an unknown provider. Known are ${allProviders}. Otherwise describe it under models.providers.acme`,
    ],
  ])('is a mistake: %s %s', (group, line, text) => {
    const files = {
      'config/council.yaml': `${group}\n${line}`,
      'config/sages/engineer.md': '---\nname: Engineer\ndescription: Builds.\n---\n',
    };
    const number = group.split('\n').length + 1;
    expect(mistakesIn(files)).toEqual([`config/council.yaml:${number} ${text}`]);
  });

  it('may have a default that is larger than a small bound', () => {
    const { council } = load({ 'config/council.yaml': 'council: { maxSages: 1 }' }).settings;
    expect(council).toMatchObject({ maxSages: 1, maxDynamicSages: 2 });
  });

  it('does not follow from another mistake', () => {
    expect(
      mistakesInCouncil(
        'council: { maxSages: many, maxDynamicSages: 4 }',
        'models: { chair: vllm:a, providers: { vllm: { baseUrl: nowhere } } }',
      ).map((line) => line.split(' ')[1]),
    ).toEqual(['council.maxSages:', 'models.providers.vllm.baseUrl:']);
  });
});

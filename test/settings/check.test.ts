import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/settings/check.ts';
import { mistakesInCouncil } from './config-folder.ts';

describe('a value of the wrong kind', () => {
  it.each([
    [
      'models:',
      '  chair: opus',
      'models.chair: "opus" is not provider:model. Write e.g. openai:gpt-5',
    ],
    [
      'models:',
      '  default: gpt-5',
      'models.default: "gpt-5" is not auto or provider:model. Write e.g. openai:gpt-5',
    ],
    [
      'access:',
      '  allow: ["slack:T0123ABCD", "Agora"]',
      'access.allow[1]: "Agora" is not a workspace or server, a person after an @, or a * for a whole platform. Write e.g. slack:T0123ABCD, discord:123456789012345678 or discord:@123456789012345678',
    ],
    [
      'access:',
      '  deny: discord:1234567',
      'access.deny: "discord:1234567" is not a list. Write e.g. [slack:T0123ABCD]',
    ],
    [
      'council:',
      '  maxSages: 9',
      'council.maxSages: 9 is not a whole number from 1 to 8. Write e.g. 4',
    ],
    [
      'council:',
      '  maxSages: 2.5',
      'council.maxSages: 2.5 is not a whole number from 1 to 8. Write e.g. 4',
    ],
    [
      'council:',
      '  maxSages: "4"',
      'council.maxSages: "4" is not a whole number from 1 to 8. Write e.g. 4',
    ],
    [
      'council:',
      '  depth: deepest',
      'council.depth: "deepest" is not one of quick, standard, deep, auto. Write e.g. quick',
    ],
    [
      'council:',
      '  seats: [Marcus]',
      'council.seats[0]: "Marcus" is not a sage\'s key: lower-case letters, digits and _, at most 64 characters. Write e.g. marcus_aurelius',
    ],
    [
      'council:',
      '  seats: all',
      'council.seats: "all" is not moderated or a list of sage keys. Write e.g. [marcus_aurelius, nassim_taleb]',
    ],
    [
      'council:',
      '  seats: []',
      'council.seats: an empty list is not a list with a sage in it. Write e.g. [marcus_aurelius, nassim_taleb]',
    ],
    [
      'limits:',
      '  sageTimeoutMs: 120',
      'limits.sageTimeoutMs: 120 is not a whole number of milliseconds from 1000 to 3600000. Write e.g. 120000',
    ],
    [
      'limits:',
      '  quorumShare: 75',
      'limits.quorumShare: 75 is not a share above 0 and up to 1. Write e.g. 0.75',
    ],
    [
      'budgets:',
      '  userUsdPerDay: 0',
      'budgets.userUsdPerDay: 0 is not an amount in US dollars above 0. Write e.g. 5',
    ],
    [
      'models:',
      '  sages: { engineer: 5 }',
      'models.sages.engineer: 5 is not provider:model. Write e.g. openai:gpt-5',
    ],
    [
      'discord:',
      '  apiUrl: discord.example',
      'discord.apiUrl: "discord.example" is not a plain http or https address; a key goes into the environment. Write e.g. https://api.openai.com/v1',
    ],
    [
      'models:',
      '  providers: { tgi: {} }',
      'models.providers.tgi.baseUrl: is missing. Expected: a plain http or https address; a key goes into the environment. Write e.g. https://api.openai.com/v1',
    ],
    [
      'models:',
      '  providers: { V LLM: { baseUrl: "http://h/v1" } }',
      "models.providers.V LLM: the name is not a provider's name: lower-case letters, digits, _ and -, a letter first. Write e.g. vllm",
    ],
    [
      'log:',
      '  level: [info]',
      'log.level: a list is not one of silent, error, warn, info, debug. Write e.g. silent',
    ],
  ])('is named with its line, what is expected and an example: %s %s', (group, line, text) => {
    expect(mistakesInCouncil('# one', group, line)).toEqual([`config/council.yaml:3 ${text}`]);
  });

  it('is named where a group or the whole file is something else', () => {
    expect(mistakesInCouncil('models: openai:gpt-5')).toEqual([
      'config/council.yaml:1 models: "openai:gpt-5" is not a group of settings, one per line. Write e.g. default: …',
    ]);
    expect(mistakesInCouncil('- council')).toEqual([
      'config/council.yaml a list is not a group of settings, one per line. Write e.g. council: …',
    ]);
  });
});

describe('an unknown setting', () => {
  it.each([
    ['dpeth', 'Did you mean depth?'],
    ['max_sages', 'Did you mean maxSages?'],
    ['retentionDays', 'Did you mean memory.retentionDays?'],
    [
      'colour',
      'Known here: seats, depth, maxDynamicSages, answerWords, criteria, language, timeZone, followUpMode, maxSages, fallbackSage, chairTurns',
    ],
  ])('is a mistake, and what was meant is named: %s', (key, hint) => {
    expect(mistakesInCouncil('council:', '  depth: quick', `  ${key}: 1`)).toEqual([
      `config/council.yaml:3 council.${key}: no such setting. ${hint}`,
    ]);
  });

  it('is found in groups that carry a name of their own', () => {
    expect(
      mistakesInCouncil('models:', '  providers:', '    openai:', '      base_url: http://h/v1'),
    ).toEqual([
      'config/council.yaml:4 models.providers.openai.base_url: no such setting. Did you mean baseUrl?',
    ]);
  });
});

describe('the nearest word', () => {
  it.each([
    ['depht', 'depth'],
    ['max-sages', 'maxSages'],
    ['MAXSAGES', 'maxSages'],
    ['maxSage', 'maxSages'],
    ['sets', 'seats'],
  ])('finds that %s was meant to be %s', (word, meant) => {
    expect(nearest(word, ['language', 'depth', 'maxSages', 'seats'])).toBe(meant);
  });

  it.each(['colour', 'x', ''])('finds nothing where all is too far off: "%s"', (word) => {
    expect(nearest(word, ['language', 'depth', 'maxSages', 'seats'])).toBeUndefined();
  });

  it('finds a word with any one letter too many', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.constantFrom(...'abcxyz'), (place, letter) => {
        const word = `moderator`.slice(0, place) + letter + 'moderator'.slice(place);
        expect(nearest(word, ['model', 'moderator', 'reviewer'])).toBe('moderator');
      }),
    );
  });
});

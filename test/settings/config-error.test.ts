import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/settings/config-source.ts';
import { load, mistakesIn, mistakesInCouncil } from './config-folder.ts';

it('lists every mistake of all files in one error, by file and line', () => {
  expect(
    mistakesIn(
      {
        'config/council.yaml': [
          'council:',
          '  dpeth: quick',
          '  seats: [nobody]',
          'models:',
          '  chair: opus',
          '  sage: opnai:gpt-5',
          '  providers:',
          '    tgi: { apiKeyEnv: key }',
          'limits:',
          '  graceMs: soon',
        ].join('\n'),
        'config/sages/ada.md': '---\nname: Ada\nmodel: acme:big\n---\n',
        'config/sages/Bob.md': 'Bob',
      },
      { OLLAMA_HOST: 'a b' },
    ).map((line) => line.split(' ').slice(0, 2).join(' ')),
  ).toEqual([
    'config/council.yaml:2 council.dpeth:',
    'config/council.yaml:3 council.seats[0]:',
    'config/council.yaml:5 models.chair:',
    'config/council.yaml:6 models.sage:',
    'config/council.yaml:8 models.providers.tgi.baseUrl:',
    'config/council.yaml:8 models.providers.tgi.apiKeyEnv:',
    'config/council.yaml:10 limits.graceMs:',
    'config/sages/ada.md:1 description:',
    'config/sages/ada.md:3 model:',
    'config/sages/Bob.md:1 the',
    'config/sages/Bob.md:1 the',
    'environment OLLAMA_HOST:',
  ]);
});

describe('whatever the files say', () => {
  const word = fc.constantFrom(
    ...['council', 'models', 'providers', 'openai', 'sages', 'prices', 'seats', 'baseUrl', 'name'],
    ...[
      'moderated',
      'a:b',
      '4',
      '0',
      '-1',
      '.nan',
      '.inf',
      '~',
      'true',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
    ],
    ...['- ', ': ', '? ', '&a', '*a', '!!set', '!!binary', '<<', '|', '>', '---', '...', '%YAML 9'],
    ...['\n', '\n  ', '\n    ', '\t', '#', '\r', '\u2028', '__proto__', 'constructor', '\uFEFF'],
  );
  const likeYaml = fc
    .array(fc.oneof({ weight: 4, arbitrary: word }, fc.string()))
    .map((parts) => parts.join(''));
  const data = fc
    .jsonValue({ maxDepth: 4 })
    .map((value) => JSON.stringify({ models: value, council: value }));

  it('is loaded or refused by a ConfigError, and in no other way', () => {
    fc.assert(
      fc.property(
        fc.oneof(likeYaml, data, fc.string({ unit: 'binary' })),
        likeYaml,
        (council, sage) => {
          try {
            load({ 'config/council.yaml': council, 'config/sages/ada.md': `---\n${sage}\n---\n` });
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each(['[', '{a: ', '- '])('is refused when it is nested beyond measure: %s', (opening) => {
    expect(mistakesInCouncil(opening.repeat(20_000))).not.toEqual([]);
  });
});

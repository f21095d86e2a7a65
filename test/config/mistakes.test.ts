import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import { load, mistakesIn, mistakesInCouncil, projectWith } from './config-folder.ts';

describe('a value of the wrong kind', () => {
  it.each([
    [
      'models:',
      '  chair: opus',
      'models.chair: "opus" is not provider:model. Write e.g. openai:gpt-5',
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
      '  depth: deep',
      'council.depth: "deep" is not one of quick, standard. Write e.g. quick',
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
      'models:',
      '  providers: { vllm: {} }',
      'models.providers.vllm.baseUrl: is missing. Expected is a plain http or https address; a key goes into the environment. Write e.g. https://api.openai.com/v1',
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
    ['colour', 'Known here: seats, depth, maxSages, maxDynamicSages, fallbackSage, language'],
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

describe('a setting that does not fit the others', () => {
  it.each([
    [
      'council:',
      '  seats: [engneer]',
      'council.seats[0]: there is no sage "engneer". Did you mean engineer? Otherwise add the file sages/engneer.md',
    ],
    [
      'council:',
      '  fallbackSage: zeus',
      'council.fallbackSage: there is no sage "zeus". Known are engineer, strategy_expert. Otherwise add the file sages/zeus.md',
    ],
    [
      'models:',
      '  sages: { zeus: openai:gpt-5 }',
      'models.sages.zeus: there is no sage "zeus". Known are engineer, strategy_expert. Otherwise add the file sages/zeus.md',
    ],
    [
      'council:',
      '  seats: [engineer, engineer]',
      'council.seats[1]: "engineer" sits already. Name each sage once',
    ],
    [
      'council:',
      '  { maxSages: 1, seats: [engineer, strategy_expert] }',
      'council.seats: 2 sages are more than council.maxSages, which is 1. Take some out or raise it',
    ],
    [
      'council:',
      '  { maxSages: 2, maxDynamicSages: 3 }',
      'council.maxDynamicSages: 3 is more than council.maxSages, which is 2. Write at most 2',
    ],
    [
      'models:',
      '  chair: opnai:gpt-5',
      'models.chair: "opnai:gpt-5" names a provider that is not known. Did you mean openai? Otherwise describe it under models.providers.opnai',
    ],
    [
      'models:',
      '  default: acme:big',
      'models.default: "acme:big" names a provider that is not known. Known are openai, openrouter, ollama, rehearsal. Otherwise describe it under models.providers.acme',
    ],
    [
      'models:',
      '  prices: { acme:big: { inputUsdPerMillionTokens: 1, outputUsdPerMillionTokens: 2 } }',
      'models.prices.acme:big: "acme:big" names a provider that is not known. Known are openai, openrouter, ollama, rehearsal. Otherwise describe it under models.providers.acme',
    ],
  ])('is a mistake: %s %s', (group, line, text) => {
    const files = {
      'config/council.yaml': `${group}\n${line}`,
      'config/sages/engineer.md': '---\nname: Engineer\ndescription: Builds.\n---\n',
    };
    expect(mistakesIn(files)).toEqual([`config/council.yaml:2 ${text}`]);
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

describe('a file that is not YAML', () => {
  it.each([
    [
      'a tab',
      ['council:', '\tdepth: quick'],
      2,
      'a tab is used as indentation. Use two spaces for each level',
    ],
    [
      'a double key',
      ['council:', '  depth: quick', '  depth: quick'],
      3,
      'this key is there already. Keep one of the two',
    ],
    [
      'an open quote',
      ['council:', '  language: "German'],
      2,
      'a closing quote, a bracket or the ":" after a key is missing',
    ],
    [
      'an open bracket',
      ['council:', '  seats: [a, b'],
      2,
      'the indentation does not fit, or a bracket or quote is not closed. Use two spaces for each level',
    ],
    [
      'a second colon',
      ['council:', '  language: one: two'],
      2,
      'a second ": " in one line. Put a value that holds ": " in quotes, or begin a new line',
    ],
    [
      'an alias',
      ['council:', '  language: *German'],
      2,
      'a value that begins with * refers to another one. Write the value itself',
    ],
    [
      'a tag',
      ['council:', '  language: !word German'],
      2,
      'tags such as !word are not known here. Leave it out',
    ],
    [
      'two documents',
      ['council:', '---', 'council:'],
      2,
      'a line with --- begins a second document. Keep everything in one',
    ],
    ['a key that is a list', ['? [a]', ': b'], 1, 'a key must be a word. Write e.g. depth: quick'],
    [
      'a forbidden name',
      ['models:', '  sages:', '    __proto__: openai:gpt-5'],
      3,
      '__proto__ can not be a key',
    ],
  ])('is named with its line: %s', (_, lines, line, text) => {
    expect(mistakesInCouncil(...lines)).toEqual([`config/council.yaml:${line} ${text}`]);
  });

  it('may also be no text, or no file at all', () => {
    expect(mistakesIn({ 'config/council.yaml': new Uint8Array([0xff, 0xfe, 0x61, 0x00]) })).toEqual(
      ['config/council.yaml is not UTF-8 text. Save it as UTF-8'],
    );
    expect(mistakesIn({ 'config/council.yaml/x': '', '.env/x': '' })).toEqual([
      '.env is a folder. A file is expected here',
      'config/council.yaml is a folder. A file is expected here',
    ]);
  });
});

describe('a sage that can not be read', () => {
  it.each([
    [
      'a name that is no key',
      'Ada-L',
      ['---', 'name: Ada', 'description: x', '---'],
      ":1 the file's name without .md is not a sage's key: lower-case letters, digits and _, at most 64 characters. Write e.g. marcus_aurelius.md",
    ],
    [
      'no front matter',
      'ada',
      ['Reason from mechanism.'],
      ':1 the file does not begin with front matter. Write e.g. ---, name: Ada, description: …, --- on four lines',
    ],
    [
      'open front matter',
      'ada',
      ['---', 'name: Ada', 'description: x'],
      ':1 the front matter is not closed by a line with --- alone. Write e.g. ---, name: Ada, description: …, --- on four lines',
    ],
    [
      'a missing field',
      'ada',
      ['---', 'name: Ada', '---'],
      ':1 description: is missing. Expected is one line of text of 1 to 300 characters. Write e.g. Stoic emperor: for questions of duty, adversity and self-command.',
    ],
    [
      'an unknown field',
      'ada',
      ['---', 'name: Ada', 'description: x', 'emojy: 🧮', '---'],
      ':4 emojy: no such setting. Did you mean emoji?',
    ],
    [
      'a word for an emoji',
      'ada',
      ['---', 'name: Ada', 'description: x', 'emoji: abacus', '---'],
      ':4 emoji: "abacus" is not one emoji. Write e.g. 🏛️',
    ],
    [
      'an unsafe picture',
      'ada',
      ['---', 'name: Ada', 'description: x', 'avatarUrl: http://h/a.png', '---'],
      ':4 avatarUrl: "http://h/a.png" is not the https address of a picture, of at most 2000 characters. Write e.g. https://example.org/owl.png',
    ],
    [
      'YAML that is none',
      'ada',
      ['---', 'name: Ada', 'description: a: b', '---'],
      ':3 a second ": " in one line. Put a value that holds ": " in quotes, or begin a new line',
    ],
    [
      'an unknown provider',
      'ada',
      ['---', 'name: Ada', 'description: x', 'model: acme:big', '---'],
      ':4 model: "acme:big" names a provider that is not known. Known are openai, openrouter, ollama, rehearsal. Otherwise describe it under models.providers.acme',
    ],
    [
      'a name that is taken',
      'zeta',
      ['---', 'description: x', 'name: strategy expert', '---'],
      ':3 name: "strategy expert" is the name of the sage strategy_expert already. Give each its own',
    ],
    [
      'an endless prompt',
      'ada',
      ['---', 'name: Ada', 'description: x', '---', 'x'.repeat(20_001)],
      ':1 the prompt has 20001 characters. At most 20000 are taken: shorten it',
    ],
  ])('is named with file and line: %s', (_, key, lines, text) => {
    expect(mistakesIn({ [`config/sages/${key}.md`]: lines.join('\n') })).toEqual([
      `config/sages/${key}.md${text}`,
    ]);
  });

  it('counts lines with Windows line ends as well', () => {
    expect(
      mistakesIn({
        'config/sages/ada.md': '---\r\nname: Ada\r\ndescription: x\r\nmodel: m\r\n---\r\n',
      }),
    ).toEqual(['config/sages/ada.md:4 model: "m" is not provider:model. Write e.g. openai:gpt-5']);
  });

  it('is known by its file all the same, so that naming it is no second mistake', () => {
    expect(
      mistakesIn({
        'config/council.yaml': 'council: { seats: [ada] }',
        'config/sages/ada.md': '---\nname: Ada\n---\n',
      }),
    ).toHaveLength(1);
  });

  it('may be one of none: the folder is missing', () => {
    const project = projectWith({});
    mkdirSync(join(project, 'config'));
    const directory = join(project, 'config');
    expect(() => loadConfig({ directory, environment: {} })).toThrow(
      `${directory}/sages is missing. Make it and put one file per sage in it`,
    );
  });
});

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
          '    vllm: { apiKeyEnv: key }',
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
    'config/council.yaml:8 models.providers.vllm.baseUrl:',
    'config/council.yaml:8 models.providers.vllm.apiKeyEnv:',
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
      { numRuns: 500 },
    );
  });

  it.each(['[', '{a: ', '- '])('is refused when it is nested beyond measure: %s', (opening) => {
    expect(mistakesInCouncil(opening.repeat(20_000))).not.toEqual([]);
  });
});

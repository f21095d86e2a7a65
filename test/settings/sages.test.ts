import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownProviders } from '../../src/settings/known-providers.ts';
import { loadConfig } from '../../src/settings/load.ts';
import { readSages } from '../../src/settings/sages.ts';
import { load, mistakesIn, projectWith } from './config-folder.ts';

const allProviders = Object.keys(knownProviders).join(', ');

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
      ':1 description: is missing. Expected: one line of text of 1 to 300 characters. Write e.g. Stoic emperor, for questions of duty, adversity and self-command.',
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
      `:4 model: "acme:big" names an unknown provider. Known are ${allProviders}. Otherwise describe it under models.providers.acme`,
    ],
    [
      'a name that is taken',
      'zeta',
      ['---', 'description: x', 'name: strategy expert', '---'],
      ':3 name: "strategy expert" is already the name of the sage strategy_expert. Give each sage its own name',
    ],
    [
      'an endless prompt',
      'ada',
      ['---', 'name: Ada', 'description: x', '---', 'x'.repeat(20_001)],
      ':1 the prompt has 20001 characters, and the limit is 20000. Shorten it',
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

  it.each(['ada.md.txt', 'ada.markdown', 'ada.MD.TXT'])('is named if its file is %s', (name) => {
    expect(mistakesIn({ [`config/sages/${name}`]: '---\nname: Ada\n---\n' })).toEqual([
      `config/sages/${name} is not read. Rename it to ada.md`,
    ]);
  });

  it('is read from a file with an ending in capitals', () => {
    const text = '---\nname: Ada\ndescription: x\n---\n';
    const { sages } = load({ 'config/sages/ada.MD': text });
    expect(sages.map(({ key }) => key)).toEqual(['ada', 'strategy_expert']);
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
    const directory = join(projectWith({}), 'config');
    expect(() => loadConfig({ directory, environment: {} })).toThrow(
      `mistake:\n${directory} is missing. Make it, or name another folder`,
    );
    mkdirSync(join(directory, 'sages'), { recursive: true });
    expect(() => loadConfig({ directory, environment: {} })).toThrow(
      `mistake:\n${directory}/sages has no sages. Put one file per sage in it`,
    );
  });
});

it('describes the sages that come with Council to people, not to the moderator', () => {
  const { files } = readSages('config/sages');
  expect(files.length).toBeGreaterThan(10);
  for (const { sage } of files) expect(sage?.description).not.toMatch(/\bseat\b/);
});

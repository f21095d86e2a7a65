import { describe, expect, it } from 'vitest';
import { mistakesIn, mistakesInCouncil } from './config-folder.ts';

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
      'this key is a duplicate. Keep one of the two',
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
      'the indentation is wrong, or a bracket or quote is not closed. Use two spaces for each level',
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
      'tags such as !word are not supported. Remove it',
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
      '__proto__ can’t be a key',
    ],
  ])('is named with its line: %s', (_, lines, line, text) => {
    expect(mistakesInCouncil(...lines)).toEqual([`config/council.yaml:${line} ${text}`]);
  });

  it('may also be no text, or no file at all', () => {
    expect(mistakesIn({ 'config/council.yaml': new Uint8Array([0xff, 0xfe, 0x61, 0x00]) })).toEqual(
      ['config/council.yaml is not UTF-8 text. Save it as UTF-8'],
    );
    const appended = `WEB_PORT=1\n${Buffer.from('DISCORD_TOKEN=x\r\n', 'utf16le')}`;
    expect(mistakesIn({ '.env': appended })).toEqual(['.env is not UTF-8 text. Save it as UTF-8']);
    expect(mistakesIn({ 'config/council.yaml/x': '', '.env/x': '' })).toEqual([
      '.env is a folder. A file is expected here',
      'config/council.yaml is a folder. A file is expected here',
    ]);
  });
});

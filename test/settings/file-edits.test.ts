import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UneditableError, withSettings, withVariables } from '../../src/settings/file-edits.ts';

const models = (name: string, value: string | readonly string[] | undefined) => ({
  path: ['models', name],
  value,
});

describe('council.yaml', () => {
  it.each([
    ['an empty file', '', 'models:\n  default: a:b\n'],
    [
      'a file without the group',
      'council:\n  depth: quick',
      'council:\n  depth: quick\nmodels:\n  default: a:b\n',
    ],
    [
      'a group with comments alone',
      'models:  # who\n  # default: auto\nlimits:\n',
      'models:  # who\n  default: a:b\n  # default: auto\nlimits:\n',
    ],
    [
      'a group',
      'models:\n    chair: c:d # why\n',
      'models:\n    default: a:b\n    chair: c:d # why\n',
    ],
    [
      'the setting',
      'models:\n  default:   "x:y" # why\n  chair: c:d\n',
      'models:\n  default:   a:b # why\n  chair: c:d\n',
    ],
    [
      'the setting without a value',
      'models:\n  default: # why\n',
      'models:\n  default: a:b # why\n',
    ],
    ['a group in braces', 'models: { chair: c:d }\n', 'models: { default: a:b, chair: c:d }\n'],
    ['empty braces', 'models: {}\n', 'models: { default: a:b }\n'],
    [
      'the setting in braces',
      'models: {default: x:y, chair: c:d}',
      'models: {default: a:b, chair: c:d}',
    ],
    [
      'line ends of Windows',
      'models:\r\n  chair: c:d\r\n',
      'models:\r\n  default: a:b\r\n  chair: c:d\r\n',
    ],
  ])('takes a setting into %s', (_where, before, after) => {
    expect(withSettings(before, [models('default', 'a:b')], 'council.yaml')).toBe(after);
  });

  it('takes in several, in groups that are not there yet', () => {
    const edits = [
      { path: ['models', 'sages', 'ben'], value: 'a:b' },
      { path: ['models', 'sages', 'ada'], value: 'ollama:llama3.2:3b' },
      models('fallback', ['a:b', 'c:d e']),
      models('default', 'a:b'),
    ];
    expect(withSettings('# mine\n', edits, 'council.yaml')).toBe(
      '# mine\nmodels:\n  default: a:b\n  fallback: [a:b, "c:d e"]\n  sages:\n    ada: ollama:llama3.2:3b\n    ben: a:b\n',
    );
  });

  it.each([
    [
      'a line',
      'models:\n  # who\n  default: a:b # why\n  chair: c:d\n',
      'models:\n  # who\n  chair: c:d\n',
    ],
    ['the last line', 'models:\n  chair: c:d\n  default: a:b', 'models:\n  chair: c:d\n'],
    ['braces', 'models: { default: a:b, chair: c:d }\n', 'models: { chair: c:d }\n'],
    ['the end of braces', 'models: { chair: c:d, default: a:b }\n', 'models: { chair: c:d }\n'],
    ['nowhere', 'models:\n  chair: c:d\n', 'models:\n  chair: c:d\n'],
  ])('gives up a setting from %s', (_where, before, after) => {
    expect(withSettings(before, [models('default', undefined)], 'council.yaml')).toBe(after);
  });

  it('gives up a group with all below it', () => {
    const before = 'models:\n  sages:\n    ada: a:b\n    ben: a:b\n  chair: c:d\nlimits:\n';
    expect(withSettings(before, [models('sages', undefined)], 'council.yaml')).toBe(
      'models:\n  chair: c:d\nlimits:\n',
    );
  });

  it('that comes with the project keeps each of its lines', () => {
    const before = readFileSync(join(import.meta.dirname, '../../config/council.yaml'), 'utf8');
    const after = withSettings(before, [models('default', 'openai:gpt-5-mini')], 'council.yaml');
    expect(after.split('\n').filter((line) => !before.split('\n').includes(line))).toEqual([
      '  default: openai:gpt-5-mini',
    ]);
    expect(withSettings(after, [models('default', undefined)], 'council.yaml')).toBe(before);
  });

  it.each(['models: [a', 'models: text\n', '- a\n'])(
    'that can not be edited is left: %j',
    (text) => {
      expect(() => withSettings(text, [models('default', 'a:b')], 'council.yaml')).toThrow(
        UneditableError,
      );
    },
  );
});

describe('.env', () => {
  it('gets a variable where it stands, or at its end', () => {
    expect(withVariables('', { A: 'x' })).toBe('A=x\n');
    expect(withVariables('# mine\nA=old # why\nB=1', { A: 'x', C: 'y z' })).toBe(
      "# mine\nA=x # why\nB=1\nC='y z'\n",
    );
    expect(withVariables('A="o # l"   # why\r\nB=1\r\n', { A: 'x' })).toBe(
      'A=x   # why\r\nB=1\r\n',
    );
    expect(withVariables('# A=1\nexport A=\r\n', { A: 'x' })).toBe('# A=1\nexport A=x\r\n');
    expect(withVariables('AA=1\n', { A: '$&' })).toBe("AA=1\nA='$&'\n");
  });

  it('leaves no earlier value of a variable behind that is set twice', () => {
    const copied = '# Key\nA=\nB=\nA=old\n';
    expect(parseEnv(withVariables(copied, { A: 'new' }))).toEqual({ A: 'new', B: '' });
  });

  it('gives back whatever key is written', () => {
    const key = fc.string({ unit: fc.constantFrom(...'aZ09-_.#=$ "\\\'!+/'), minLength: 1 });
    fc.assert(
      fc.property(key, (value) => {
        fc.pre(value.trim() === value && !(value.includes("'") && value.includes('"')));
        fc.pre(!value.includes('\\'));
        expect(parseEnv(withVariables('B=1\n', { A: value }))).toEqual({ A: value, B: '1' });
      }),
    );
  });
});

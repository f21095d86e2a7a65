import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressedSage } from '../../src/council/addressing.ts';
import { customKey, nameProblem, repairName, tidyName } from '../../src/council/sage-name.ts';
import type { Sage } from '../../src/domain/turn.ts';

function sage(key: string, name: string): Sage {
  return { key, name, description: 'Thinks.', source: 'predefined' };
}
const bench = [sage('marcus_aurelius', 'Marcus Aurelius'), sage('custom_ada', 'Ada')];

describe('the name of a new sage', () => {
  test.each([
    'The Gardener',
    'Zoë Fermat',
    'O’Neil',
    'Dr. No',
    'C-3PO',
    'Садовник',
    '園丁',
    'नीति',
    'レオナルド・ダ・ヴィンチ',
    '马可·奥勒留',
    'Badminton coach',
    'Botanist',
    'Modeller',
    'Aurelius the Elder',
    'Ada Lovelace',
  ])('may be %s', (name) => {
    expect(nameProblem(name, bench)).toBeUndefined();
  });

  test.each([
    ['Admin', 'person in charge'],
    ['The Ad-min', 'person in charge'],
    ['m o d', 'person in charge'],
    ['ADM1N', 'person in charge'],
    ['Ⓐdmin', 'person in charge'],
    ['Админ', 'person in charge'],
    ['Server Moderator', 'person in charge'],
    ['Official Staff', 'person in charge'],
    ['Discord', 'person in charge'],
    ['Disc0rdia', 'person in charge'],
    ['Slack', 'person in charge'],
    ['everyone', 'person in charge'],
    ['The Council', 'person in charge'],
    ['Marcus  aurelius', 'taken for Marcus Aurelius'],
    ['MARCUS-AURELIUS', 'taken for Marcus Aurelius'],
    ['Márcus Aure1ius', 'taken for Marcus Aurelius'],
    ['Aurelius', 'taken for Marcus Aurelius'],
    ['Marcus', 'taken for Marcus Aurelius'],
    ['Marcus Antoninus Aurelius', 'taken for Marcus Aurelius'],
    ['Аԁа', 'taken for Ada'],
    ['custom ada', 'taken for Ada'],
    ['Mаrcus Aurelius', 'different scripts'],
    ['Ada\nAdmin', 'more than one line'],
    ['Ada\u2028x', 'more than one line'],
    ['So\u200bcrates', 'may contain only'],
    ['\u202eniMdA', 'may contain only'],
    ['@everyone', 'may contain only'],
    ['<@&123>', 'may contain only'],
    ['**Bold**', 'may contain only'],
    ['[x](https://e.example)', 'may contain only'],
    ['Z\u0335\u0336\u0337\u0338algo', 'may contain only'],
    ['🌱', 'is empty'],
    ['...', 'is empty'],
    ['', 'is empty'],
    ['x'.repeat(51), '51 characters'],
  ])('may not be %j', (name, why) => {
    expect(nameProblem(name, bench)).toContain(why);
  });

  test('that is taken is one line that can be spoken to, with a key that a bench takes', () => {
    const parts = fc.constantFrom(
      'a',
      'Ö',
      'ж',
      'λ',
      '園',
      'न',
      'ी',
      '1',
      ' ',
      '.',
      '-',
      '’',
      '\n',
      '@',
      '\u200b',
      '\u0301',
      'admin',
      '*',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (signs) => {
        const name = signs.join('');
        if (nameProblem(name, bench) !== undefined) return;
        const tidy = tidyName(name);
        expect(tidy).toMatch(/^[^\p{C}\r\n@<>*`]{1,50}$/u);
        expect(customKey(tidy)).toMatch(/^custom_[a-z0-9_]{1,57}$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('makes a key of its own, also in another script', () => {
    expect(customKey('The Gärtner')).toBe('custom_the_gartner');
    expect(customKey('Садовник')).not.toBe(customKey('Садовница'));
    const gardener = sage(customKey('The Gardener'), 'The Gardener');
    expect(addressedSage('Gardener: when?', [...bench, gardener])).toBe(gardener);
  });
});

test('a mended name has the right form, and a right one stays as it is', () => {
  const signs = fc.constantFrom(
    '\u200b',
    '\u00ad',
    '\n',
    '\u2028',
    '<',
    '@',
    '/',
    ' ',
    '.',
    '🌱',
    'Ａ',
  );
  const text = fc.array(fc.oneof(signs, fc.string({ unit: 'binary' })), { maxLength: 60 });
  fc.assert(
    fc.property(text, (parts) => {
      const name = repairName(parts.join(''));
      expect(repairName(name)).toBe(name);
      // Marks that climb over the neighbouring lines are refused, not mended.
      if (name !== '' && !/\p{M}{3,}/u.test(name)) {
        expect(nameProblem(name, []) ?? '').not.toMatch(/line\.|may contain only|characters\./);
      }
    }),
  );
});

import { expect, test } from 'vitest';
import { suggestions } from '../../../src/platforms/discord/registration.ts';
import { bench } from '../../council/scripted-council.ts';

test('sages are suggested by name, key or what they are for', () => {
  expect(suggestions('CLEO', bench, true).map(({ value }) => value)).toEqual(['cleo']);
  expect(suggestions('what ada sees', bench, true).map(({ value }) => value)).toEqual(['ada']);
});

test('in a list those before the last comma stay, and are not suggested again', () => {
  const values = suggestions('ada,', bench, true).map(({ value }) => value);
  expect(values).toEqual(['ada,ben', 'ada,cleo', 'ada,dan', 'ada,eve']);
});

test('a single one knows no commas', () => {
  expect(suggestions('ada,', bench, false)).toEqual([]);
});

test('there are never more than Discord shows', () => {
  const many = Array.from({ length: 40 }, (_, index) => ({
    key: `sage_${index}`,
    name: `Sage ${index}`,
    description: 'Sees everything that there is to be seen. '.repeat(5),
    source: 'predefined' as const,
  }));
  const shown = suggestions('', many, true);
  expect(shown).toHaveLength(25);
  for (const { name } of shown) expect(name.length).toBeLessThanOrEqual(100);
});

test('one that is cut ends between two characters', () => {
  const astronauts = '👩‍🚀'.repeat(40);
  for (const start of ['', 'a', 'ab', 'abc', 'abcd']) {
    const sage = { key: 'eva', name: 'Eva', description: `${start}${astronauts}` };
    const [{ name = '' } = {}] = suggestions('', [{ ...sage, source: 'custom' }], true);
    expect(name).toMatch(/^Eva: [a-d]*(?:👩‍🚀)+$/u);
  }
});

test('of any number of sages each is reached by typing its name or its key', () => {
  const many = Array.from({ length: 130 }, (_, index) => ({
    key: `ann_${index}`,
    name: `Ann ${index}`,
    description: 'Says what Ann 1 says.',
    source: 'predefined' as const,
  }));
  for (const { key, name } of many) {
    expect(suggestions(name.toUpperCase(), many, true)[0]?.value).toBe(key);
    expect(suggestions(`ann_0, ${key}`, many, true)[0]?.value).toBe(
      key === 'ann_0' ? undefined : `ann_0,${key}`,
    );
  }
});

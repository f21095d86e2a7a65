import { expect, test } from 'vitest';
import { mostJsonLevels, tooDeepAt } from '../../src/domain/json.ts';

const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

test('JSON may be nested two hundred levels deep, and no deeper', () => {
  expect(tooDeepAt(nested(mostJsonLevels))).toBeUndefined();
  for (const levels of [mostJsonLevels + 1, 2000, 200_000]) {
    expect(tooDeepAt(nested(levels))).toBe(mostJsonLevels);
    expect(tooDeepAt('{"a":'.repeat(levels))).toBe(5 * mostJsonLevels);
  }
});

test('brackets that stand side by side or in a text are no depth', () => {
  const flat = JSON.stringify(Array.from({ length: 500 }, (_, at) => [{ at }]));
  expect(tooDeepAt(flat)).toBeUndefined();
  expect(tooDeepAt(JSON.stringify({ text: `"\\${'[{'.repeat(1000)}` }))).toBeUndefined();
});

test('tells where it becomes too deep', () => {
  expect(tooDeepAt(`{"a": "[[", "b": ${nested(300)}}`)).toBe(16 + mostJsonLevels);
});

import { expect, it } from 'vitest';
import { readRetryAfter } from '../../../src/models/openai/stated-failure.ts';

it.each([
  [{ 'retry-after': '120' }, 120_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'in 5' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after-ms': '250' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
  [{}, undefined],
])('reads %o as %s milliseconds', (headers, expected) => {
  expect(readRetryAfter(new Headers(Object.entries(headers)))).toBe(expected);
});

it('reads nothing where there are no headers', () => {
  expect(readRetryAfter(undefined)).toBeUndefined();
});

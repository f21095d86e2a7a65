import { expect, it } from 'vitest';
import { readRetryAfter } from '../../../src/models/openai/stated-failure.ts';

const now = Date.parse('2026-01-02T03:04:05Z');

it.each([
  [{ 'retry-after': '120' }, 120_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30_000],
  [{ 'retry-after': 'Fri, 02 Jan 2026 03:04:00 GMT' }, 0],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'in 5' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after-ms': '250' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
  [{}, undefined],
])('reads %o as %s milliseconds', (headers, expected) => {
  expect(readRetryAfter(new Headers(Object.entries(headers)), now)).toBe(expected);
});

it('reads nothing where there are no headers', () => {
  expect(readRetryAfter(undefined, now)).toBeUndefined();
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { growingText } from '../../src/council/streaming.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('tells the first growth at once, and the next when 40 ms have passed', () => {
  const told: string[] = [];
  const { onPartial } = growingText('answer', (text) => told.push(text));
  const grow = (answer: string) => onPartial({ answer });
  grow('a');
  grow('ab');
  vi.advanceTimersByTime(39);
  grow('abc');
  vi.advanceTimersByTime(1);
  grow('abcd');
  expect(told).toEqual(['a', 'abcd']);
});

test('always tells that a text began anew', () => {
  const told: string[] = [];
  const { onPartial } = growingText('answer', (text) => told.push(text));
  const grow = (answer: string) => onPartial({ answer });
  grow('a long beginning');
  grow('');
  expect(told).toEqual(['a long beginning', '']);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withDeadlines } from '../../src/app/starting.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const said: string[] = [];
const ending = new AbortController();
const runStep = withDeadlines({ giveUp: (why) => void said.push(why), ending: ending.signal });
const never = () => new Promise<void>(() => undefined);

test.each([
  ['store', 30],
  ['discord', 300],
  ['slack', 300],
  ['turns', 300],
])('a start that hangs at its step %s is given up after %i s', async (step, seconds) => {
  said.splice(0);
  void runStep(step, never);
  await vi.advanceTimersByTimeAsync(1000 * seconds - 1);
  expect(said).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(
    /^The start was abandoned: .* was not done after \d+ s\. Check .* start again\.$/,
  );
});

test('a step that comes to its end in time, or fails, is told by itself', async () => {
  said.splice(0);
  expect(await runStep('store', async () => 'open')).toBe('open');
  await expect(runStep('store', () => Promise.reject(new Error('closed')))).rejects.toThrow(
    'closed',
  );
  expect(vi.getTimerCount()).toBe(0);
});

test('a process that was asked to end meanwhile is left to that', async () => {
  said.splice(0);
  void runStep('store', never);
  ending.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toEqual([]);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processClock } from '../../../src/platforms/chat/pacing/call-scheduler.ts';
import { RateLimitedError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import { RequestBudget } from '../../../src/platforms/discord/rest/request-budget.ts';

const ofBot = { isAuthorizedByPath: false, canWait: false } as const;
const edit = { isAuthorizedByPath: false, canWait: true } as const;
const ofWebhook = { isAuthorizedByPath: true, canWait: false } as const;

let budget: RequestBudget;
/** What was sent, with the milliseconds since the beginning of the test. */
let sent: (readonly [string, number])[];
let startedAt: number;

beforeEach(() => {
  vi.useFakeTimers();
  budget = new RequestBudget(processClock);
  sent = [];
  startedAt = performance.now();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

async function send(what: string): Promise<string> {
  sent.push([what, performance.now() - startedAt]);
  return what;
}

function many(count: number, kind: typeof ofBot | typeof edit | typeof ofWebhook, name: string) {
  return Array.from({ length: count }, () => budget.make(kind, () => send(name)));
}

test('of the bot’s requests 45 are made in a second, and a webhook’s are counted apart', async () => {
  const made = [...many(50, ofBot, 'bot'), ...many(50, ofWebhook, 'webhook')];
  await vi.runAllTimersAsync();
  await Promise.all(made);
  for (const name of ['bot', 'webhook']) {
    const times = sent.filter(([what]) => what === name).map(([, time]) => time);
    expect(times.filter((time) => time === 0)).toHaveLength(45);
    expect(times.filter((time) => time === 1000)).toHaveLength(5);
  }
});

test('an edit lets all others go first', async () => {
  const made = [...many(45, ofBot, 'first'), ...many(1, edit, 'edit'), ...many(1, ofBot, 'post')];
  await vi.runAllTimersAsync();
  await Promise.all(made);
  expect(sent.slice(45).map(([what]) => what)).toEqual(['post', 'edit']);
});

test('when the limit of the token is reached all wait, and the refused one is made again', async () => {
  const refusals = [new RateLimitedError('Later.', { retryAfterMs: 40_000, isGlobal: true })];
  const refused = budget.make(ofBot, async () => {
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    return send('refused');
  });
  await vi.advanceTimersByTimeAsync(0);
  const later = [...many(1, ofBot, 'bot'), ...many(1, ofWebhook, 'webhook')];
  await vi.runAllTimersAsync();
  await Promise.all([refused, ...later]);
  expect(sent.map(([, time]) => time)).toEqual([40_000, 40_000, 40_000]);
});

test('the limit of a channel is for the person who asked', async () => {
  const refusal = new RateLimitedError('Later.', { retryAfterMs: 40_000, isGlobal: false });
  await expect(budget.make(ofBot, () => Promise.reject(refusal))).rejects.toBe(refusal);
  expect(await budget.make(ofBot, () => send('next'))).toBe('next');
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { eventWatermark } from '../../../src/platforms/chat/event-watermark.ts';

const minuteMs = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watermark that is started, with the times that it stores, in minutes. */
async function startStoring() {
  const stored: number[] = [];
  const records = {
    read: async () => expect.unreachable('The process knows what it stored.'),
    write: async (_app: string, until: number) => {
      stored.push(until / minuteMs);
    },
  };
  const watermark = eventWatermark(records, 'app', silentLog, Date.now);
  await watermark.start(() => true);
  return { watermark, stored };
}

/** The process stands still; its timers go on afterwards. */
function halt(minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * minuteMs);
}

test('the time of the last events is stored every minute, and at the end', async () => {
  const { watermark, stored } = await startStoring();
  await vi.advanceTimersByTimeAsync(2.5 * minuteMs);
  await watermark.stop();
  expect(stored).toEqual([0, 1, 2, 2.5]);
});

test('after a halt none is stored until a connection that was lost would be known to be', async () => {
  const { stored } = await startStoring();
  await vi.advanceTimersByTimeAsync(1.5 * minuteMs);
  halt(10);
  await vi.advanceTimersByTimeAsync(2 * minuteMs);
  expect(stored).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(minuteMs);
  expect(stored).toEqual([0, 1, 14]);
});

test('after an outage the process knows the time though the store is away', async () => {
  const { watermark } = await startStoring();
  await vi.advanceTimersByTimeAsync(1.5 * minuteMs);
  const found: unknown[] = [];
  await watermark.hold(async (since) => {
    found.push(since);
  });
  expect(found).toEqual([minuteMs]);
});

test('a process that ends right after a halt stores none', async () => {
  const { watermark, stored } = await startStoring();
  halt(10);
  await watermark.stop();
  expect(stored).toEqual([0]);
});

import { afterEach, beforeEach, expect, vi } from 'vitest';
import type {
  Destination,
  PacingLimits,
} from '../../../../src/platforms/chat/pacing/call-ledger.ts';
import { createPacer, type Pacer } from '../../../../src/platforms/chat/pacing/pacer.ts';
import { RecordedCalls } from './recorded-calls.ts';

export const thread: Destination = { thread: 'thread', channel: 'channel' };

/** A pacer before a platform that records what is called; both anew for each test. */
export interface PacedPlatform {
  platform: RecordedCalls;
  pacer: Pacer;
  post(what: unknown, destination?: Destination, signal?: AbortSignal): Promise<void>;
}

/** Fakes the clock of each test of the file, and sees to it that nothing is left waiting. */
export function pacedPlatform(limits: PacingLimits): PacedPlatform {
  const anew = () => ({
    platform: new RecordedCalls(),
    pacer: createPacer(limits),
  });
  const paced: PacedPlatform = {
    ...anew(),
    post: (what, destination = thread, signal) =>
      paced.pacer.post(destination, () => paced.platform.call('post', destination, what), signal),
  };
  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(paced, anew());
  });
  afterEach(async () => {
    await vi.runAllTimersAsync();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
  return paced;
}

/** Waits and retries for calls that a platform didn't answer or refused because of its limits. */

import { setTimeout as wait } from 'node:timers/promises';
import { backOff as doubling } from '../../../waiting.ts';
import { UnansweredError } from './platform-error.ts';

/** Waits while a person is waiting: 16 s in total. */
export const briefWaitsMs = [500, 1500, 4000, 10_000] as const;
/**
 * Waits to outlast a short outage: about 3 minutes in total. No longer, because platforms forget after some
 * minutes the keys by which they recognise a repeated post.
 */
export const patientWaitsMs = [...briefWaitsMs, 20_000, 30_000, 45_000, 45_000] as const;

/** Further waits to outlast a long outage: two hours in total. After that, the next start resumes. */
export const outageWaitsMs: readonly number[] = Array.from({ length: 120 }, () => 60_000);

/** The wait before reconnecting, by the number of failures in a row. */
export const reconnectWaitMs = doubling(1000, 30_000);

/** Waits for {@link withJitter} of this time; rejects when the signal is aborted. */
export async function backOff(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(withJitter(milliseconds), undefined, signal ? { signal } : {});
}

/** A random time between half of it and all of it, so that many clients don't retry at once. */
export function withJitter(milliseconds: number): number {
  return milliseconds / 2 + Math.random() * (milliseconds / 2);
}

/**
 * Repeats a call while it fails with an {@link UnansweredError}, which leaves open whether it was carried out. Only
 * for calls that may be carried out twice, or whose effect `look` can find.
 *
 * @param waitsMs - Before each retry; rejects with the error of the last one.
 * @param between.wait - Default: {@link backOff}.
 * @param between.look - Called after each wait; if it finds the effect of the call, that is the answer.
 */
export async function untilAnswered<Answer>(
  call: () => Promise<Answer>,
  waitsMs: readonly number[],
  between: {
    readonly wait?: (milliseconds: number) => Promise<void>;
    readonly look?: () => Promise<Answer | undefined>;
  } = {},
): Promise<Answer> {
  const { wait: waitAbout = backOff, look } = between;
  for (const waitMs of waitsMs) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof UnansweredError)) throw error;
      await waitAbout(waitMs);
    }
    const found = await look?.();
    if (found !== undefined) return found;
  }
  return call();
}

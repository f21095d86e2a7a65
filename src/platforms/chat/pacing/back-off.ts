/** How long to wait before an unanswered call is made again. */

import { setTimeout as wait } from 'node:timers/promises';
import { backOff as doubling } from '../../../waiting.ts';
import { RateLimitedError, UnansweredError } from './platform-error.ts';

/** For what a person waits for: 16 s in all. */
export const briefWaitsMs = [500, 1500, 4000, 10_000] as const;
/**
 * For what must outlast an outage: some 3 minutes in all. No longer, because what tells a post that
 * was made already from one that was not is forgotten after some minutes.
 */
export const patientWaitsMs = [...briefWaitsMs, 20_000, 30_000, 45_000, 45_000] as const;

/** For what must outlast an outage of hours, after the waits above: two hours; what lasts longer is left to the next start. */
export const outageWaitsMs: readonly number[] = Array.from({ length: 120 }, () => 60_000);

/** For a connection that is made anew until it is there: how long after so many failures in a row. */
export const reconnectWaitMs = doubling(1000, 30_000);

/** Waits about so long, see {@link withChance}; rejects when it is ended by the signal. */
export async function backOff(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await wait(withChance(milliseconds), undefined, signal ? { signal } : {});
}

/** Leaves up to half of a wait to chance, so that many do not come back together. */
export function withChance(milliseconds: number): number {
  return milliseconds / 2 + Math.random() * (milliseconds / 2);
}

/**
 * Makes a call, and again while no answer comes: an {@link UnansweredError} says that it is unknown
 * what became of it. Only for what may be carried out twice without harm, or is looked for in between.
 *
 * @param waitsMs - Before each further try; rejects as the last one does.
 * @param between.wait - Waits as {@link backOff} does; absent: it is that.
 * @param between.look - Looks after each wait whether it was done after all; what it finds is the answer.
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

/**
 * Makes a call, and again after the wait that a {@link RateLimitedError} asks for.
 *
 * @param isWorthWaiting - Told how often this call has waited already.
 */
export async function untilTaken<Answer>(
  call: () => Promise<Answer>,
  waitOut: (milliseconds: number) => Promise<void>,
  isWorthWaiting: (limited: RateLimitedError, waits: number) => boolean,
): Promise<Answer> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RateLimitedError) || !isWorthWaiting(error, waits)) throw error;
      await waitOut(error.retryAfterMs);
    }
  }
}

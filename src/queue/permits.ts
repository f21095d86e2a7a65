import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../domain/log.ts';
import { LastingTrouble } from './lasting-trouble.ts';
import type { Quotas } from './quotas.ts';

/** What may go on at the same time, over all processes. */
export interface PermitsOptions {
  /** Of what, e.g. `calls:openai`. */
  readonly name: string;
  /** At least 1. */
  readonly limit: number;
  readonly log: Log;
}

/** A permit of a process that died is free after this, in milliseconds; the others hold on in time. */
const leaseMs = 30_000;
const keepEveryMs = 10_000;
const firstPauseMs = 20;
const longestPauseMs = 500;

/**
 * Permits out of a quota. Whoever finds none looks again with growing pauses, so that the order is not
 * kept. While the quotas can't be reached nobody gets a permit, and a call that has one goes on.
 */
export function createPermits(
  quotas: Quotas,
  { name, limit, log }: PermitsOptions,
): { acquire(signal: AbortSignal): Promise<() => void> } {
  const claim = [{ name, amount: 1, limit }];
  const trouble = new LastingTrouble(log, `requests for permits of ${name}`);

  async function isTaken(holder: string): Promise<boolean> {
    try {
      const { status } = await quotas.take(holder, claim, leaseMs);
      trouble.worked();
      return status === 'taken';
    } catch (error) {
      trouble.failed(error);
      return false;
    }
  }

  return {
    async acquire(signal) {
      const holder = randomUUID();
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
        signal.throwIfAborted();
        if (await isTaken(holder)) break;
        // Some jitter, so that those who found none together don't come back together.
        await wait(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() =>
          signal.throwIfAborted(),
        );
      }
      // Then it waits for its lease.
      const failed = (error: unknown) => trouble.failed(error);
      const keeping = setInterval(() => {
        quotas.keep(holder, leaseMs).catch(failed);
      }, keepEveryMs);
      keeping.unref();
      return () => {
        clearInterval(keeping);
        quotas.release(holder).catch(failed);
      };
    },
  };
}

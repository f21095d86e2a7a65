/** What a store does beside turns, messages and settings: claims, sums of spending, forgetting, and the sweep. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { assertForgettable } from '../forgetting.ts';
import { assertLimit } from '../limits.ts';
import { forgottenKnownMs, type Store, spendingKeptDays } from '../store.ts';
import { type Clock, utcDay } from './clock.ts';
import type { Commands } from './commands.ts';
import { claimKeys, spendingKey, spentKey, threadKey, threadsKey } from './keys.ts';
import { scripts } from './scripts.ts';

/** How many threads are swept between two looks for more. */
const threadsAtOnce = 20;
/** No call is sent again later than that. */
const callKnownMs = 10 * 60_000;

const forgotten = z.tuple([z.number(), z.number(), z.number()]);

export function redisUpkeep(
  commands: Commands,
  clock: Clock,
): Pick<Store, 'claim' | 'spend' | 'spent' | 'forget' | 'scrub' | 'sweep'> {
  const oldestKeptDay = () => utcDay(clock.now()) - spendingKeptDays;

  async function count(...call: Parameters<Commands['run']>): Promise<number> {
    return z.number().parse(await commands.run(...call));
  }

  async function sweepThreads(limit: number): Promise<number> {
    const since = clock.keptSince();
    let swept = 0;
    while (swept < limit) {
      const values = [since, String(threadsAtOnce)];
      const reply = await commands.run(scripts.expiringThreads, [threadsKey], values);
      const threads = z.array(z.string()).parse(reply);
      let sweptNow = 0;
      for (const thread of threads) {
        const left = limit - swept - sweptNow;
        if (left === 0) break;
        const keys = [thread, threadsKey];
        sweptNow += await count(scripts.sweepThread, keys, [since, String(left)]);
      }
      if (sweptNow === 0) break;
      swept += sweptNow;
    }
    return swept;
  }

  return {
    claim: async (key, ttlMs) => {
      if (!(ttlMs > 0)) {
        throw new RangeError(`ttlMs is ${ttlMs}. Write a number of milliseconds above 0.`);
      }
      const now = clock.now();
      const expires = Math.min(now + Math.ceil(ttlMs), Number.MAX_SAFE_INTEGER);
      const values = [String(now), randomUUID(), key, String(expires)];
      return (await count(scripts.claim, claimKeys, values)) === 1;
    },
    spend: async (given, costUsd) => {
      const scopes = [...new Set(given)];
      const now = clock.now();
      const values = [
        randomUUID(),
        String(now + callKnownMs),
        String(utcDay(now)),
        String(costUsd),
      ];
      const keys = [...claimKeys, spendingKey, ...scopes.map(spentKey)];
      await commands.run(scripts.spend, keys, [...values, ...scopes]);
    },
    spent: async (scopes, since) => {
      if (scopes.length === 0) return [];
      const day = Math.max(utcDay(since), oldestKeptDay());
      const reply = await commands.run(scripts.spent, scopes.map(spentKey), [String(day)]);
      return z.array(z.coerce.number()).parse(reply);
    },
    forget: async (request) => {
      assertForgettable(request);
      const { threadId, turnIds, messageIds } = request;
      const now = clock.now();
      const known = [now, now + forgottenKnownMs, forgottenKnownMs].map(String);
      const values = [randomUUID(), ...known, String(turnIds.length), ...turnIds, ...messageIds];
      const reply = await commands.run(scripts.forget, [threadKey(threadId)], values);
      const [turns, messages, shards] = forgotten.parse(reply);
      return { turns, messages, shards };
    },
    // A server overwrites nothing that it does not hold any more; its files are its operator's.
    scrub: async () => undefined,
    sweep: async (limit) => {
      assertLimit(limit, Number.MAX_SAFE_INTEGER);
      let swept = await sweepThreads(limit);
      if (swept < limit) {
        const values = [String(clock.now()), String(limit - swept)];
        swept += await count(scripts.sweepClaims, claimKeys, values);
      }
      if (swept < limit) {
        const values = [String(oldestKeptDay()), String(limit - swept)];
        swept += await count(scripts.sweepSpending, [spendingKey], values);
      }
      return swept;
    },
  };
}

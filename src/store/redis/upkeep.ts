/** What a store does beside turns, messages and settings: claims, sums of spending, and the sweep. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { assertLimit } from '../limits.ts';
import { type Store, spendingKeptDays } from '../store.ts';
import { type Clock, utcDay } from './clock.ts';
import type { Commands } from './commands.ts';
import { eachSlot } from './each-slot.ts';
import { claimsSlot, slotOfScope } from './keys.ts';
import { scripts } from './scripts.ts';
import { redisSweep } from './sweep.ts';
import type { Workspaces } from './workspaces.ts';

/** No call is sent again later than that. */
const callKnownMs = 10 * 60_000;

export function redisUpkeep(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): Pick<Store, 'claim' | 'spend' | 'spent' | 'sweep'> {
  const sweep = redisSweep(commands, workspaces, clock);

  return {
    claim: async (key, ttlMs) => {
      if (!(ttlMs > 0)) {
        throw new RangeError(`ttlMs is ${ttlMs}. Write a number of milliseconds above 0.`);
      }
      const now = clock.now();
      const expires = Math.min(now + Math.ceil(ttlMs), Number.MAX_SAFE_INTEGER);
      const values = [String(now), randomUUID(), key, String(expires)];
      return z.number().parse(await commands.run(scripts.claim, claimsSlot, values)) === 1;
    },
    spend: async (scopes, costUsd) => {
      const bySlot = Map.groupBy(new Set(scopes), slotOfScope);
      const values = [randomUUID(), String(callKnownMs), String(utcDay(clock.now()))];
      await Promise.all(
        [...bySlot].map(([slot, own]) =>
          workspaces.store(scripts.spend, slot, [...values, String(costUsd), ...own]),
        ),
      );
    },
    spent: async (scopes, since) => {
      const day = Math.max(utcDay(since), utcDay(clock.now()) - spendingKeptDays);
      return eachSlot(scopes, slotOfScope, async (slot, own) => {
        const reply = await commands.run(scripts.spent, slot, [String(day), ...own]);
        return z.array(z.coerce.number()).parse(reply);
      });
    },
    sweep: async (limit) => {
      assertLimit(limit, Number.MAX_SAFE_INTEGER);
      return sweep(limit);
    },
  };
}

/** What a store does beside turns, messages and settings: claims, sums of spending, forgetting, and the sweep. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { assertForgettable, assertLimit, claimExpiry } from '../checks.ts';
import { utcDay } from '../retention.ts';
import { forgottenKnownMs, type Store, spendingKeptDays } from '../store.ts';
import type { Clock } from './clock.ts';
import type { Commands } from './commands.ts';
import { eachSlot } from './each-slot.ts';
import { claimsSlot, slotOfScope, slotOfThread, threadKey } from './keys.ts';
import { scripts } from './scripts.ts';
import { redisSweep } from './sweep.ts';
import type { Workspaces } from './workspaces.ts';

/** No call is sent again later than that. */
const callKnownMs = 10 * 60_000;

const claimed = z.number();
const sums = z.array(z.coerce.number());
const forgotten = z.tuple([z.number(), z.number(), z.number()]);

export function redisUpkeep(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): Pick<Store, 'claim' | 'spend' | 'spent' | 'forget' | 'scrub' | 'sweep'> {
  const sweep = redisSweep(commands, workspaces, clock);

  return {
    claim: async (key, ttlMs) => {
      const now = clock.now();
      const values = [String(now), randomUUID(), key, String(claimExpiry(now, ttlMs))];
      return claimed.parse(await commands.run(scripts.claim, claimsSlot, values)) === 1;
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
        return sums.parse(reply);
      });
    },
    forget: async (request) => {
      assertForgettable(request);
      const { threadId, turnIds, messageIds, eventIds = [] } = request;
      const now = clock.now();
      const known = [now, now + forgottenKnownMs, forgottenKnownMs].map(String);
      const counts = [turnIds.length, messageIds.length].map(String);
      const values = [randomUUID(), ...known, threadKey(threadId), ...counts];
      const reply = await commands.run(scripts.forget, slotOfThread(threadId), [
        ...[...values, ...turnIds, ...messageIds, ...eventIds],
      ]);
      const [turns, messages, shards] = forgotten.parse(reply);
      return { turns, messages, shards };
    },
    // A server overwrites nothing that it does not hold any more; its files are its operator's.
    scrub: async () => undefined,
    sweep: async (limit) => {
      assertLimit(limit, Number.MAX_SAFE_INTEGER);
      return sweep(limit);
    },
  };
}

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  assertForgettable,
  assertLimit,
  claimExpiry,
  type KeptSetting,
  keptSetting,
  oldestSpendingDay,
  parseRecord,
  readJsonObject,
  settingSchema,
  utcDay,
} from '../checks.ts';
import { forgottenKnownMs, type SettingsStore, type Store } from '../store.ts';
import { type Clock, type Commands, eachSlot, pairsOf, storeScripts } from './commands.ts';
import { claimsSlot, slotOfScope, slotOfThread, threadKey } from './keys.ts';
import { redisMemoryStore } from './memory-store.ts';
import { redisMessageStore, redisTurnStore } from './turn-store.ts';
import { type Workspaces, workspacesOf } from './workspaces.ts';

const forgetting = storeScripts('forgetting');
const upkeep = storeScripts('upkeep');

/** The store over a server, however that is reached. */
export function storeOver(commands: Commands, clock: Clock): Store {
  const workspaces = workspacesOf(commands, clock);
  return {
    turns: redisTurnStore(commands, workspaces, clock),
    messages: redisMessageStore(commands, workspaces, clock),
    memories: redisMemoryStore(commands, clock),
    settings: redisSettingsStore(commands, clock),
    ...redisUpkeep(commands, workspaces, clock),
    close: () => commands.close(),
  };
}

/** No call is sent again later than that. */
const callKnownMs = 10 * 60_000;

const claimed = z.number();
const sums = z.array(z.coerce.number());
const forgotten = z.tuple([z.number(), z.number(), z.number()]);

function redisUpkeep(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): Pick<Store, 'claim' | 'spend' | 'spent' | 'forget' | 'scrub' | 'sweep'> {
  const sweep = redisSweep(commands, workspaces, clock);

  return {
    claim: async (key, ttlMs) => {
      const now = clock.now();
      const values = [String(now), randomUUID(), key, String(claimExpiry(now, ttlMs))];
      return claimed.parse(await commands.run(upkeep('claim'), claimsSlot, values)) === 1;
    },
    spend: async (scopes, costUsd) => {
      const bySlot = Map.groupBy(new Set(scopes), slotOfScope);
      const values = [randomUUID(), String(callKnownMs), String(utcDay(clock.now()))];
      await Promise.all(
        [...bySlot].map(([slot, own]) =>
          workspaces.store(upkeep('spend'), slot, [...values, String(costUsd), ...own]),
        ),
      );
    },
    spent: async (scopes, since) => {
      const day = Math.max(utcDay(since), oldestSpendingDay(clock.now()));
      return eachSlot(scopes, slotOfScope, async (slot, own) => {
        const reply = await commands.run(upkeep('spent'), slot, [String(day), ...own]);
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
      const reply = await commands.run(forgetting('forget'), slotOfThread(threadId), [
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

/** How much one script deletes: it keeps the server from all else meanwhile. */
const recordsAtOnce = 200;
const threadsAtOnce = 20;

const portionSwept = z.tuple([z.number(), z.number(), z.number()]);
const claimsSwept = z.number();

/** Deletes what has expired: workspace by workspace, many side by side, then claims. */
function redisSweep(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): (limit: number) => Promise<number> {
  async function sweepPart(workspace: string, limit: number) {
    const firstDay = oldestSpendingDay(clock.now());
    const values = [clock.keeping(), ...[firstDay, limit, threadsAtOnce].map(String)];
    const reply = await commands.run(forgetting('sweep'), workspace, values);
    const [swept, hasMore, isEmpty] = portionSwept.parse(reply);
    if (isEmpty === 1) await workspaces.leave(workspace);
    return { swept, hasMore: hasMore === 1 };
  }

  /** Every one is swept until nothing is left to sweep, or the limit is reached. */
  async function sweepAll(portion: readonly string[], limit: number): Promise<number> {
    let swept = 0;
    let due = portion;
    while (due.length > 0 && swept < limit) {
      const some = due.slice(0, limit - swept);
      const each = Math.min(recordsAtOnce, Math.floor((limit - swept) / some.length));
      const results = await Promise.all(some.map((one) => sweepPart(one, each)));
      swept += results.reduce((sum, one) => sum + one.swept, 0);
      due = [...due.slice(some.length), ...some.filter((_, at) => results[at]?.hasMore)];
    }
    return swept;
  }

  return async (limit) => {
    let swept = 0;
    for await (const portion of workspaces.portions()) {
      swept += await sweepAll(portion, limit - swept);
      if (swept === limit) return swept;
    }
    const values = [String(clock.now()), String(limit - swept)];
    return (
      swept + claimsSwept.parse(await commands.run(upkeep('sweep-claims'), claimsSlot, values))
    );
  };
}

const storedScopes = z.array(z.array(z.string()));

/** The settings of a server: a hash for each scope. */
function redisSettingsStore(commands: Commands, clock: Clock): SettingsStore {
  const read = settingsReader(commands, clock);
  return {
    read: async (scopes) =>
      (await read(scopes)).map((kept) =>
        Object.fromEntries(kept.map(({ name, setting }) => [name, setting])),
      ),
    write: async (scope, changes, by) => {
      const values = Object.entries(changes).flatMap(([name, value]) => [
        name,
        value === null ? '' : JSON.stringify({ value, ...by }),
      ]);
      if (values.length > 0) {
        const written = [scope, String(clock.now()), ...values];
        await commands.run(upkeep('write-settings'), slotOfScope(scope), written);
      }
    },
  };
}

/** Reads the settings of each scope, in the order asked for. What has expired is left out. */
export function settingsReader(
  commands: Commands,
  clock: Clock,
): (scopes: readonly string[]) => Promise<readonly (readonly KeptSetting[])[]> {
  return (scopes) =>
    eachSlot(scopes, slotOfScope, async (slot, own) => {
      const reply = storedScopes.parse(await commands.run(upkeep('read-settings'), slot, own));
      return reply.map((flat, index) => readScope(flat, own[index] ?? '', clock.now()));
    });
}

/** @param flat - Names and values, in turn. */
function readScope(flat: readonly string[], scope: string, now: number): readonly KeptSetting[] {
  return pairsOf(flat).flatMap(([name, json]) => {
    const record = `Setting ${name} of ${scope}`;
    const fields = { ...readJsonObject(json, record), scope, name };
    const kept = keptSetting(parseRecord(settingSchema, fields, record));
    return kept.expiresAt === undefined || kept.expiresAt > now ? [kept] : [];
  });
}

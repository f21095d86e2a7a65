/** Settings, spending, claims, forgetting and the sweep in Redis, and the list of workspaces that the sweep uses. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  type KeptSetting,
  oldestSpendingDay,
  parseRecord,
  readJsonObject,
  settingSchema,
  settingsByName,
  utcDay,
} from '../checks.ts';
import { amountKnownMs, forgottenKnownMs, type SettingsStore, type Store } from '../store.ts';
import { type Clock, type Commands, pairsOf, type Script, storeScripts } from './commands.ts';
import { claimsSlot, slotOfScope, slotOfThread, threadKey, workspacesSlot } from './keys.ts';

const forgetting = storeScripts('forgetting');
const upkeep = storeScripts('upkeep');

const pageSize = 100;
/** How long a process relies on having listed a workspace, in milliseconds: a failover may lose the entry. */
const listedAgainMs = 3_600_000;
/** How long an empty workspace stays listed; far longer, because clocks differ. */
const emptyListedMs = 86_400_000;

const listing = z.array(z.string());

export type Workspaces = ReturnType<typeof workspacesOf>;

/**
 * The list of all workspaces, used to find unfinished turns and expired records. It has its own cluster slot,
 * so the scripts that store records can't update it.
 */
export function workspacesOf(commands: Commands, clock: Clock) {
  /** When this process listed each workspace, in milliseconds since 1970. */
  const known = new Map<string, number>();
  const run = (name: string, ...values: readonly string[]) =>
    commands.run(upkeep(name), workspacesSlot, values);

  /** Lists a workspace before something is stored in it; calls the server at most once an hour for each. */
  async function enlist(workspace: string): Promise<void> {
    const now = clock.now();
    const listedAt = known.get(workspace);
    if (listedAt !== undefined && Math.abs(now - listedAt) < listedAgainMs) return;
    await run('enlist', workspace, String(now));
    known.set(workspace, now);
  }

  return {
    enlist,
    /** Lists a workspace, then runs a script that stores something in it. */
    store: async (script: Script, workspace: string, values: readonly string[]) => {
      await enlist(workspace);
      return commands.run(script, workspace, values);
    },
    /** Removes empty workspaces, unless a process may still rely on having listed one. */
    delist: async (empty: readonly string[]): Promise<void> => {
      if (empty.length > 0) await run('delist', String(clock.now() - emptyListedMs), ...empty);
    },
    /** All workspaces in which anything is stored, each once, in pages. */
    pages: async function* (): AsyncGenerator<readonly string[]> {
      for (let after = '-', found = pageSize; found === pageSize; ) {
        const listed = listing.parse(await run('list', after, String(pageSize)));
        yield listed;
        found = listed.length;
        after = `(${listed.at(-1)}`;
      }
    },
  };
}

const claimed = z.number();
const sums = z.array(z.coerce.number());
const forgotten = z.tuple([z.number(), z.number(), z.number()]);

export function redisUpkeep(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): Pick<Store, 'claim' | 'spend' | 'spent' | 'forget' | 'scrub' | 'sweep'> {
  return {
    claim: async (key, ttlMs) => {
      const now = clock.now();
      const values = [String(now), randomUUID(), key, String(now + Math.ceil(ttlMs))];
      return claimed.parse(await commands.run(upkeep('claim'), claimsSlot, values)) === 1;
    },
    spend: async (scopes, costUsd, amountId = randomUUID()) => {
      const bySlot = Map.groupBy(new Set(scopes), slotOfScope);
      const values = [amountId, String(amountKnownMs), String(utcDay(clock.now()))];
      await Promise.all(
        [...bySlot].map(([slot, own]) =>
          workspaces.store(upkeep('spend'), slot, [...values, String(costUsd), ...own]),
        ),
      );
    },
    spent: async (scopes, since) => {
      const day = Math.max(utcDay(since), oldestSpendingDay(clock.now()));
      const spent = await askScopes(scopes, async (slot, own) =>
        sums.parse(await commands.run(upkeep('spent'), slot, [String(day), ...own])),
      );
      return scopes.map((scope) => spent.get(scope) ?? 0);
    },
    forget: async (request) => {
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
    // A server keeps no deleted text in its memory; its files are its operator's.
    scrub: async () => undefined,
    sweep: redisSweep(commands, workspaces, clock),
  };
}

/**
 * Makes one call for the scopes of each slot, all in one tick.
 *
 * @param ask - Returns one result per scope, in their order.
 */
async function askScopes<Result>(
  scopes: readonly string[],
  ask: (slot: string, own: readonly string[]) => Promise<readonly Result[]>,
): Promise<ReadonlyMap<string, Result>> {
  const bySlot = Map.groupBy(new Set(scopes), slotOfScope);
  const answers = await Promise.all(
    Array.from(bySlot, async ([slot, own]) => {
      const results = await ask(slot, own);
      return results.map((result, at) => [own[at] ?? '', result] as const);
    }),
  );
  return new Map(answers.flat());
}

/** How many records one script deletes: it blocks the server meanwhile. */
const recordsAtOnce = 200;

const sweptCount = z.number();
const sweptWorkspace = z.tuple([z.number(), z.number()]);

/** Deletes expired records of a page of workspaces at a time, then expired claims. */
function redisSweep(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): (limit: number) => Promise<number> {
  async function sweepWorkspace(workspace: string, limit: number) {
    const values = [clock.retention(), String(oldestSpendingDay(clock.now())), String(limit)];
    const reply = await commands.run(forgetting('sweep'), workspace, values);
    const [count, isEmpty] = sweptWorkspace.parse(reply);
    return { workspace, count, isEmpty: isEmpty === 1 };
  }

  /** Asks in parallel, because the server may be far away and most workspaces have nothing expired. */
  async function sweepPage(page: readonly string[], limit: number): Promise<number> {
    let swept = 0;
    for (let due = page; due.length > 0 && swept < limit; ) {
      const some = due.slice(0, limit - swept);
      const most = Math.min(recordsAtOnce, Math.floor((limit - swept) / some.length));
      const found = await Promise.all(some.map((one) => sweepWorkspace(one, most)));
      swept += found.reduce((sum, { count }) => sum + count, 0);
      const namesOf = (which: typeof found) => which.map(({ workspace }) => workspace);
      await workspaces.delist(namesOf(found.filter(({ isEmpty }) => isEmpty)));
      const unfinished = found.filter(({ count, isEmpty }) => count === most && !isEmpty);
      due = [...due.slice(some.length), ...namesOf(unfinished)];
    }
    return swept;
  }

  return async (limit) => {
    let swept = 0;
    for await (const page of workspaces.pages()) {
      swept += await sweepPage(page, limit - swept);
      if (swept === limit) return swept;
    }
    const values = [String(clock.now()), String(limit - swept)];
    const reply = await commands.run(upkeep('sweep-claims'), claimsSlot, values);
    return swept + sweptCount.parse(reply);
  };
}

const storedScopes = z.array(z.array(z.string()));

/** Stores settings as one hash per scope, beside a sorted set of those that expire. */
export function redisSettingsStore(commands: Commands, clock: Clock): SettingsStore {
  const read = settingsReader(commands, clock);
  return {
    read: async (scopes) => (await read(scopes)).map(settingsByName),
    write: async (scope, changes, by, limit) => {
      const values = Object.entries(changes).flatMap(([name, value]) => [
        name,
        value === null ? '' : JSON.stringify({ value, ...by }),
      ]);
      const { prefix = '', most = '' } = limit ?? {};
      const reply = await commands.run(upkeep('write-settings'), slotOfScope(scope), [
        ...[scope, `${clock.now()}`, `${by.expiresAt ?? ''}`, prefix, `${most}`, ...values],
      ]);
      return reply === 'written';
    },
  };
}

/** Reads the unexpired settings of each scope, in the order requested. */
export function settingsReader(
  commands: Commands,
  clock: Clock,
): (scopes: readonly string[]) => Promise<readonly (readonly KeptSetting[])[]> {
  return async (scopes) => {
    const kept = await askScopes(scopes, async (slot, own) =>
      storedScopes.parse(await commands.run(upkeep('read-settings'), slot, own)),
    );
    return scopes.map((scope) => readScope(kept.get(scope) ?? [], scope, clock.now()));
  };
}

/** @param flat - Alternating names and values. */
function readScope(flat: readonly string[], scope: string, now: number): readonly KeptSetting[] {
  return pairsOf(flat).flatMap(([name, json]) => {
    const record = `Setting ${name} of ${scope}`;
    const fields = { ...readJsonObject(json, record), scope, name };
    const kept = parseRecord(settingSchema, fields, record);
    return kept.expiresAt === undefined || kept.expiresAt > now ? [kept] : [];
  });
}

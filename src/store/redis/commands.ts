/** The seam between what the store does and how a server is reached: scripts in Lua, several in a file. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { retentionMsOf } from '../checks.ts';
import { mostRemembered } from '../store.ts';

/** One or several servers that run scripts. */
export interface Commands {
  /**
   * Runs a script. What is asked for in one tick of the event loop goes out together, in order for each
   * server.
   *
   * When the connection breaks before the answer is there, the same is sent again: scripts that write
   * are given a name of the call, by which they know it again. Waits a bounded time for the server.
   *
   * @param slot - What the keys begin with that it reaches; all of them are in one slot of a cluster.
   * @returns What the script returns: text, whole numbers, `null` and lists of these.
   * @throws {@link StoreError} in words for the operator.
   */
  run(script: Script, slot: string, values: readonly string[]): Promise<unknown>;
  /**
   * Names of keys on all servers, one server after the other; for maintenance. One may come twice.
   *
   * @param limit - About how many keys are looked at once.
   */
  scan(pattern: string, limit: number): AsyncIterable<readonly string[]>;
  /** Waits for what is under way, and lets go of the server. */
  close(): Promise<void>;
}

/**
 * What a script names as its keys. There are none of these names; those that it reaches begin with the
 * first. While a cluster moves a slot, its keys are on two servers, and a script would find half of
 * them: but one that names two keys which a server has not both is refused by it, before its first
 * change, until the slot is where it belongs.
 */
export function keysOfSlot(slot: string): readonly [string, string] {
  return [slot, `${slot}moving`];
}

const scanned = z.tuple([z.string(), z.array(z.string())]);

/**
 * Goes through the keys of a server.
 *
 * @param scan - Sends `SCAN` with the cursor that it is given.
 */
export async function* scanServer(
  scan: (cursor: string) => Promise<unknown>,
): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, keys] = scanned.parse(await scan(cursor));
    yield keys;
    cursor = next;
  } while (cursor !== '0');
}

/** Names and values of a hash, which come in turn. */
export function pairsOf(flat: readonly string[]): readonly (readonly [string, string])[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []));
}

/**
 * Asks for what is in several slots: one call for each slot, all in one tick.
 *
 * @param ask - Gives one result for each of the items, in their order.
 * @returns The results in the order of all items.
 */
export async function eachSlot<Item, Result>(
  items: readonly Item[],
  slotOf: (item: Item) => string,
  ask: (slot: string, own: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const placed = items.map((item, index) => ({ item, index }));
  const bySlot = Map.groupBy(placed, ({ item }) => slotOf(item));
  const answers = await Promise.all(
    [...bySlot].map(async ([slot, own]) => {
      const results = await ask(
        slot,
        own.map(({ item }) => item),
      );
      return results.map((result, at) => ({ result, index: own[at]?.index ?? 0 }));
    }),
  );
  return answers
    .flat()
    .toSorted((one, other) => one.index - other.index)
    .map(({ result }) => result);
}

/** How long what was said is kept, and what time it is. */
export interface Keeping {
  /** Days, above 0, after which turns and messages are gone. Absent: they are kept. */
  readonly retentionDays?: number;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** The time as the scripts take it. */
export interface Clock {
  now(): number;
  /**
   * What was made before this moment (ms since 1970) has expired, and what time it is, by which a
   * script tells whether a workspace keeps things for less long: `<kept since> <now>`.
   */
  keeping(): string;
}

/** Throws a RangeError for a retention of no time. */
export function clockOf({ retentionDays, now = Date.now }: Keeping): Clock {
  const retentionMs = retentionMsOf(retentionDays);
  return {
    now,
    keeping: () => {
      const time = now();
      return `${Math.max(time - retentionMs, Number.MIN_SAFE_INTEGER)} ${time}`;
    },
  };
}

/** A script that a server runs as one step: all of it or, when it refuses, nothing. */
export interface Script {
  readonly source: string;
  /** By which the server knows a source that it has seen. */
  readonly sha1: string;
}

/**
 * Reads a file of scripts. Each begins with a line `--- name`; what stands before the first belongs to
 * all of them.
 *
 * @param prelude - What all of them begin with besides.
 * @returns Gives a script by its name.
 */
export function scriptsIn(file: URL, prelude = ''): (name: string) => Script {
  const [common = '', ...sections] = readFileSync(file, 'utf8').split(/^--- /m);
  const scripts = new Map(
    sections.map((section) => {
      const [name = ''] = section.split('\n', 1);
      const source = [prelude, common, section.slice(name.length + 1)].join('\n');
      return [name, { source, sha1: createHash('sha1').update(source).digest('hex') }];
    }),
  );
  return (name) => {
    const script = scripts.get(name);
    if (script === undefined) throw new Error(`${file.pathname} has no script ${name}.`);
    return script;
  };
}

const fileOf = (name: string) => new URL(`scripts/${name}.lua`, import.meta.url);
const prelude = `local most_remembered = ${mostRemembered}\n${readFileSync(fileOf('prelude'), 'utf8')}`;

/** The scripts of the store, each with the prelude before it. @param name - Of a file in the folder `scripts`. */
export function storeScripts(name: string): (name: string) => Script {
  return scriptsIn(fileOf(name), prelude);
}

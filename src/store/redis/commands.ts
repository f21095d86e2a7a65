/** The interface between the store and its transports, and the Lua scripts that travel over it. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { retentionMsOf } from '../checks.ts';
import { mostRemembered, type RetentionOptions } from '../store.ts';

/** One or several servers that run scripts. */
export interface Commands {
  /**
   * Runs a script. Calls made in one tick of the event loop are pipelined, in order for each server.
   *
   * If the connection breaks before the reply, the call is sent again: scripts that aren't idempotent get a
   * call id to recognise repeats. Waits a bounded time for the server.
   *
   * @param slot - The prefix of all keys the script uses; they share one slot of a cluster.
   * @returns The script's reply: text, integers, `null` and lists of these.
   * @throws {@link StoreError} with a message for the operator.
   */
  run(script: Script, slot: string, values: readonly string[]): Promise<unknown>;
  /**
   * Lists keys of all servers, one server after the other, for maintenance. A key may come twice.
   *
   * @param limit - About how many keys to check at once.
   */
  scan(pattern: string, limit: number): AsyncIterable<readonly string[]>;
  /** Waits for pending calls, then disconnects. */
  close(): Promise<void>;
}

/**
 * The keys to declare for a script: the prefix of the keys it really uses, and a second one. Neither exists.
 * While a cluster moves a slot, its keys are on two servers and a script would find only some of them. Because
 * of the two declared keys, the cluster refuses the script (TRYAGAIN), before its first write, until the move
 * is done.
 */
export function keysOfSlot(slot: string): readonly [string, string] {
  return [slot, `${slot}moving`];
}

const scanned = z.tuple([z.string(), z.array(z.string())]);

/** Lists the keys of a server. @param scan - Sends `SCAN` with the given cursor. */
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

/** Pairs the alternating names and values of a hash. */
export function pairsOf(flat: readonly string[]): readonly (readonly [string, string])[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []));
}

/** The time, as scripts take it. */
export type Clock = ReturnType<typeof clockOf>;

/** Throws a RangeError unless the retention is above 0. */
export function clockOf({ retentionDays, now = Date.now }: RetentionOptions) {
  const retentionMs = retentionMsOf(retentionDays);
  return {
    now,
    /**
     * `<kept since> <now>` in ms since 1970: older records have expired, and by `now` a script computes a
     * workspace's shorter retention.
     */
    retention: () => {
      const time = now();
      return `${Math.max(time - retentionMs, Number.MIN_SAFE_INTEGER)} ${time}`;
    },
  };
}

/** A script that a server runs atomically. */
export interface Script {
  readonly source: string;
  /** Identifies a source that the server has loaded. */
  readonly sha1: string;
}

/**
 * Reads a file of scripts. Each begins with a line `--- name`; code before the first is shared by all.
 *
 * @param prelude - Code to put before every script.
 * @returns A function from a name to its script.
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

/** The store's scripts, each with the prelude. @param name - Of a file in the folder `scripts`. */
export function storeScripts(name: string): (name: string) => Script {
  return scriptsIn(fileOf(name), prelude);
}

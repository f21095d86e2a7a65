/** The seam between what the store does and how a server is reached. */

import { z } from 'zod';
import { retentionMsOf } from '../retention.ts';
import type { Script } from './script.ts';

/** A portion of the keys that there are. */
interface ScannedKeys {
  readonly keys: readonly string[];
  /** To be given for the next portion; absent: this was the last. */
  readonly next?: string;
  /** How much is gone through by now, from 0 to 1. */
  readonly share: number;
}

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
   * Gives names of keys, on all servers, one after the other; for maintenance. One may come twice.
   *
   * @param cursor - `next` of the portion before; absent: from the beginning.
   * @param limit - About how many keys are looked at.
   */
  scan(cursor: string | undefined, pattern: string, limit: number): Promise<ScannedKeys>;
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

const cursorSchema = z.object({ server: z.string(), from: z.string(), seen: z.number() });
const keyCount = z.number();
const scanned = z.tuple([z.string(), z.array(z.string())]);

/** A portion of one server's keys. */
interface ScannedPart {
  readonly keys: readonly string[];
  /** `0` when this was the last. */
  readonly next: string;
  /** How many keys were looked at, and how many there are on the server. */
  readonly looked: number;
  readonly size: number;
}

/** Reads what `SCAN` and `DBSIZE` give. */
export function scannedPart(keys: unknown, size: unknown, looked: number): ScannedPart {
  const [next, found] = scanned.parse(keys);
  return { keys: found, next, looked, size: keyCount.parse(size) };
}

/**
 * The portion behind a cursor. A server that is no more is passed over, with those before it: the server that
 * has its keys now comes behind it, or is gone through again from the beginning.
 *
 * @param servers - By address; those that there are now.
 * @param scan - Gives the portion of a server that comes from a place on, `0` at first.
 */
export async function scanServers(
  cursor: string | undefined,
  servers: readonly string[],
  scan: (server: string, from: string) => Promise<ScannedPart>,
): Promise<ScannedKeys> {
  const inOrder = servers.toSorted();
  const first = { server: inOrder[0] ?? '', from: '0', seen: 0 };
  const at = cursor === undefined ? first : cursorSchema.parse(JSON.parse(cursor));
  const index = inOrder.findIndex((server) => server >= at.server);
  const server = inOrder[index];
  if (server === undefined) return { keys: [], share: 1 };
  const { from, seen } = server === at.server ? at : { from: '0', seen: 0 };
  const part = await scan(server, from);
  const following = inOrder[index + 1];
  const isLast = part.next === '0';
  const ofServer = isLast ? 1 : Math.min(1, (seen + part.looked) / Math.max(1, part.size));
  const share = (index + ofServer) / inOrder.length;
  if (!isLast) {
    const next = JSON.stringify({ server, from: part.next, seen: seen + part.looked });
    return { keys: part.keys, next, share };
  }
  if (following === undefined) return { keys: part.keys, share };
  const next = JSON.stringify({ server: following, from: '0', seen: 0 });
  return { keys: part.keys, next, share };
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
  const placed = items.map((item, place) => ({ item, place }));
  const bySlot = Map.groupBy(placed, ({ item }) => slotOf(item));
  const answers = await Promise.all(
    [...bySlot].map(async ([slot, own]) => {
      const results = await ask(
        slot,
        own.map(({ item }) => item),
      );
      return results.map((result, at) => ({ result, place: own[at]?.place ?? 0 }));
    }),
  );
  return answers
    .flat()
    .toSorted((one, other) => one.place - other.place)
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

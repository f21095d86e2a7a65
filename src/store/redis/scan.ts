/** Goes through the keys of one server after the other. */

import { z } from 'zod';
import type { ScannedKeys } from './commands.ts';

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
 * The portion behind a cursor. A server that is no more is passed over, with those before it: whoever
 * has its keys by then comes behind it, or is gone through again from the beginning.
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

/** Goes through everything on a server: threads by their index, then what belongs to none. */

import { z } from 'zod';
import type { Archive, ArchiveRecord, Portion } from '../../archive.ts';
import type { Clock } from '../clock.ts';
import type { Commands } from '../commands.ts';
import {
  claimKeys,
  forgottenPattern,
  settingsPattern,
  spendingKey,
  threadsKey,
  workspaceOfKey,
} from '../keys.ts';
import { archiveScripts } from './archive-scripts.ts';
import { readThreadItem } from './items.ts';
import { settingsReader } from './settings.ts';

/** How much of the whole each part is taken for. */
const threadsShare = 0.9;
const spendingShare = 0.92;
const claimsShare = 0.95;

const cursorSchema = z.discriminatedUnion('at', [
  z.object({
    at: z.literal('threads'),
    place: z.tuple([z.number(), z.string(), z.number(), z.number()]),
  }),
  z.object({ at: z.literal('spending'), offset: z.number() }),
  z.object({ at: z.literal('claims'), offset: z.number() }),
  z.object({ at: z.enum(['forgotten', 'settings']), scan: z.string() }),
]);
type Cursor = z.infer<typeof cursorSchema>;

interface Found {
  readonly records: readonly ArchiveRecord[];
  readonly next?: Cursor;
  readonly share: Portion['share'];
}

const threads = z.tuple([
  z.array(z.array(z.unknown())),
  z.tuple([z.number(), z.string(), z.number(), z.number()]),
  z.number(),
]);
const spending = z.array(z.tuple([z.string(), z.array(z.string())]));
const claims = z.array(z.tuple([z.string(), z.coerce.number(), z.string().nullable()]));
const forgotten = z.array(z.array(z.string()));
const scanned = z.tuple([z.string(), z.array(z.string()), z.number()]);

export function archiveReader(commands: Commands, clock: Clock): Archive['read'] {
  const readSettings = settingsReader(commands, clock);

  async function readThreads(
    { place }: Extract<Cursor, { at: 'threads' }>,
    limit: number,
  ): Promise<Found> {
    const reply = await commands.run(
      archiveScripts.readThreads,
      [threadsKey],
      [...place, limit].map(String),
    );
    const [items, next, count] = threads.parse(reply);
    const isLast = next[1] === 'end';
    return {
      records: items.map(readThreadItem),
      next: isLast ? { at: 'spending', offset: 0 } : { at: 'threads', place: next },
      share: isLast ? threadsShare : (threadsShare * next[0]) / count,
    };
  }

  async function readSpending(offset: number, limit: number): Promise<Found> {
    const reply = spending.parse(
      await commands.run(archiveScripts.readSpending, [spendingKey], [offset, limit].map(String)),
    );
    return {
      records: reply.flatMap(([scope, days]) =>
        pairs(days).map(([day, sum]) => ({
          kind: 'spending' as const,
          scope,
          day: Number(day),
          costUsd: Number(sum),
        })),
      ),
      next:
        reply.length === 0
          ? { at: 'claims', offset: 0 }
          : { at: 'spending', offset: offset + reply.length },
      share: spendingShare,
    };
  }

  async function readClaims(offset: number, limit: number): Promise<Found> {
    const values = [clock.now(), offset, limit].map(String);
    const reply = claims.parse(
      await commands.run(archiveScripts.readClaims, [...claimKeys], values),
    );
    return {
      records: reply
        // Beside them, calls are remembered that have spent; they mean nothing elsewhere.
        .filter(([key, , call]) => key !== `spent ${call}`)
        .map(([key, expiresAt]) => ({ kind: 'claim' as const, key, expiresAt })),
      next:
        reply.length === 0
          ? { at: 'forgotten', scan: '0' }
          : { at: 'claims', offset: offset + reply.length },
      share: claimsShare,
    };
  }

  /** Goes through the keys of one kind. */
  async function readKeys(
    { at, scan }: Extract<Cursor, { scan: string }>,
    limit: number,
  ): Promise<Found> {
    const isSettings = at === 'settings';
    const pattern = isSettings ? settingsPattern : forgottenPattern;
    const [next, keys] = scanned.parse(
      await commands.run(archiveScripts.scan, [], [scan, pattern, String(limit)]),
    );
    const unique = [...new Set(keys)];
    const records = await (isSettings ? readSettings(unique) : readForgotten(unique));
    if (next !== '0') return { records, next: { at, scan: next }, share: claimsShare };
    return isSettings
      ? { records, share: 1 }
      : { records, next: { at: 'settings', scan: '0' }, share: claimsShare };
  }

  async function readForgotten(keys: readonly string[]): Promise<readonly ArchiveRecord[]> {
    if (keys.length === 0) return [];
    const reply = await commands.run(archiveScripts.readForgotten, keys, [String(clock.now())]);
    return forgotten.parse(reply).flatMap((events, at) => {
      const workspace = workspaceOfKey(keys[at] ?? '');
      return pairs(events).map(([eventId, expiresAt]) => ({
        ...({ kind: 'forgotten', workspace, eventId, expiresAt: Number(expiresAt) } as const),
      }));
    });
  }

  function readAt(cursor: Cursor, limit: number): Promise<Found> {
    switch (cursor.at) {
      case 'threads':
        return readThreads(cursor, limit);
      case 'spending':
        return readSpending(cursor.offset, limit);
      case 'claims':
        return readClaims(cursor.offset, limit);
      case 'forgotten':
      case 'settings':
        return readKeys(cursor, limit);
    }
  }

  return async (cursor, limit) => {
    const from: Cursor =
      cursor === undefined
        ? { at: 'threads', place: [0, 'turns', 0, 0] }
        : cursorSchema.parse(JSON.parse(cursor));
    const { records, next, share } = await readAt(from, limit);
    return { records, ...(next !== undefined && { next: JSON.stringify(next) }), share };
  };
}

/** Names and values of a hash, which come in turn. */
function pairs(flat: readonly string[]): readonly (readonly [string, string])[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []));
}

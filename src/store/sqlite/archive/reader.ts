/** Goes through everything in a file: thread by thread, then what belongs to none. */

import { z } from 'zod';
import type { Archive, ArchiveRecord, Portion } from '../../archive.ts';
import { parseRecord } from '../../records.ts';
import type { Connection } from '../connection.ts';
import { readSetting, settingColumns } from '../rows.ts';
import { type ThreadPlace, threadPlace, threadReader } from './thread-reader.ts';

/** How much of the whole the threads are taken for. */
const threadsShare = 0.95;
const sections = ['spending', 'claims', 'forgotten', 'settings'] as const;

const cursorSchema = z.discriminatedUnion('at', [
  z.object({ at: z.literal('threads'), place: threadPlace, done: z.number(), count: z.number() }),
  z.object({ at: z.enum(sections), offset: z.number() }),
]);
type Cursor = z.infer<typeof cursorSchema>;

interface Found {
  readonly records: readonly ArchiveRecord[];
  readonly next?: Cursor;
}

export function archiveReader(connection: Connection): Archive['read'] {
  const threads = threadReader(connection);
  const readSection = sectionReader(connection);

  function start(): Cursor {
    const place = threads.first();
    return place === undefined
      ? { at: 'spending', offset: 0 }
      : { at: 'threads', place, done: 0, count: threads.count() };
  }

  function readThreads(cursor: Extract<Cursor, { at: 'threads' }>, limit: number): Found {
    const records: ArchiveRecord[] = [];
    let place: ThreadPlace | undefined = cursor.place;
    let { done } = cursor;
    while (place !== undefined && records.length < limit) {
      const before: ThreadPlace = place;
      const part = threads.read(before, limit - records.length);
      records.push(...part.records);
      place = part.next;
      if (place?.thread !== before.thread) done += 1;
    }
    const next: Cursor =
      place === undefined ? { at: 'spending', offset: 0 } : { ...cursor, place, done };
    return { records, next };
  }

  function readAt(cursor: Cursor, limit: number): Found {
    if (cursor.at === 'threads') return readThreads(cursor, limit);
    const { at, offset } = cursor;
    const records = readSection[at](offset, limit);
    const following = sections[sections.indexOf(at) + 1];
    if (records.length === limit) return { records, next: { at, offset: offset + limit } };
    return { records, ...(following !== undefined && { next: { at: following, offset: 0 } }) };
  }

  return async (cursor, limit) =>
    connection.read(() => {
      const from = cursor === undefined ? start() : cursorSchema.parse(JSON.parse(cursor));
      const { records, next } = readAt(from, limit);
      return {
        records,
        ...(next !== undefined && { next: JSON.stringify(next) }),
        share: shareOf(next),
      };
    });
}

function shareOf(next: Cursor | undefined): Portion['share'] {
  if (next === undefined) return 1;
  return next.at === 'threads' ? (threadsShare * next.done) / next.count : threadsShare;
}

type Section = (offset: number, limit: number) => readonly ArchiveRecord[];

const spendingRow = z.object({ scope: z.string(), day: z.number(), cost_usd: z.number() });
const claimRow = z.object({ key: z.string(), expires_at: z.number() });
const forgottenRow = z.object({
  event_id: z.string(),
  workspace: z.string(),
  expires_at: z.number(),
});
/** Reads what belongs to no thread. Works inside the caller's `read`. */
function sectionReader(
  connection: Connection,
): Readonly<Record<'spending' | 'claims' | 'forgotten' | 'settings', Section>> {
  const spending = connection.prepare(
    'SELECT scope, day, cost_usd FROM spending ORDER BY scope, day LIMIT ?2 OFFSET ?1',
  );
  const claims = connection.prepare(
    'SELECT key, expires_at FROM claims WHERE expires_at > ?3 ORDER BY key LIMIT ?2 OFFSET ?1',
  );
  const forgotten = connection.prepare(`
    SELECT event_id, workspace, expires_at FROM forgotten_events WHERE expires_at > ?3
    ORDER BY event_id LIMIT ?2 OFFSET ?1`);
  const settings = connection.prepare(`
    SELECT ${settingColumns.names} FROM settings
    WHERE expires_at IS NULL OR expires_at > ?3 ORDER BY scope, name LIMIT ?2 OFFSET ?1`);
  return {
    spending: (offset, limit) =>
      spending.all(offset, limit).map((row) => {
        const { scope, day, cost_usd } = parseRecord(spendingRow, row, 'A sum of spending');
        return { kind: 'spending', scope, day, costUsd: cost_usd };
      }),
    claims: (offset, limit) =>
      claims.all(offset, limit, connection.now()).map((row) => {
        const { key, expires_at } = parseRecord(claimRow, row, 'A claim');
        return { kind: 'claim', key, expiresAt: expires_at };
      }),
    forgotten: (offset, limit) =>
      forgotten.all(offset, limit, connection.now()).map((row) => {
        const { event_id, workspace, expires_at } = parseRecord(forgottenRow, row, 'An event');
        return { kind: 'forgotten', workspace, eventId: event_id, expiresAt: expires_at };
      }),
    settings: (offset, limit) =>
      settings
        .all(offset, limit, connection.now())
        .map((row) => ({ kind: 'setting', ...readSetting(row) })),
  };
}

/** Goes through everything in a file: thread by thread, then what belongs to none. */

import { z } from 'zod';
import type { Archive, ArchiveRecord, Portion } from '../../archive.ts';
import type { Connection } from '../connection.ts';
import { sectionReader } from './sections.ts';
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

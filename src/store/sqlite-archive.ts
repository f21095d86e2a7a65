/** The store in a SQLite file as a whole, for maintenance. */

import { z } from 'zod';
import type { Archive, Orphan } from './archive.ts';
import { parseRecord } from './records.ts';
import { archiveReader } from './sqlite/archive/reader.ts';
import { archiveWriter } from './sqlite/archive/writer.ts';
import { type Connection, openConnection, type SqliteStoreOptions } from './sqlite/connection.ts';
import { sqliteStore } from './sqlite.ts';

/** Nothing is too old for it. Throws as `openSqliteStore` does. */
export function openSqliteArchive(options: Omit<SqliteStoreOptions, 'retentionDays'>): Archive {
  const connection = openConnection(options);
  return {
    store: sqliteStore(connection),
    read: archiveReader(connection),
    write: archiveWriter(connection),
    examine: examiner(connection),
  };
}

/** Each finds rows of `seq` and `record`, and mends the row of a `seq`. */
const checks = [
  {
    problem: 'a message of a turn that is gone',
    find: `
      SELECT seq, 'message ' || id || ' of turn ' || coalesce(turn_id, '') AS record FROM messages
      WHERE turn_seq IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.seq = turn_seq)`,
    mend: 'DELETE FROM messages WHERE seq = ?',
  },
  {
    problem: 'an answer that is still pending, of a turn that has ended',
    find: `
      SELECT messages.seq, 'message ' || id || ' of turn ' || turns.turn_id AS record
      FROM messages JOIN turns ON turns.seq = turn_seq
      WHERE messages.status = 'pending' AND turns.status = 'ended'`,
    mend: 'DELETE FROM messages WHERE seq = ?',
  },
] as const;

const orphanRow = z.object({ seq: z.number(), record: z.string() });
const checkCursor = z.coerce.number().int().nonnegative();

/** One check is one portion, and one transaction. */
function examiner(connection: Connection): Archive['examine'] {
  const prepared = checks.map(({ problem, find, mend }) => ({
    problem,
    find: connection.prepare(find),
    mend: connection.prepare(mend),
  }));
  return async (cursor, { mends }) => {
    const at = cursor === undefined ? 0 : checkCursor.parse(cursor);
    const check = prepared[at];
    const orphans: Orphan[] = [];
    if (check !== undefined) {
      connection.transaction(() => {
        for (const row of check.find.all()) {
          const { seq, record } = parseRecord(orphanRow, row, 'An orphan');
          orphans.push({ problem: check.problem, record });
          if (mends) check.mend.run(seq);
        }
      });
    }
    const next = at + 1;
    return {
      orphans,
      ...(next < checks.length && { next: String(next) }),
      share: next / checks.length,
    };
  };
}

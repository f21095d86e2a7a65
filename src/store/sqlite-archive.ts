/** The store in a SQLite file as a whole, for moving it elsewhere. */

import type { Archive } from './archive.ts';
import { archiveReader } from './sqlite/archive/reader.ts';
import { archiveWriter } from './sqlite/archive/writer.ts';
import { openConnection, type SqliteStoreOptions } from './sqlite/connection.ts';
import { sqliteStore } from './sqlite.ts';

/** Nothing is too old for it. Throws as `openSqliteStore` does. */
export function openSqliteArchive(options: Omit<SqliteStoreOptions, 'retentionDays'>): Archive {
  const connection = openConnection(options);
  return {
    store: sqliteStore(connection),
    read: archiveReader(connection),
    write: archiveWriter(connection),
  };
}

/** Runs as a thread of its own: writes a file anew, and empties its log. Started by `rewriting.ts`. */

import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { z } from 'zod';

/** How long it waits, in milliseconds, for readers of the log before it empties it. */
const readersMs = 10_000;

const { location, folder } = z.object({ location: z.url(), folder: z.string() }).parse(workerData);
const database = new DatabaseSync(new URL(location), { defensive: true, timeout: readersMs });
try {
  // What is kept is first written into a file without a name: memory would have to hold all of it,
  // and the system's own place for such files is often a small one.
  database.exec(`
    PRAGMA temp_store = FILE;
    PRAGMA temp_store_directory = '${folder.replaceAll("'", "''")}';
    PRAGMA synchronous = NORMAL;
  `);
  rewrite();
} finally {
  database.close();
}

function rewrite(): void {
  try {
    database.exec('VACUUM');
  } finally {
    // Also where there was no room: what was written until then is of no use, and takes room.
    emptyLog();
  }
}

function emptyLog(): void {
  const log = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (log?.busy !== 0) throw new Error('The log was being read all the time.');
}

/**
 * Writes a file anew while the event loop goes on: SQLite is synchronous, and for a large file that
 * takes a minute. Meanwhile this process can read as ever and write nothing.
 */

import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../store.ts';
import { describeSqliteError, isFull } from './errors.ts';

/** What is kept is written twice before it takes the old file's place: beside it, and into its log. */
const copies = 2;

interface Rewriting {
  /** The file as SQLite opens it. */
  readonly location: URL;
  readonly path: string;
  /** What is in it, in bytes, without what is free. */
  readonly keptBytes: number;
}

/**
 * Throws {@link StoreError}: `full` where the disk has no room for it, else as for any other work. The
 * file then holds what it held.
 *
 * A thread that is within SQLite can't be interrupted; it ends with the process, which leaves the
 * file as it was.
 */
export async function rewriteInThread({ location, path, keptBytes }: Rewriting): Promise<void> {
  const folder = dirname(path);
  const { bavail, bsize } = await statfs(folder);
  const neededBytes = copies * keptBytes;
  if (bavail * bsize < neededBytes) throw noRoom(path, neededBytes);
  const thread = new Worker(new URL('./rewriting-thread.ts', import.meta.url), {
    workerData: { location: location.href, folder },
    // What the program itself was started with is not for it.
    execArgv: [],
  });
  try {
    const [code] = await once(thread, 'exit');
    if (code !== 0) throw new Error(`The thread that wrote ${path} anew ended with ${code}.`);
  } catch (error) {
    throw isFull(error) ? noRoom(path, neededBytes, error) : describeSqliteError(error, path);
  }
}

function noRoom(path: string, neededBytes: number, cause?: unknown): StoreError {
  const megabytes = Math.ceil(neededBytes / 1e6);
  return new StoreError(
    `${path} still holds traces of what was forgotten: to clear it, it is written anew, which takes ${megabytes} MB of free room on its disk for a while. Free some; it is tried again by itself.`,
    { reason: 'full', cause },
  );
}

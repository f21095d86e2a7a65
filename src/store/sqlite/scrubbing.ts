/**
 * Clears a file of what deleting leaves behind in it, a stretch at a time. SQLite itself would have to
 * write the whole file anew, with every write waiting for it.
 *
 * It writes into the file past SQLite, and only what belongs to nothing: whenever the process dies, the
 * file is sound. What makes that safe is that no other process has the file open, and that SQLite keeps
 * no page in memory which it could write back.
 */

import {
  closeSync,
  fdatasync,
  fstatSync,
  openSync,
  read,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import type { Connection } from './connection.ts';
import { clearDeadSpace, layoutOf, type PageLayout } from './dead-space.ts';
import { damaged } from './errors.ts';

/** How much is cleared at once, in bytes: the event loop stands still for it, some milliseconds. */
const stretchBytes = 4_194_304;
/** SQLite locks some bytes from here on, and nothing is ever in their page. */
const lockedFrom = 1_073_741_824;
const fileHeaderBytes = 100;
/** Of the log. @see https://www.sqlite.org/fileformat2.html#wal_file_format */
const log = { headerBytes: 32, frameHeaderBytes: 24 } as const;

const readAhead = promisify(read);
const flushFile = promisify(fdatasync);

export interface FileScrubber {
  /** Moves what is in the log into the file, and clears these pages and the log: no byte of old text stays in it. */
  emptyLog(): void;
  /** Clears the whole file. Asked for several times, it is done as often, one after another. */
  scrub(): Promise<void>;
}

/** @param stretch - As {@link stretchBytes}; at least a page. */
export function fileScrubber(connection: Connection, stretch: number = stretchBytes): FileScrubber {
  const { path } = connection;
  const logPath = `${path}-wal`;
  const checkpoint = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  const releasePages = connection.prepare('PRAGMA shrink_memory');
  let buffer = Buffer.alloc(0);
  let last: Promise<void> = Promise.resolve();

  function emptyLog(): void {
    connection.read(() => {
      const file = connection.file();
      const pages = file === undefined ? [] : pagesInLog(logPath, layoutIn(file));
      if (checkpoint.get()?.busy !== 0) throw new Error(`The log of ${path} is being read.`);
      releasePages.get();
      for (const page of pages) clear(page, 1);
    });
  }

  function clear(first: number, count: number): void {
    const file = connection.file();
    if (file === undefined) return;
    const layout = layoutIn(file);
    if (buffer.length < count * layout.page) buffer = Buffer.alloc(count * layout.page);
    const start = (first - 1) * layout.page;
    const bytes = readSync(file, buffer, 0, count * layout.page, start);
    for (let at = 0; at + layout.page <= bytes; at += layout.page) {
      const page = buffer.subarray(at, at + layout.page);
      const number = first + at / layout.page;
      const found = clearDeadSpace(page, number, layout);
      if (found === 'damaged') throw damaged(path, `is damaged (page ${number})`);
      if (found === 'cleared') writeSync(file, page, 0, layout.page, start + at);
    }
  }

  async function flush(file: number): Promise<void> {
    await flushFile(file).catch((error: unknown) =>
      connection.read(() => {
        throw error;
      }),
    );
  }

  async function scrubAll(): Promise<void> {
    const file = connection.read(connection.file);
    if (file === undefined) return;
    const layout = layoutIn(file);
    const count = Math.max(1, Math.floor(stretch / layout.page));
    const lockedPage = 1 + lockedFrom / layout.page;
    // What is written meanwhile changes pages that SQLite remembers as they were, and moves some: they are
    // cleared when the log is emptied. If SQLite emptied it by itself, they would be missed.
    connection.read(() => connection.prepare('PRAGMA wal_autocheckpoint = 0').get());
    try {
      const pages = fstatSync(file).size / layout.page;
      for (let first = 1; first <= pages; first += count) {
        if (first === lockedPage) first += 1;
        const ahead = Buffer.alloc(count * layout.page);
        // From a slow disk, while others go on. What can't be read is told below.
        await readAhead(file, ahead, 0, ahead.length, (first - 1) * layout.page).catch(() => 0);
        connection.read(() => clear(first, count));
        // What is not on the disk yet SQLite would wait for, and the event loop with it.
        if (bytesIn(logPath) > stretchBytes) {
          await flush(file);
          emptyLog();
        }
      }
      await flush(file);
      emptyLog();
      await flush(file);
    } finally {
      if (connection.isOpen()) connection.prepare('PRAGMA wal_autocheckpoint = 1000').get();
    }
  }

  return {
    emptyLog,
    scrub: () => {
      const scrubbed = last.then(scrubAll);
      // Its error is for the caller; the next one goes on all the same.
      last = scrubbed.catch(() => undefined);
      return scrubbed;
    },
  };
}

function layoutIn(file: number): PageLayout {
  const header = Buffer.alloc(fileHeaderBytes);
  readSync(file, header, 0, header.length, 0);
  return layoutOf(header);
}

/** 0 where there is no such file. */
function bytesIn(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Each once; some may be from before the log was last emptied. */
function pagesInLog(path: string, layout: PageLayout): Iterable<number> {
  if (bytesIn(path) === 0) return [];
  const number = Buffer.alloc(4);
  const pages = new Set<number>();
  const opened = openSync(path, 'r');
  try {
    let at: number = log.headerBytes;
    while (readSync(opened, number, 0, number.length, at) === number.length) {
      pages.add(number.readUInt32BE());
      at += log.frameHeaderBytes + layout.page;
    }
  } finally {
    closeSync(opened);
  }
  return pages;
}

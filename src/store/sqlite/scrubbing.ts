/**
 * Overwrites what deletions leave behind in a file, a stretch at a time. SQLite's VACUUM would rewrite the
 * whole file and block all writes meanwhile.
 *
 * It writes to the file directly, but only to unused bytes, so the file stays sound whenever the process dies.
 * This is safe because no other process has the file open and SQLite caches no page that it could write back.
 */

import { fdatasync, fstatSync, read, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Connection } from './connection.ts';
import { damaged, describeSqliteError } from './errors.ts';

/** How much to clear at once, in bytes: it blocks the event loop for some milliseconds. */
const stretchBytes = 4_194_304;
/** SQLite locks bytes from this offset on; their page is never used. */
const lockedFrom = 1_073_741_824;
/** The size of the header before the first page's content. */
const fileHeaderBytes = 100;
/** Sizes in the write-ahead log. @see https://www.sqlite.org/fileformat2.html#wal_file_format */
const log = { headerBytes: 32, frameHeaderBytes: 24 } as const;

const readAhead = promisify(read);
const flushFile = promisify(fdatasync);

/** @param stretch - Default {@link stretchBytes}; at least a page. */
export function fileScrubber(connection: Connection, stretch: number = stretchBytes) {
  const { path } = connection;
  const logPath = `${path}-wal`;
  const checkpoint = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  const releasePages = connection.prepare('PRAGMA shrink_memory');
  const stopCheckpoints = connection.prepare('PRAGMA wal_autocheckpoint = 0');
  const resumeCheckpoints = connection.prepare('PRAGMA wal_autocheckpoint = 1000');
  let last: Promise<void> = Promise.resolve();

  /** Checkpoints the log into the file, then clears the log and the pages that were in it. */
  function emptyLog(): void {
    connection.read(() => {
      const file = connection.file();
      if (file === undefined) return;
      const layout = layoutIn(file);
      const pages = pagesInLog(logPath, layout);
      if (checkpoint.get()?.busy !== 0) throw new Error(`The log of ${path} is being read.`);
      releasePages.get();
      for (const page of pages) clear(file, layout, page, Buffer.alloc(layout.page));
    });
  }

  /** @param pages - Takes the pages from the first one on, as many as it has room for. */
  function clear(file: number, layout: PageLayout, first: number, pages: Buffer): void {
    const start = (first - 1) * layout.page;
    const bytes = readSync(file, pages, 0, pages.length, start);
    for (let at = 0; at + layout.page <= bytes; at += layout.page) {
      const page = pages.subarray(at, at + layout.page);
      const number = first + at / layout.page;
      const found = clearDeadSpace(page, number, layout);
      if (found === 'damaged') throw damaged(path, `is damaged (page ${number})`);
      if (found === 'cleared') writeSync(file, page, 0, layout.page, start + at);
    }
  }

  async function scrubAll(): Promise<void> {
    const file = connection.read(connection.file);
    if (file === undefined) return;
    const layout = layoutIn(file);
    const count = Math.max(1, Math.floor(stretch / layout.page));
    const lockedPage = 1 + lockedFrom / layout.page;
    // Pages written meanwhile are cleared when the log is emptied. An automatic checkpoint would bypass that.
    connection.read(() => stopCheckpoints.get());
    try {
      const pages = fstatSync(file).size / layout.page;
      for (let first = 1; first <= pages; first += count) {
        if (first === lockedPage) first += 1;
        const buffer = Buffer.alloc(count * layout.page);
        // Fills the system's cache from a slow disk without blocking. `clear` reports what can't be read.
        await readAhead(file, buffer, 0, buffer.length, (first - 1) * layout.page).catch(() => 0);
        connection.read(() => clear(file, layout, first, buffer));
        // Flush first: otherwise the checkpoint would wait for the disk and block the event loop.
        if (bytesIn(logPath) > stretchBytes) {
          await flushFile(file);
          emptyLog();
        }
      }
      await flushFile(file);
      emptyLog();
      await flushFile(file);
    } catch (error) {
      throw describeSqliteError(error, path);
    } finally {
      if (connection.isOpen()) resumeCheckpoints.get();
    }
  }

  return {
    emptyLog,
    /** Clears the whole file. Concurrent calls run one after another. */
    scrub: (): Promise<void> => {
      const scrubbed = last.then(scrubAll);
      // The caller gets the error; the next scrub runs anyway.
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

/** The size of a file, 0 if it doesn't exist. */
function bytesIn(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The numbers of the pages in the log, possibly including some from before it was last emptied. */
function pagesInLog(path: string, { page }: PageLayout): Iterable<number> {
  const bytes = bytesIn(path) === 0 ? Buffer.alloc(0) : readFileSync(path);
  const pages = new Set<number>();
  for (
    let at: number = log.headerBytes;
    at + 4 <= bytes.length;
    at += log.frameHeaderBytes + page
  ) {
    pages.add(bytes.readUInt32BE(at));
  }
  return pages;
}

// From here on: finding unused bytes in a page. Secure delete overwrites deleted records, but not the copies that
// remain when rows move to another page.

/** In bytes. @see https://www.sqlite.org/fileformat2.html#b_tree_pages */
interface PageLayout {
  readonly page: number;
  /** Without the reserved bytes at the end of each page. */
  readonly usable: number;
}

/** The smallest cell that SQLite allocates. */
const minCell = 4;
const freeBlockHeader = 4;
const childPointer = 4;
const overflowPointer = 4;
/** As long as the largest page. */
const zeros = Buffer.alloc(65_536);

interface TreePage {
  readonly isInterior: boolean;
  readonly isTable: boolean;
}

/** Types of b-tree pages by their first byte. In files under 128 GB, no other page starts with one of these. */
const treePages: ReadonlyMap<number | undefined, TreePage> = new Map([
  [0x02, { isInterior: true, isTable: false }],
  [0x05, { isInterior: true, isTable: true }],
  [0x0a, { isInterior: false, isTable: false }],
  [0x0d, { isInterior: false, isTable: true }],
]);

/** Reads the layout from the first page of a file. */
export function layoutOf(firstPage: Buffer): PageLayout {
  const page = firstPage.readUInt16BE(16);
  // 65,536 doesn't fit into two bytes and is written as 1.
  const bytes = page === 1 ? 65_536 : page;
  return { page: bytes, usable: bytes - firstPage.readUInt8(20) };
}

/**
 * Overwrites the unused bytes of a page with zeros. Used bytes don't change, so an interrupted write of the page
 * does no harm.
 *
 * @param number - The first page is 1.
 * @returns Whether anything was overwritten; `damaged`: the page is invalid and wasn't changed.
 */
export function clearDeadSpace(
  page: Buffer,
  number: number,
  layout: PageLayout,
): 'cleared' | 'clean' | 'damaged' {
  const start = number === 1 ? fileHeaderBytes : 0;
  const tree = treePages.get(page[start]);
  if (!tree) return 'clean';
  const cells = page.readUInt16BE(start + 3);
  const pointers = start + (tree.isInterior ? 12 : 8);
  const used: { readonly from: number; readonly to: number }[] = [];
  for (let cell = 0; cell < cells; cell += 1) {
    const at = pointers + 2 * cell;
    if (at + 2 > layout.usable) return 'damaged';
    const from = page.readUInt16BE(at);
    used.push({ from, to: from + cellBytes(page, from, tree, layout) });
  }
  let block = page.readUInt16BE(start + 1);
  while (block !== 0) {
    if (block + freeBlockHeader > layout.usable) return 'damaged';
    used.push({ from: block, to: block + freeBlockHeader });
    const next = page.readUInt16BE(block);
    if (next !== 0 && next <= block) return 'damaged';
    block = next;
  }
  used.sort((one, other) => one.from - other.from);
  used.push({ from: layout.usable, to: layout.page });
  const dead: (readonly [from: number, to: number])[] = [];
  let end = pointers + 2 * cells;
  for (const { from, to } of used) {
    if (from < end) return 'damaged';
    if (from > end) dead.push([end, from]);
    end = to;
  }
  const dirty = dead.filter(([from, to]) => page.compare(zeros, 0, to - from, from, to) !== 0);
  for (const [from, to] of dirty) page.fill(0, from, to);
  return dirty.length > 0 ? 'cleared' : 'clean';
}

/** The size of a cell in its page. */
function cellBytes(
  page: Buffer,
  from: number,
  { isInterior, isTable }: TreePage,
  { usable }: PageLayout,
): number {
  const head = from + (isInterior ? childPointer : 0);
  const first = varint(page, head);
  // Only a row id; in table leaves, the row id follows the payload size.
  if (isTable && isInterior) return first.end - from;
  const begin = isTable ? varint(page, first.end).end : first.end;
  return Math.max(minCell, begin - from + localBytes(first.value, isTable, usable));
}

/** The part of a record that is in the page itself, not in overflow pages. */
function localBytes(payload: number, isTable: boolean, usable: number): number {
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (payload <= most) return payload;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const evenly = least + ((payload - least) % (usable - overflowPointer));
  return (evenly <= most ? evenly : least) + overflowPointer;
}

/** Reads a varint of 1 to 9 bytes. The value of a 9-byte one is ignored: sizes are small. */
function varint(page: Buffer, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = from; at < from + 8; at += 1) {
    const byte = page[at] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return { value, end: from + 9 };
}

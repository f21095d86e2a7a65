/**
 * The bytes of a SQLite file that belong to no record. Deleting overwrites what it deletes, but not the
 * copies that stay in a page when its rows are moved to another one.
 *
 * @see https://www.sqlite.org/fileformat2.html#b_tree_pages
 */

/** In bytes. */
export interface PageLayout {
  readonly page: number;
  /** Without what is reserved at the end of each page. */
  readonly usable: number;
}

/** Before the first page begins. */
const fileHeader = 100;
/** SQLite gives no cell less room. */
const leastCell = 4;
const freeBlockHeader = 4;
const childPointer = 4;
const overflowPointer = 4;

interface TreePage {
  readonly isInterior: boolean;
  readonly isTable: boolean;
}

/** By their first byte. Of other pages none begins like this in a file of less than 128 GB. */
const treePages: ReadonlyMap<number | undefined, TreePage> = new Map([
  [0x02, { isInterior: true, isTable: false }],
  [0x05, { isInterior: true, isTable: true }],
  [0x0a, { isInterior: false, isTable: false }],
  [0x0d, { isInterior: false, isTable: true }],
]);

/** From the first page of a file. */
export function layoutOf(firstPage: Buffer): PageLayout {
  const page = firstPage.readUInt16BE(16);
  // A size that does not fit into two bytes is written as 1.
  const bytes = page === 1 ? 65_536 : page;
  return { page: bytes, usable: bytes - firstPage.readUInt8(20) };
}

/**
 * Overwrites with zeros what belongs to nothing in a page. What belongs to something stays as it is, so
 * that a write of the page which is broken off does no harm.
 *
 * @param number - The first page is 1.
 * @returns Whether anything was overwritten; `damaged`: the page is not what SQLite writes, and stays.
 */
export function clearDeadSpace(
  page: Buffer,
  number: number,
  layout: PageLayout,
): 'cleared' | 'clean' | 'damaged' {
  const start = number === 1 ? fileHeader : 0;
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
  const dirty = dead.filter(([from, to]) => !isZero(page, from, to));
  for (const [from, to] of dirty) page.fill(0, from, to);
  return dirty.length > 0 ? 'cleared' : 'clean';
}

/** How much of a page a cell takes. */
function cellBytes(
  page: Buffer,
  from: number,
  { isInterior, isTable }: TreePage,
  { usable }: PageLayout,
): number {
  const head = from + (isInterior ? childPointer : 0);
  const first = varint(page, head);
  // A row's number; in the leaves of a table it follows the size.
  if (isTable && isInterior) return first.end - from;
  const begin = isTable ? varint(page, first.end).end : first.end;
  return Math.max(leastCell, begin - from + localBytes(first.value, isTable, usable));
}

/** How much of a record lies in the page itself. */
function localBytes(payload: number, isTable: boolean, usable: number): number {
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (payload <= most) return payload;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const evenly = least + ((payload - least) % (usable - overflowPointer));
  return (evenly <= most ? evenly : least) + overflowPointer;
}

/** A number of 1 to 9 bytes; only of sizes the value matters, and they are small. */
function varint(page: Buffer, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = from; at < from + 8; at += 1) {
    const byte = page[at] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end: at + 1 };
  }
  return { value, end: from + 9 };
}

function isZero(page: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (page[at] !== 0) return false;
  return true;
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clearDeadSpace, layoutOf } from '../../src/store/sqlite/scrubbing.ts';

const secret = 'Zauberspruch';
const pageSizes = [4096, 16_384] as const;
const rowCount = 600;
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'council-dead-space-'));
  path = join(folder, 'some.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Rows of all lengths, in pages of all kinds, written in such an order that they move from page to page. */
function fill(pageBytes: number): void {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA page_size = ${pageBytes};
    PRAGMA secure_delete = ON;
    CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL, name TEXT NOT NULL);
    CREATE INDEX rows_by_name ON rows (name);
    CREATE TABLE named (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
    BEGIN;
  `);
  const put = database.prepare('INSERT OR REPLACE INTO rows VALUES (?, ?, ?)');
  const putNamed = database.prepare('INSERT OR REPLACE INTO named VALUES (?, ?)');
  for (const round of [1, 2]) {
    for (let at = 0; at < rowCount; at += 1) {
      const id = (at * 7919 * round) % (rowCount + 1);
      const said = id % 3 === 0 ? secret : 'Anything';
      const name = `${said} ${(id * 31) % 997} `.repeat(1 + (id % 9));
      // From nothing to more than a page has room for.
      const share = ((id * round * 37) % 41) / 60;
      const text = `${said} in row ${id}. `.repeat((share ** 3 * 5 * pageBytes) / 25);
      put.run(id - 2 ** (id % 40), text, name);
      putNamed.run(name, text);
    }
  }
  database.exec(`
    DELETE FROM rows WHERE name LIKE '${secret}%';
    DELETE FROM named WHERE name LIKE '${secret}%';
    COMMIT;
  `);
  database.close();
}

function everythingIn() {
  const database = new DatabaseSync(path);
  const all = [
    database.prepare('SELECT * FROM rows ORDER BY id').all(),
    database.prepare('SELECT * FROM rows INDEXED BY rows_by_name ORDER BY name, id').all(),
    database.prepare('SELECT * FROM named ORDER BY name').all(),
    database.prepare('PRAGMA integrity_check').all(),
  ];
  database.close();
  return all;
}

describe.each(pageSizes)('in a file with pages of %i bytes', (pageBytes) => {
  test('no byte stays of a row that moved before it was deleted, and every other row does', () => {
    fill(pageBytes);
    const before = everythingIn();
    const file = readFileSync(path);
    expect(file.includes(secret)).toBe(true);
    const layout = layoutOf(file);
    expect(layout).toEqual({ page: pageBytes, usable: pageBytes });
    const found = Map.groupBy(
      Array.from({ length: file.length / pageBytes }, (_, at) =>
        clearDeadSpace(file.subarray(at * pageBytes, (at + 1) * pageBytes), at + 1, layout),
      ),
      (outcome) => outcome,
    );
    expect([...found.keys()].toSorted()).toEqual(['clean', 'cleared']);
    expect(file.includes(secret)).toBe(false);
    writeFileSync(path, file);
    expect(everythingIn()).toEqual(before);
    expect(before.at(-1)).toEqual([{ integrity_check: 'ok' }]);
  });

  test('a page that is not what SQLite writes stays as it is', () => {
    fill(pageBytes);
    const file = readFileSync(path);
    const layout = layoutOf(file);
    for (let at = pageBytes; at < file.length; at += pageBytes) {
      const page = file.subarray(at, at + pageBytes);
      // Two cells in one place, or more of them than a page has room for.
      if (page.readUInt16BE(3) > 1) page.copy(page, 10, 8, 10);
      page.fill(0xff, 3, at % (2 * pageBytes) === 0 ? 5 : 3);
      const damaged = Buffer.from(page);
      clearDeadSpace(page, 2, layout);
      if (clearDeadSpace(page, 2, layout) === 'damaged') expect(page.equals(damaged)).toBe(true);
    }
  });
});

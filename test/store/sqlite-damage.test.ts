import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inspectSqlite, openSqliteStore } from '../../src/store/sqlite.ts';
import { StoreError } from '../../src/store/store.ts';
import { endedTurn, newTurn } from '../contracts/store/samples.ts';

const headerBytes = 100;
const pageBytes = 4096;
let folder: string;
let path: string;
let whole: Buffer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'council-store-'));
  path = join(folder, 'council.db');
  const store = openSqliteStore({ path });
  for (let at = 0; at < 60; at += 1) await endedTurn(store, newTurn(`turn-${at}`), ['taleb']);
  await store.close();
  whole = readFileSync(path);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(bytes: Uint8Array): void {
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
  writeFileSync(path, bytes);
}

/** The file with some bytes that were not in it. */
function overwritten(from: number, bytes: readonly number[]): Uint8Array {
  const damaged = Buffer.from(whole);
  for (const [at, byte] of bytes.entries()) damaged[from + at] = byte;
  return damaged;
}

/** What is said of the file, or that it is sound. */
function found(): string {
  try {
    inspectSqlite(path);
    return 'sound';
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    expect(error.message).toContain(path);
    return `${error.reason}: ${error.message}`;
  }
}

describe('a file that was damaged', () => {
  test('in any byte of its header opens, or is told of in words that say what to do', () => {
    const said = new Set<string>();
    for (let at = 0; at < headerBytes; at += 1) {
      for (const byte of [0, 255, (whole[at] ?? 0) ^ 1, (whole[at] ?? 0) ^ 128]) {
        write(overwritten(at, [byte]));
        said.add(found().split(':')[0] ?? '');
      }
    }
    expect([...said].sort()).toEqual(['corrupt', 'sound', 'too_new']);
  });

  test.each([
    ['without its header', () => overwritten(0, Array(headerBytes).fill(0))],
    ['with another text in it', () => Buffer.from('Not a database. '.repeat(1000))],
    ['cut off in the middle', () => whole.subarray(0, whole.length / 2)],
    ['with a format that nobody knows', () => overwritten(47, [9])],
    ['that says it is of the first version', () => overwritten(60, [0, 0, 0, 0])],
  ])('%s is said to be damaged, with what to do', (_, damage) => {
    write(damage());
    expect(found()).toMatch(/^corrupt: .* damaged .*Replace it with a backup/);
  });

  test('in any page that holds something is found when it is looked through', () => {
    const pages = whole.length / pageBytes;
    const unseen: number[] = [];
    for (let page = 1; page < pages; page += 1) {
      write(overwritten(page * pageBytes, Array(pageBytes).fill(0xaa)));
      if (found() === 'sound') unseen.push(page);
    }
    expect(unseen).toEqual([]);
  });

  test.each(['messages', 'claims', 'settings'])(
    'by somebody who dropped its table %s is said to lack it',
    (table) => {
      const database = new DatabaseSync(path);
      database.exec(`PRAGMA foreign_keys = OFF; DROP TABLE ${table}`);
      database.close();
      const said = `^corrupt: ${path} is damaged \\(no such table: (main\\.)?${table}\\)`;
      expect(found()).toMatch(new RegExp(said));
      expect(() => openSqliteStore({ path })).toThrow(StoreError);
      // Nobody holds the file any more.
      const mending = new DatabaseSync(path);
      mending.exec('BEGIN EXCLUSIVE');
      mending.close();
    },
  );
});

test('a file of no bytes is a new one, and is said to be', () => {
  write(Buffer.alloc(0));
  expect(inspectSqlite(path)).toEqual({ isNew: true });
});

test('a folder is told to be one', () => {
  path = folder;
  expect(found()).toBe(
    `refused: ${folder} is a folder. Set the store's path to a file, e.g. ${folder}/council.db.`,
  );
});

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/store/sqlite/connection.ts';
import { fileScrubber } from '../../src/store/sqlite/scrubbing.ts';
import { inspectSqlite, openSqliteStore, sqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type AskedBy, endedTurn, seatedTurn } from '../bot/forgetting.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { imported, newTurn, threadId, turnKey } from '../contracts/store/samples.ts';
import { onSmallDisk } from './small-disk.ts';

const script = fileURLToPath(new URL('store-process.ts', import.meta.url));
const messageCount = 500;
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'council-scrubbing-'));
  path = join(folder, 'council.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Opens a store with 5 MB in it. */
async function openFilled(): Promise<Store> {
  const store = openSqliteStore({ path });
  await store.messages.append(
    Array.from({ length: messageCount }, (_, at) =>
      imported(`m${at}`, 'human', { content: { text: `Said ${at}. `.repeat(1000) } }),
    ),
  );
  return store;
}

async function countOf(store: Store): Promise<number> {
  return (await store.messages.page(threadId, { limit: messageCount })).length;
}

/** Opens the file in a process of its own; gives what that said. */
async function anotherProcess(): Promise<string> {
  const child = spawn(process.execPath, [script, 'hold', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return text(child.stdout);
}

describe('while its file is cleared, a store', () => {
  test('is read and written as ever', async () => {
    await (await openFilled()).close();
    const connection = openConnection({ path });
    const store = sqliteStore(connection);
    const order: string[] = [];
    const scrubbed = fileScrubber(connection, 1)
      .scrub()
      .then(() => order.push('cleared'));
    const by = { setBy: 'ada', setAt: startOfTime };
    const written = await Promise.all([
      store.claim('key', 60_000),
      store.spend(['scope'], 1),
      store.messages.append([imported('late', 'human')]),
      store.turns.begin(newTurn('asked meanwhile')),
      store.settings.write('channel:c', { depth: 'quick' }, by),
      store.forget({ threadId, turnIds: [], messageIds: ['m0'] }),
      store.sweep(10),
    ]);
    expect(written).toMatchObject([true, undefined, undefined, {}, true, {}, 0]);
    expect(await countOf(store)).toBe(messageCount);
    order.push('written and read');
    await scrubbed;
    expect(order).toEqual(['written and read', 'cleared']);
    expect(await store.turns.read(turnKey('asked meanwhile'))).toBeDefined();
    await store.close();
  });

  test('keeps other processes out, as before and after', async () => {
    const store = await openFilled();
    const refusal = expect.stringMatching(/^refused in_use: /);
    let isOver = false;
    const scrubbed = (async () => {
      while (!isOver) await store.scrub();
    })();
    expect(await anotherProcess()).toEqual(refusal);
    isOver = true;
    await scrubbed;
    expect(await anotherProcess()).toEqual(refusal);
    await store.close();
    expect(await anotherProcess()).toBe('opened\n');
  });

  test('waits to clear it once more', async () => {
    const store = await openFilled();
    await Promise.all([store.scrub(), store.scrub(), store.sweep(1)]);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(await countOf(store)).toBe(messageCount);
    await store.close();
  });

  test('can be closed: what was to be written is, and the file is still to be cleared', async () => {
    const store = await openFilled();
    const scrubbed = expect(store.scrub()).rejects.toMatchObject({ reason: 'unreachable' });
    const claimed = store.claim('key', 60_000);
    await store.close();
    await scrubbed;
    expect(await claimed).toBe(true);
    const again = openSqliteStore({ path });
    expect(await countOf(again)).toBe(messageCount);
    await again.close();
  });

  test('may be killed: its file is sound, with all that was stored, and is cleared by the next one', async () => {
    await (await openFilled()).close();
    for (let kills = 0; kills < 4; kills += 1) {
      const child = spawn(process.execPath, [script, 'scrub', path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const kept: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        if (line.startsWith('kept ')) kept.push(line.slice('kept '.length));
        if (kept.length === 1 + 4 * kills) child.kill('SIGKILL');
      }
      expect(inspectSqlite(path)).toEqual({ isNew: false });
      const store = openSqliteStore({ path });
      for (const turnId of kept) expect(await store.turns.read(turnKey(turnId))).toBeDefined();
      await store.scrub();
      await store.close();
      expect(readFileSync(path).includes('forgotten-')).toBe(false);
    }
  });
});

describe('where rows have moved before they were forgotten', () => {
  let connection: Connection;
  let store: Store;
  const said = { uma: 'Zauberspruch. ', ben: 'Anything. ' } as const;
  let turnIds: Record<keyof typeof said, string[]>;
  const isFound = () => readFileSync(path).includes('Zauberspruch');

  beforeEach(async () => {
    connection = openConnection({ path });
    store = sqliteStore(connection);
    turnIds = { uma: [], ben: [] };
    connection.prepare('PRAGMA wal_autocheckpoint = 0').get();
    for (let round = 0; round < 20; round += 1) {
      const begun: (readonly [string, number, AskedBy])[] = [];
      for (let at = 12 * round; at < 12 * (round + 1); at += 1) {
        const personId = at % 4 === 1 ? 'uma' : 'ben';
        const turnId = `turn ${at}`;
        const asked = { threadId, personId, text: said[personId].repeat(1 + ((at * 37) % 41)) };
        begun.push([turnId, await seatedTurn(store, turnId, asked), asked]);
        turnIds[personId].push(turnId);
      }
      for (const [turnId, attempt, asked] of begun.toReversed()) {
        await endedTurn(store, turnId, attempt, asked);
      }
    }
    await store.forget({ threadId, turnIds: turnIds.uma, messageIds: [] });
  });

  afterEach(() => store.close());

  test('clears the pages of its log as it empties it, wherever they are in the file', () => {
    connection.prepare('PRAGMA wal_checkpoint').get();
    expect(isFound()).toBe(true);
    fileScrubber(connection).emptyLog();
    expect(isFound()).toBe(false);
    expect(readFileSync(path).includes(said.ben)).toBe(true);
    expect(statSync(`${path}-wal`).size).toBe(0);
  });

  test('brings nothing back with the pages that it held in memory', async () => {
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    connection.prepare('PRAGMA cache_size = 100000').get();
    for (const table of ['messages', 'steps', 'turns', 'usage']) {
      connection.prepare(`SELECT * FROM ${table} NOT INDEXED`).all();
    }
    expect(isFound()).toBe(true);
    await store.scrub();
    expect(isFound()).toBe(false);
    await store.forget({ threadId, turnIds: turnIds.ben.slice(0, 90), messageIds: [] });
    connection.prepare('PRAGMA wal_checkpoint').get();
    expect(isFound()).toBe(false);
  });
});

test('a file is cleared where its disk has no room left', (context) => {
  if (onSmallDisk(folder, 'true').status !== 0) {
    context.skip('This machine does not let a user mount a small disk.');
  }
  const run = onSmallDisk(folder, process.execPath, script, 'scrubWithoutRoom', path);
  expect(run.stderr).toBe('');
  expect(run.stdout.trim().split('\n')).toEqual(['log of 0 bytes', 'kept 40']);
});

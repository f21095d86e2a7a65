import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as tick } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { startOfTime } from '../contracts/store/case.ts';
import { imported, newTurn, threadId, turnKey } from '../contracts/store/samples.ts';
import { onSmallDisk } from './small-disk.ts';

const script = fileURLToPath(new URL('store-process.ts', import.meta.url));
const patience = { timeout: 20_000, interval: 1 };
const messageCount = 500;
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'council-rewriting-'));
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

describe('while its file is written anew, a store', () => {
  test('is read as ever, and stores afterwards what is written meanwhile', async () => {
    const store = await openFilled();
    const order: string[] = [];
    const scrubbed = store.scrub().then(() => order.push('rewritten'));
    await tick();
    const by = { setBy: 'ada', setAt: startOfTime };
    const written = Promise.all([
      store.claim('key', 60_000),
      store.spend(['scope'], 1),
      store.messages.append([imported('late', 'human')]),
      store.turns.begin(newTurn('asked meanwhile')),
      store.settings.write('channel:c', { depth: 'quick' }, by),
      store.forget({ threadId, turnIds: [], messageIds: ['m0'] }),
      store.sweep(10),
    ]).then((results) => {
      order.push('written');
      return results;
    });
    expect(await countOf(store)).toBe(messageCount);
    expect(await store.settings.read(['channel:c'])).toEqual([{}]);
    for (let count = 0; count < 20; count += 1) await tick();
    order.push('read');
    await scrubbed;
    expect(await written).toMatchObject([true, undefined, undefined, {}, undefined, {}, 0]);
    expect(order).toEqual(['read', 'rewritten', 'written']);
    expect(await store.turns.read(turnKey('asked meanwhile'))).toBeDefined();
    expect(await store.settings.read(['channel:c'])).toMatchObject([{ depth: {} }]);
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

  test('waits to write it once more, and to empty its log', async () => {
    const store = await openFilled();
    await Promise.all([store.scrub(), store.scrub(), store.sweep(1)]);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(await countOf(store)).toBe(messageCount);
    await store.close();
  });

  test('can be closed: what waits is refused, and what was stored is there', async () => {
    const store = await openFilled();
    const scrubbed = store.scrub();
    await tick();
    const refused = expect(store.claim('key', 1)).rejects.toMatchObject({ reason: 'unreachable' });
    await store.close();
    await scrubbed;
    await refused;
    const again = openSqliteStore({ path });
    expect(await countOf(again)).toBe(messageCount);
    await again.close();
  });

  test('may be killed: what it held is there, and is written anew by the next one', async () => {
    await (await openFilled()).close();
    for (let kills = 0; kills < 4; kills += 1) {
      const child = spawn(process.execPath, [script, 'scrub', path], { stdio: 'inherit' });
      const isWriting = () => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
      await expect.poll(isWriting, patience).toBe(true);
      for (let count = 0; count < kills * 50; count += 1) await tick();
      child.kill('SIGKILL');
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      const store = openSqliteStore({ path });
      expect(await countOf(store)).toBe(messageCount);
      await store.scrub();
      expect(statSync(`${path}-wal`).size).toBe(0);
      expect(await countOf(store)).toBe(messageCount);
      await store.close();
    }
  });
});

test('a file that there is no room to write anew stays as it is, and is written to as ever', (context) => {
  if (onSmallDisk(folder, 'true').status !== 0) {
    context.skip('This machine does not let a user mount a small disk.');
  }
  const run = onSmallDisk(folder, process.execPath, script, 'scrubWithoutRoom', path);
  expect(run.stderr).toBe('');
  const [before, during, ...rest] = run.stdout.trim().split('\n');
  const refusal = /^refused full: .*still holds traces .* takes \d+ MB of free room .* tried again/;
  // Seen before anything is written, and by the thread that writes.
  expect(before).toMatch(refusal);
  expect(during).toMatch(refusal);
  expect(rest).toEqual(['log of 0 bytes', 'written meanwhile', 'rewritten']);
});

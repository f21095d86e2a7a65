/**
 * What clearing a large SQLite file of what was forgotten costs those who use it meanwhile: the longest
 * that a write waits, and the longest that the event loop stands still.
 */

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { openSqliteStore } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { threadName, writeHistory } from './store-history.ts';
import { printTable } from './table.ts';

const messageCounts = [100_000, 1_000_000] as const;
/** Between two writes, in milliseconds. */
const everyMs = 5;

/** @param largest - Leaves out what has more messages. */
export async function benchScrub(largest?: string): Promise<void> {
  const rows: (readonly string[])[] = [];
  for (const count of messageCounts) {
    if (largest !== undefined && count > Number(largest)) continue;
    const folder = await mkdtemp(join(tmpdir(), 'council-scrub-'));
    try {
      rows.push(await scrubOf(join(folder, 'council.db'), count));
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  const header = ['messages', 'file, MB', 'takes, s', 'CPU, s', 'a write waits, ms', 'loop, ms'];
  printTable('A file is cleared of what was forgotten while others write', header, rows);
}

async function scrubOf(path: string, count: number): Promise<readonly string[]> {
  const store = openSqliteStore({ path });
  await writeHistory(store, count);
  for (let thread = 0; thread < 20; thread += 1) await forgetThread(store, threadName(thread));
  const megabytes = (await stat(path)).size / 1e6;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let isOver = false;
  const scrubbed = store.scrub().then(() => {
    isOver = true;
  });
  delay.enable();
  let longestMs = 0;
  for (let write = 0; !isOver; write += 1) {
    const writtenAt = performance.now();
    await store.claim(`claim ${write}`, 60_000);
    longestMs = Math.max(longestMs, performance.now() - writtenAt);
    await wait(everyMs);
  }
  await scrubbed;
  delay.disable();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await store.close();
  const figures = [seconds, (user + system) / 1e6, longestMs, delay.max / 1e6];
  return [`${count}`, megabytes.toFixed(0), ...figures.map((figure) => figure.toFixed(1))];
}

async function forgetThread(store: Store, threadId: string): Promise<void> {
  const turns = await store.turns.list(threadId, { limit: 100 });
  const turnIds = turns.map(({ turnId }) => turnId);
  await store.forget({ threadId, turnIds, messageIds: [] });
}

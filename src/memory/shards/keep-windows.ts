/** Keeps shards: those of windows, one after the other, and corrected ones. Each takes one step of the store. */

import { setImmediate as breathe } from 'node:timers/promises';
import type { MemoryKey, MemoryStore, Shard } from '../../store/store.ts';
import type { Memory } from '../memories.ts';
import type { ShardSource } from './source.ts';
import { editedMark, type ShardWindow, shardIdOf } from './windows.ts';

/** The text of a shard, and its mark. */
export interface ShardText {
  readonly text: string;
  readonly mark?: string;
}

/** Says in short what was said. */
export type Compress = (sources: readonly ShardSource[], signal: AbortSignal) => Promise<ShardText>;

/**
 * What was kept stays kept when it breaks off; the next time begins with the first window that was not.
 *
 * @returns Whether all was kept: of what was forgotten in the meantime, nothing is.
 * @throws What the store or `compress` throws; the signal's reason when it is aborted.
 */
export async function keepWindows(
  store: MemoryStore,
  threadId: string,
  windows: readonly ShardWindow[],
  compress: Compress,
  signal: AbortSignal,
): Promise<boolean> {
  let isAllKept = true;
  for (const window of windows) {
    signal.throwIfAborted();
    const made = await compress(window.sources, signal);
    const isKept = await store.keepShard(shardOf(threadId, window, made), window.supersedes);
    isAllKept &&= isKept;
    // Whatever waits goes first.
    await breathe(undefined, { signal });
  }
  return isAllKept;
}

/** Private as soon as one of its sources is. It has the time of the last, and expires with the first. */
function shardOf(threadId: string, { id, sources }: ShardWindow, { text, mark }: ShardText): Shard {
  return {
    ...{ id, threadId, text },
    sourceIds: sources.map((source) => source.id),
    isPrivate: sources.some(({ isPrivate }) => isPrivate),
    createdAt: Math.max(...sources.map(({ createdAt }) => createdAt)),
    agesFrom: Math.min(...sources.map(({ agesFrom }) => agesFrom)),
    ...(mark !== undefined && { mark }),
  };
}

/**
 * Puts a text in the place of a shard's: a shard of the same sources and time that supersedes it, is
 * marked as edited, and is never made anew.
 *
 * @returns Nothing when what it was made of is gone. Throws what the store throws.
 */
export async function correctShard(
  store: MemoryStore,
  shard: Memory,
  text: string,
): Promise<MemoryKey | undefined> {
  const { threadId, sourceIds, isPrivate, createdAt, agesFrom } = shard;
  const id = shardIdOf([shard.id, text]);
  const corrected = {
    ...{ id, threadId, text, sourceIds, isPrivate, createdAt, agesFrom },
    mark: editedMark,
  };
  const isKept = await store.keepShard(corrected, [shard.id]);
  return isKept ? { kind: 'shard', threadId, id } : undefined;
}

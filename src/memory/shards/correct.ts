import { createHash } from 'node:crypto';
import type { MemoryKey, MemoryStore } from '../../store/store.ts';
import type { Memory } from '../memories.ts';
import { editedMark } from './windows.ts';

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
  const id = createHash('sha256')
    .update(JSON.stringify([shard.id, text]))
    .digest('base64url')
    .slice(0, 22);
  const corrected = {
    ...{ id, threadId, text, sourceIds, isPrivate, createdAt, agesFrom },
    mark: editedMark,
  };
  const isKept = await store.keepShard(corrected, [shard.id]);
  return isKept ? { kind: 'shard', threadId, id } : undefined;
}

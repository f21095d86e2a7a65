import { createHash } from 'node:crypto';
import type { MemoryKey } from '../store/store.ts';
import { messageKey, shardKey } from './memories.ts';

const digits = 10;

/**
 * How people name a memory: ten digits and letters from a to f, the same wherever it is shown. It is made of the
 * memory's key and tells nothing of it; whoever is given one has to look among what the place may see.
 */
export function memoryId(key: MemoryKey): string {
  const known = key.kind === 'shard' ? shardKey(key) : messageKey(key);
  return createHash('sha256').update(known).digest('hex').slice(0, digits);
}

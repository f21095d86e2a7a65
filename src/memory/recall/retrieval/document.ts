import { compareTexts } from '../../../domain/words.ts';

/** Something that was said, or a shard made of it. */
export interface MemoryDocument {
  /** Unique in its index. */
  readonly key: string;
  readonly kind: 'message' | 'shard';
  /** Messages next to each other in it are about the same thing. */
  readonly threadId: string;
  /** The turn of the council that it belongs to; absent for a shard, and for what was imported. */
  readonly turnId?: string;
  /** Name of who said it; empty for a shard. */
  readonly speaker: string;
  /** All that it can be found by. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Tells documents of one thread and moment apart: the lower one came first. */
  readonly position: number;
}

type Placed = Pick<MemoryDocument, 'createdAt' | 'threadId' | 'position' | 'key'>;

/** The order of documents in time. */
export function byTime(one: Placed, other: Placed): number {
  return (
    one.createdAt - other.createdAt ||
    compareTexts(one.threadId, other.threadId) ||
    one.position - other.position ||
    compareTexts(one.key, other.key)
  );
}

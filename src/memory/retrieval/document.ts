/** Something that was said, or a shard made of it. */
export interface MemoryDocument {
  /** Unique in its index. */
  readonly key: string;
  readonly kind: 'message' | 'shard';
  /** Messages next to each other in it are about the same thing. */
  readonly threadId: string;
  /** Name of who said it; empty for a shard. */
  readonly speaker: string;
  /** All that it can be found by. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The order of documents in time; the key tells those of one moment apart. */
export function byTime(
  one: Pick<MemoryDocument, 'createdAt' | 'key'>,
  other: Pick<MemoryDocument, 'createdAt' | 'key'>,
): number {
  return one.createdAt - other.createdAt || (one.key < other.key ? -1 : 1);
}

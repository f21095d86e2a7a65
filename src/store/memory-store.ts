/**
 * Records and interface for long-term memory: complete messages, the shards made from them, and their
 * vectors. `src/memory/` searches them: it keeps a scope in process and reads only the changes from here.
 */

import { z } from 'zod';
import { flag, type JsonObject, type Message } from './turn-store.ts';

/**
 * The memory reachable from a thread: of the thread itself, its channel, or its whole workspace. Messages
 * from a private channel, or one that may be private, are never reachable from another channel.
 */
export interface MemoryScope {
  readonly threadId: string;
  readonly reach: 'thread' | 'channel' | 'workspace';
}

/** A complete message. */
export interface RememberedMessage {
  readonly message: Message;
  /** Orders messages of one thread with equal times: the lower one was stored first. */
  readonly position: number;
  /** When its retention starts, in milliseconds since 1970: its turn's time, or its own. */
  readonly agesFrom: number;
  /** The shard that includes it. */
  readonly shardId?: string;
  /** Of a question: the verdict of its turn, as in an `Interaction`. Write the question again together with it. */
  readonly verdict?: JsonObject;
}

export const shardSchema = z.object({
  /** Unique in its thread. Derive it from the source ids, so a shard made twice is stored once. */
  id: z.string(),
  threadId: z.string(),
  text: z.string(),
  /** Ids of the messages it was made from. */
  sourceIds: z.array(z.string()).readonly(),
  /** Whether any source is from a private channel, or one that may be. */
  isPrivate: flag,
  /** Milliseconds since 1970. */
  createdAt: z.number(),
  /** That of the source that expires first; the shard expires with it. */
  agesFrom: z.number(),
  /** When another shard replaced it. From then on it can't be found and has no text. */
  supersededAt: z.number().exactOptional(),
  /** A caveat, e.g. `incomplete`. */
  mark: z.string().exactOptional(),
});
/** A compressed memory of several messages of one thread. */
export type Shard = Readonly<z.infer<typeof shardSchema>>;

/** The changes in a scope since it was last read. */
export interface MemoryChanges {
  /** Pass it to the next read of the same scope. */
  readonly version: string;
  /** Start over and discard earlier reads of the scope: this is the first, or something was forgotten. */
  readonly isAnew: boolean;
  /** There are more changes to read now. */
  readonly hasMore: boolean;
  /**
   * Everything that ages from before this time (ms since 1970) has expired, including earlier reads. A lower
   * value than before means a longer retention: records that had expired may be back, which only a read
   * from the start returns.
   */
  readonly keptSince: number;
  /** In the order they were completed. A known message has changed. */
  readonly messages: readonly RememberedMessage[];
  /** Likewise. A shard superseded since the last read comes without text, sources and mark. */
  readonly shards: readonly Shard[];
}

/** Identifies a message or a shard. */
export interface MemoryKey {
  readonly kind: 'message' | 'shard';
  readonly threadId: string;
  readonly id: string;
}

/** The embedding of a text. */
export interface StoredVector {
  /** `provider:model`. */
  readonly model: string;
  readonly dimensions: number;
  /** One signed byte per dimension; only the direction matters. */
  readonly values: Int8Array;
}

/**
 * How many messages, and how many shards, a scope remembers: the most recently completed ones. Older
 * messages live on in shards.
 */
export const mostRemembered = 2000;

export interface MemoryStore {
  /**
   * Reads the changes in a scope in one round trip: everything the first time, then what is new.
   *
   * @param since - The version of the last read; absent: the first read.
   * @param limit - The most messages, and the most shards, to return at once (1 to 500).
   */
  read(
    scope: MemoryScope,
    options: { readonly since?: string; readonly limit: number },
  ): Promise<MemoryChanges>;
  /**
   * Stores a shard atomically: marks its sources and supersedes every shard they were part of, because a
   * message is in one shard at most. Superseded shards lose their text. A shard with a known id stays
   * unchanged unless superseded. Stores nothing if any source is gone.
   *
   * @param supersedes - Ids of further shards of the thread to supersede.
   * @returns Whether the shard is stored, now or before.
   */
  keepShard(shard: Shard, supersedes?: readonly string[]): Promise<boolean>;
  /** A model's vectors of texts of one workspace, in the order requested (at most 500 keys). */
  vectors(
    model: string,
    keys: readonly MemoryKey[],
  ): Promise<readonly (StoredVector | undefined)[]>;
  /**
   * Stores vectors of texts of one workspace, one per text, replacing another model's. Vectors of unknown
   * texts are dropped.
   */
  keepVectors(
    vectors: readonly { readonly key: MemoryKey; readonly vector: StoredVector }[],
  ): Promise<void>;
}

/** Omits superseded shards for a reader that starts over and never had them. */
export function shardsFor(isAnew: boolean, shards: readonly Shard[]): readonly Shard[] {
  return isAnew ? shards.filter(({ supersededAt }) => supersededAt === undefined) : shards;
}

/** How far a scope has been read. */
interface ReadPosition {
  /** A new epoch voids everything read before. */
  readonly epoch: string;
  /** The last change read, of messages and of shards. */
  readonly messages: number;
  readonly shards: number;
}

const numbers = z.tuple([z.string(), z.coerce.number(), z.coerce.number()]);

export function versionOf({ epoch, messages, shards }: ReadPosition): string {
  return [epoch, messages, shards].join(' ');
}

/** The inverse of {@link versionOf}; `undefined` for an invalid version and for a past epoch. */
export function readVersion(version: string | undefined, epoch: string): ReadPosition | undefined {
  const parsed = numbers.safeParse(version?.split(' '));
  if (!parsed.success || parsed.data[0] !== epoch) return undefined;
  const [, messages, shards] = parsed.data;
  return { epoch, messages, shards };
}

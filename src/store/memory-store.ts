/**
 * What is remembered beyond the last questions of a thread, as a store keeps it: the messages that
 * are complete, the shards that were made of them, and their vectors. Which of it fits a question is
 * for memory to find (`src/memory/`): it holds a scope in process, and asks here only for what has
 * changed since.
 */

import { z } from 'zod';
import { flag, type Message } from './turn-store.ts';

/**
 * How far back what is remembered reaches, seen from a thread: the thread itself, its channel, or
 * its whole workspace. What was said in a private channel, or in one that may be private,
 * is never part of what another channel reaches.
 */
export interface MemoryScope {
  readonly threadId: string;
  readonly reach: 'thread' | 'channel' | 'workspace';
}

/** A message that is complete. */
export interface RememberedMessage {
  readonly message: Message;
  /** Tells messages of one thread and moment apart: the lower one was stored first. */
  readonly position: number;
  /** What its retention counts from, in milliseconds since 1970: its turn's time, or its own. */
  readonly agesFrom: number;
  /** The shard that it is part of. */
  readonly shardId?: string;
}

export const shardSchema = z.object({
  /**
   * Unique in its thread. Make it of the source ids: then a shard that is made twice is kept once.
   */
  id: z.string(),
  threadId: z.string(),
  text: z.string(),
  /** Ids of the messages it was made of. */
  sourceIds: z.array(z.string()).readonly(),
  /** Whether any of the sources is private, or of a channel that may be. */
  isPrivate: flag,
  /** Milliseconds since 1970. */
  createdAt: z.number(),
  /** That of the source that expires first: the shard expires with it. */
  agesFrom: z.number(),
  /** When another shard took its place; it is found no more from then on, and has no text. */
  supersededAt: z.number().exactOptional(),
  /** What is to be known about it, e.g. `incomplete`. */
  mark: z.string().exactOptional(),
});
/** A compressed memory of several messages of one thread. */
export type Shard = Readonly<z.infer<typeof shardSchema>>;

/** What of a scope has come since it was last read. */
export interface MemoryChanges {
  /** To be given at the next read of the same scope. */
  readonly version: string;
  /** Whatever was read of the scope before is void: something was forgotten, or it was never read. */
  readonly isAnew: boolean;
  /** There is more to read, at once. */
  readonly hasMore: boolean;
  /**
   * What ages from before this moment (ms since 1970) has expired, also of what was read before. Earlier
   * than at the read before: things are kept for longer now. What had expired then may be there again,
   * and comes to those alone who read anew.
   */
  readonly keptSince: number;
  /** In the order in which they were completed. One that was there already has changed. */
  readonly messages: readonly RememberedMessage[];
  /**
   * As messages are. Of one that was superseded since, only that it was: without text, sources and mark.
   */
  readonly shards: readonly Shard[];
}

/** Names a message or a shard. */
export interface MemoryKey {
  readonly kind: 'message' | 'shard';
  readonly threadId: string;
  readonly id: string;
}

/** What an embedding model made of a text. */
export interface StoredVector {
  /** `provider:model`. */
  readonly model: string;
  readonly dimensions: number;
  /** One signed byte for each dimension; only the direction counts. */
  readonly values: Int8Array;
}

/**
 * How many messages, and how many shards besides, are remembered of a scope: the newest, by when they
 * were completed. What came before lives on in the shards.
 */
export const mostRemembered = 2000;

export interface MemoryStore {
  /**
   * Reads what has changed in a scope: everything at first, then what came since, in one round trip.
   *
   * @param since - The version of the last read. Absent: the scope was not read yet.
   * @param limit - How many messages, and how many shards besides, are given at once (1 to 500).
   */
  read(
    scope: MemoryScope,
    options: { readonly since?: string; readonly limit: number },
  ): Promise<MemoryChanges>;
  /**
   * Keeps a shard, marks its sources with it, and takes the place of others; all or nothing. A message is
   * part of one shard at most, so it takes the place of all that its sources were part of. No text of a
   * superseded shard is kept. A known id is left as it is, unless it was superseded. Of sources that are
   * gone nothing is kept: then there is no shard either.
   *
   * @param supersedes - Ids of further shards of the thread.
   * @returns Whether the shard is kept, now or from before.
   */
  keepShard(shard: Shard, supersedes?: readonly string[]): Promise<boolean>;
  /** The vectors that a model has made of texts that are kept, in the order asked for (at most 500 keys). */
  vectors(
    model: string,
    keys: readonly MemoryKey[],
  ): Promise<readonly (StoredVector | undefined)[]>;
  /** Keeps vectors, one for each text: another model's makes room. Of what is not there none is kept. */
  keepVectors(
    vectors: readonly { readonly key: MemoryKey; readonly vector: StoredVector }[],
  ): Promise<void>;
}

/** What is given of shards: who reads a scope anew never knew of those that were superseded. */
export function shardsFor(isAnew: boolean, shards: readonly Shard[]): readonly Shard[] {
  return isAnew ? shards.filter(({ supersededAt }) => supersededAt === undefined) : shards;
}

/** How far a scope was read. */
interface ReadSoFar {
  /** Changes whenever what was read before is void. */
  readonly epoch: string;
  /** The last change of messages, and of shards. */
  readonly messages: number;
  readonly shards: number;
}

const numbers = z.tuple([z.string(), z.coerce.number(), z.coerce.number()]);

export function versionOf({ epoch, messages, shards }: ReadSoFar): string {
  return [epoch, messages, shards].join(' ');
}

/** Absent for what no store has given, and for another epoch than the present one. */
export function readVersion(version: string | undefined, epoch: string): ReadSoFar | undefined {
  const parsed = numbers.safeParse(version?.split(' '));
  if (!parsed.success || parsed.data[0] !== epoch) return undefined;
  const [, messages, shards] = parsed.data;
  return { epoch, messages, shards };
}

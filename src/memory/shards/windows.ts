/** Which messages of a thread become one shard. The same messages always make the same shard. */

import { createHash } from 'node:crypto';
import type { Shard } from '../../store/store.ts';
import type { ShardSource, ShardThread } from './source.ts';

/** Messages that become one shard. */
export interface ShardWindow {
  /** Of the shard: made of the ids of its sources. */
  readonly id: string;
  /** Oldest first; at least one. */
  readonly sources: readonly ShardSource[];
  /** Ids of the shards whose place it takes. */
  readonly supersedes: readonly string[];
}

/** How large windows are. */
export interface WindowSize {
  /** With so many messages a window is full, once the turn is at its end. */
  readonly full: number;
  /** A turn that goes beyond this is cut. */
  readonly most: number;
  /** A window goes beyond this only for a single message that is longer. */
  readonly mostChars: number;
}

/** Of messages that are kept as they are. */
export const windowsAsSaid: WindowSize = { full: 4, most: 4, mostChars: 24_000 };
/** Of messages that a model compresses: two turns of four sages. */
export const windowsToCompress: WindowSize = { full: 10, most: 20, mostChars: 24_000 };

/** The marks of shards made here; a shard with any other mark is left as it is. */
export const shardMarks = { asSaid: 'as_said', incomplete: 'incomplete' } as const;

/** Of a shard that a person has corrected: it stays as it is. */
export const editedMark = 'edited';

/** What is in no shard yet. */
export function withoutShard({ sources, shards }: ShardThread): readonly ShardSource[] {
  const covered = new Set(shards.flatMap(({ sourceIds }) => sourceIds));
  return sources.filter(({ id }) => !covered.has(id));
}

/**
 * Windows over all that is in no shard yet. The thread's last shard, where it is not full, is made
 * anew together with what was said after it, and superseded.
 */
export function windowsOf(thread: ShardThread, size: WindowSize): readonly ShardWindow[] {
  const fresh = new Set(withoutShard(thread).map(({ id }) => id));
  if (fresh.size === 0) return [];
  const last = lastShard(thread);
  const reopened = last && isOpen(last, size) ? last : undefined;
  const within = new Set(reopened?.sourceIds);
  const known = new Set(thread.shards.map(({ id }) => id));
  return grouped(
    thread.sources.filter(({ id }) => fresh.has(id) || within.has(id)),
    size,
  )
    .map((sources) => ({
      id: shardIdOf(sources.map(({ id }) => id)),
      sources,
      supersedes: reopened && sources.some((source) => within.has(source.id)) ? [reopened.id] : [],
    }))
    .filter(({ id }) => !known.has(id));
}

/** The id of a shard: the same for the same content. @param madeOf - What tells it from all others. */
export function shardIdOf(madeOf: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(madeOf)).digest('base64url').slice(0, 22);
}

/** The shard with the latest source. */
function lastShard({ sources, shards }: ShardThread): Shard | undefined {
  const places = new Map(sources.map(({ id }, place) => [id, place]));
  const lastPlace = ({ sourceIds }: Shard) =>
    Math.max(-1, ...sourceIds.map((id) => places.get(id) ?? -1));
  return shards.toSorted((one, other) => lastPlace(one) - lastPlace(other)).at(-1);
}

/** A correction is never made anew. */
function isOpen({ sourceIds, mark }: Shard, size: WindowSize): boolean {
  const isOurs = mark === undefined || Object.values<string>(shardMarks).includes(mark);
  return isOurs && sourceIds.length < size.full;
}

function grouped(
  sources: readonly ShardSource[],
  { full, most, mostChars }: WindowSize,
): readonly (readonly ShardSource[])[] {
  const windows: ShardSource[][] = [];
  let window: ShardSource[] = [];
  let chars = 0;
  const close = () => {
    if (window.length > 0) windows.push(window);
    window = [];
    chars = 0;
  };
  for (const source of sources) {
    const isOfTurn = window.at(-1)?.turnId === source.turnId && source.turnId !== undefined;
    const isFull = window.length >= full && !isOfTurn;
    if (isFull || window.length >= most || chars + source.text.length > mostChars) close();
    window.push(source);
    chars += source.text.length;
  }
  close();
  return windows;
}

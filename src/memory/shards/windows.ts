/** Reads a thread and groups its messages into windows, one per shard. The same messages give the same shard. */

import { createHash } from 'node:crypto';
import type { MemoryStore, RememberedMessage, Shard } from '../../store/store.ts';
import { type Memory, memoryOfMessage } from '../memories.ts';
import { rememberedIn } from '../pages.ts';
import { answerTexts } from '../recall/history.ts';
import { byTime } from '../recall/retrieval/threads.ts';

/** A message to make a shard from. Its text is the full one. */
export interface ShardSource
  extends Pick<
    Memory,
    'id' | 'turnId' | 'role' | 'text' | 'shown' | 'verdict' | 'createdAt' | 'agesFrom' | 'isPrivate'
  > {
  /** A person's name, or a sage's key. */
  readonly by: string;
}

/** The remembered part of a thread. */
export interface ShardThread {
  /** Oldest first. */
  readonly sources: readonly ShardSource[];
  /** Shards that have not been superseded. */
  readonly shards: readonly Shard[];
}

/**
 * Reads a thread as far back as the store remembers it. Throws what the store throws.
 *
 * @param isLeftOut - Whether to skip the messages of this turn, because it is still running.
 */
export async function readShardThread(
  store: MemoryStore,
  threadId: string,
  isLeftOut: (turnId: string) => boolean,
): Promise<ShardThread> {
  const { messages, shards } = await rememberedIn(store, { threadId, reach: 'thread' });
  const sources = messages
    .flatMap((remembered) => sourceOf(remembered) ?? [])
    .sort(byTime)
    .filter(({ turnId }) => turnId === undefined || !isLeftOut(turnId));
  return { sources, shards };
}

function sourceOf(remembered: RememberedMessage) {
  const memory = memoryOfMessage(remembered);
  if (!memory) return undefined;
  const { whole = memory.shown } = answerTexts(remembered.message);
  return { ...memory, by: memory.speaker || 'someone', text: whole };
}

/** Messages that become one shard. */
export interface ShardWindow {
  /** The shard's id, derived from the ids of its sources. */
  readonly id: string;
  /** Oldest first; at least one. */
  readonly sources: readonly ShardSource[];
  /** Ids of the shards that it replaces. */
  readonly supersedes: readonly string[];
}

export interface WindowSize {
  /** A window with this many messages closes at the end of their turn. */
  readonly full: number;
  /** A window closes at this many messages, even within a turn. */
  readonly most: number;
}

/** For messages that are kept verbatim. */
export const windowsAsSaid: WindowSize = { full: 4, most: 4 };
/** For messages that a model compresses: two turns of four sages. */
export const windowsToCompress: WindowSize = { full: 10, most: 20 };
/** Only a single longer message exceeds it. */
const maxWindowChars = 24_000;

/** The marks of generated shards; a shard with any other mark is never replaced. */
export const shardMarks = { asSaid: 'as_said', incomplete: 'incomplete' } as const;

/** The mark of a shard that a person corrected; it is never replaced. */
export const editedMark = 'edited';

/** The messages that no shard covers yet. */
export function withoutShard({ sources, shards }: ShardThread): readonly ShardSource[] {
  const covered = new Set(shards.flatMap(({ sourceIds }) => sourceIds));
  return sources.filter(({ id }) => !covered.has(id));
}

/**
 * Windows for the messages that no shard covers yet. If the thread's last shard is not full, its messages
 * join the first window, which supersedes it.
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

/** Derives a shard's id. @param parts - Identify the shard's content. */
export function shardIdOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}

/** The shard with the latest source. */
function lastShard({ sources, shards }: ShardThread): Shard | undefined {
  const places = new Map(sources.map(({ id }, place) => [id, place]));
  const lastPlace = ({ sourceIds }: Shard) =>
    Math.max(-1, ...sourceIds.map((id) => places.get(id) ?? -1));
  return shards.toSorted((one, other) => lastPlace(one) - lastPlace(other)).at(-1);
}

/** Whether more messages may join a shard. */
function isOpen({ sourceIds, mark }: Shard, size: WindowSize): boolean {
  const isOurs = mark === undefined || Object.values<string>(shardMarks).includes(mark);
  return isOurs && sourceIds.length < size.full;
}

function grouped(
  sources: readonly ShardSource[],
  { full, most }: WindowSize,
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
    if (isFull || window.length >= most || chars + source.text.length > maxWindowChars) close();
    window.push(source);
    chars += source.text.length;
  }
  close();
  return windows;
}

/** Which messages of a thread become one shard. The same messages always make the same shard. */

import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { anyAnswerSchema } from '../../domain/stored-turn.ts';
import type { MemoryStore, RememberedMessage, Shard } from '../../store/store.ts';
import { memoryOfMessage } from '../memories.ts';
import { changesOf } from '../pages.ts';

/** Something that was said, and by whom. */
export interface ShardSource {
  readonly id: string;
  readonly turnId?: string;
  readonly role: 'human' | 'ai';
  /** A person's name, or a sage's key. */
  readonly by: string;
  /** As it was said, at full length. */
  readonly text: string;
  /** As it is remembered: a long answer by its summary. */
  readonly shown: string;
  readonly createdAt: number;
  readonly agesFrom: number;
  /** Also where it is unknown. */
  readonly isPrivate: boolean;
}

/** A thread as it is remembered. */
export interface ShardThread {
  /** Oldest first. */
  readonly sources: readonly ShardSource[];
  /** Those that no other has superseded. */
  readonly shards: readonly Shard[];
}

/** How much is read at once: the event loop waits for no more than this. */
const pageSize = 100;

const answered = anyAnswerSchema.pick({ answer: true });

/**
 * Reads a thread as far back as a store remembers it. Lets others go first between two pages.
 *
 * @param isLeftOut - Of a turn: what was said in it so far is no source yet.
 * @throws What the store throws; the signal's reason when it is aborted.
 */
export async function readShardThread(
  store: MemoryStore,
  threadId: string,
  isLeftOut: (turnId: string) => boolean,
  signal: AbortSignal,
): Promise<ShardThread> {
  const messages = new Map<string, PlacedSource>();
  const shards = new Map<string, Shard>();
  let keptSince = Number.NEGATIVE_INFINITY;
  const scope = { threadId, reach: 'thread' } as const;
  for await (const changes of changesOf(store, scope, pageSize)) {
    if (changes.isAnew) {
      messages.clear();
      shards.clear();
    }
    for (const remembered of changes.messages) {
      const source = sourceOf(remembered);
      if (source) messages.set(source.id, { source, position: remembered.position });
    }
    for (const shard of changes.shards) shards.set(shard.id, shard);
    ({ keptSince } = changes);
    await breathe(undefined, { signal });
  }
  const isKept = ({ agesFrom }: { readonly agesFrom: number }) => agesFrom >= keptSince;
  return {
    sources: [...messages.values()]
      .toSorted(
        (one, other) =>
          one.source.createdAt - other.source.createdAt || one.position - other.position,
      )
      .map(({ source }) => source)
      .filter(isKept)
      .filter(({ turnId }) => turnId === undefined || !isLeftOut(turnId)),
    shards: [...shards.values()].filter(
      (shard) => shard.supersededAt === undefined && isKept(shard),
    ),
  };
}

interface PlacedSource {
  readonly source: ShardSource;
  readonly position: number;
}

/** Absent for what says nothing, e.g. an answer that failed. */
function sourceOf(remembered: RememberedMessage): ShardSource | undefined {
  const memory = memoryOfMessage(remembered);
  if (!memory || memory.text.trim() === '') return undefined;
  const { id, turnId, role, content, createdAt, isPrivate } = remembered.message;
  const { agesFrom } = remembered;
  const whole = answered.safeParse(content);
  return {
    ...{ id, role, createdAt, agesFrom },
    ...(turnId !== undefined && { turnId }),
    by: memory.speaker || 'someone',
    text: whole.success ? whole.data.answer : memory.text,
    shown: memory.shown,
    isPrivate: isPrivate ?? true,
  };
}

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
  readonly maxChars: number;
}

/** Of messages that are kept as they are. */
export const windowsAsSaid: WindowSize = { full: 4, most: 4, maxChars: 24_000 };
/** Of messages that a model compresses: two turns of four sages. */
export const windowsToCompress: WindowSize = { full: 10, most: 20, maxChars: 24_000 };

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
  { full, most, maxChars }: WindowSize,
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
    if (isFull || window.length >= most || chars + source.text.length > maxChars) close();
    window.push(source);
    chars += source.text.length;
  }
  close();
  return windows;
}

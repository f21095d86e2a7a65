/** What shards are made of: what was said in a thread, without prompts and what was recalled for them. */

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

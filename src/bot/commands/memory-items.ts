/** What is remembered as people are shown it: who said it, what it was made of, and where that is to be seen. */

import type { MemoryItem, MemorySource } from '../../../commands/council-memory.ts';
import { type PastTurn, readPastTurn } from '../../council/past-turn.ts';
import { namesOf, spelledOut } from '../../domain/words.ts';
import { type Memory, memoryId, messageKeysOf } from '../../memory/memories.ts';
import type { Platform } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';
import type { Channel } from '../places/channels.ts';

export interface MemoryItemsOptions {
  readonly store: Pick<Store, 'turns'>;
  readonly platforms: readonly Pick<Platform, 'name' | 'linkTo'>[];
}

/** Marks of shards in words; one that is not here is shown as it is. */
const inWords: Readonly<Record<string, string>> = { as_said: 'as said' };

/**
 * @param memories - Few: the turns that they are from are read.
 * @param all - Among them are the messages that shards were made of, as far as they are remembered.
 * @param pinned - Keys of what is pinned.
 */
export async function memoryItems(
  memories: readonly Memory[],
  {
    all,
    pinned,
    known,
  }: {
    readonly all: readonly Memory[];
    readonly pinned: ReadonlySet<string>;
    readonly known: Channel['known'];
  },
  options: MemoryItemsOptions,
): Promise<readonly MemoryItem[]> {
  const said = messagesOfAll(memories, all);
  const turns = await readTurns(said.flat(), options);
  const seated = [...turns.values()].flatMap((turn) => turn.seated?.seats ?? []);
  const nameOf = namesOf([...seated.map(({ sage }) => sage), ...known.sages], spelledOut);
  const speaker = ({ role, speaker: name }: Memory) =>
    (role === 'ai' ? nameOf(name) : name) || 'somebody';
  return memories.map((memory, index) => ({
    id: memoryId(memory),
    ...(memory.kind === 'message' && { by: speaker(memory) }),
    at: memory.createdAt,
    text: memory.shown,
    marks: [
      ...(memory.mark === undefined ? [] : [inWords[memory.mark] ?? memory.mark]),
      ...(pinned.has(memory.key) ? ['pinned'] : []),
    ],
    sourceCount: Math.max(1, memory.sourceIds.length),
    sources: sourcesOf(said[index] ?? [], { turns, speaker, options }),
  }));
}

/** The messages that a memory is or was made of, as far as they are among these. */
export function messagesOf(memory: Memory, all: readonly Memory[]): readonly Memory[] {
  return messagesOfAll([memory], all).flat();
}

function messagesOfAll(
  memories: readonly Memory[],
  all: readonly Memory[],
): readonly (readonly Memory[])[] {
  const byKey = new Map(all.map((memory) => [memory.key, memory]));
  return memories.map((memory) =>
    memory.kind === 'message'
      ? [memory]
      : messageKeysOf(memory).flatMap((key) => byKey.get(key) ?? []),
  );
}

/** By their ids. */
async function readTurns(
  messages: readonly Memory[],
  { store }: MemoryItemsOptions,
): Promise<ReadonlyMap<string, PastTurn>> {
  const wanted = new Map(
    messages.flatMap(({ turnId, threadId }) =>
      turnId === undefined ? [] : [[turnId, threadId] as const],
    ),
  );
  const records = await Promise.all(
    [...wanted].map(([turnId, threadId]) => store.turns.read({ turnId, threadId })),
  );
  return new Map(
    records.flatMap((record) => (record ? [[record.turnId, readPastTurn(record)] as const] : [])),
  );
}

function sourcesOf(
  messages: readonly Memory[],
  {
    turns,
    speaker,
    options,
  }: {
    readonly turns: ReadonlyMap<string, PastTurn>;
    readonly speaker: (memory: Memory) => string;
    readonly options: MemoryItemsOptions;
  },
): readonly MemorySource[] {
  const together = Map.groupBy(messages, ({ turnId, key, platformMessageId }) =>
    platformMessageId === undefined && turnId !== undefined ? turnId : key,
  );
  return [...together.values()].flatMap((some) => {
    const [first] = some;
    if (!first) return [];
    const turn = turns.get(first.turnId ?? '');
    const event = first.platformMessageId ?? turn?.place ?? turn?.request.eventId;
    const link = linkTo(first.threadId, event, options);
    const by = [...new Set(some.map(speaker))];
    return [{ by, at: first.createdAt, ...(link !== undefined && { link }) }];
  });
}

export function linkTo(
  threadId: string,
  event: string | undefined,
  { platforms }: Pick<MemoryItemsOptions, 'platforms'>,
): string | undefined {
  return platforms.find(({ name }) => threadId.startsWith(`${name}:`))?.linkTo(threadId, event);
}

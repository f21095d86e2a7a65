/** Finds and formats the memories that may be seen in a place. */

import { CommandError, UnknownIdError } from '../../../commands/command.ts';
import type { MemoryItem, MemorySource } from '../../../commands/context.ts';
import { type PastTurn, readPastTurn } from '../../council/past-turn.ts';
import { isSameChannel, partsOf } from '../../domain/thread-id.ts';
import { nameFromKey, namesOf } from '../../domain/words.ts';
import { type Memory, memoryId, messageKeysOf, visibleReach } from '../../memory/memories.ts';
import type { Pin } from '../../memory/pins.ts';
import { quotedValue } from '../../settings/channel-settings.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import { platformOf } from '../running/presented-turn.ts';

export function placeMemory({ place, channel }: Here, { store, memory, platforms }: BotParts) {
  const { recollection } = memory;
  /** How far memory reaches here. */
  const reach = visibleReach(place.isOpenOutside === true, channel.settings.memoryReach);

  /** The query for memories that may be seen from here. */
  function scope(within = reach, threadId = place.threadId) {
    const { isPrivate, isPrivateThread } = place;
    return { scope: { threadId, reach: within }, isPrivate, isPrivateThread };
  }

  /** The query for ids, which may come from any place that showed this channel's memory. */
  const wholeChannel = scope(reach === 'thread' ? 'channel' : reach);
  const all = () => recollection.all(wholeChannel);

  /** The pinned memories that may be seen from here. */
  const pinned = (): Promise<ReadonlyMap<Pin, Memory>> =>
    recollection.pinned(wholeChannel, channel.pins, store.messages);

  /** Throws `UnknownIdError` if the memory does not exist or may not be seen from here. */
  async function find(id: string): Promise<Memory> {
    const wanted = id.trim().toLowerCase();
    // A pinned memory may be older than all others.
    const known = [...(await all()), ...(await pinned()).values()];
    const found = known.filter((candidate) => memoryId(candidate) === wanted);
    const [only] = found;
    if (only && found.every(({ key }) => key === only.key)) return only;
    // The same words in all cases, to reveal nothing about hidden memories.
    throw new UnknownIdError(
      'memory',
      `Nothing with the id ${quotedValue(id)} is remembered here. To find words, write memory search and the words.`,
    );
  }

  /**
   * Finds a thread of this channel by the last part of its id. Throws `CommandError` if nothing of it may be
   * seen from here.
   */
  async function threadOf(lastPart: string): Promise<string> {
    const { threadId } = place;
    if (lastPart === partsOf(threadId).thread) return threadId;
    const known = (await recollection.all(scope('channel'))).find(
      (one) => partsOf(one.threadId).thread === lastPart && isSameChannel(one.threadId, threadId),
    );
    if (known) return known.threadId;
    throw new CommandError('There is no such thread here, or nothing is remembered of it.');
  }

  /** @param memories - Few, because their turns are read. */
  async function shown(memories: readonly Memory[]): Promise<readonly MemoryItem[]> {
    const [known, pins] = await Promise.all([all(), pinned()]);
    const pinnedKeys = new Set(Array.from(pins.values(), ({ key }) => key));
    const said = messagesOfAll(memories, known);
    const turns = await turnsOf(said.flat());
    const seated = [...turns.values()].flatMap((turn) => turn.seated?.seats ?? []);
    const nameOf = namesOf(
      [...seated.map(({ sage }) => sage), ...channel.known.sages],
      nameFromKey,
    );
    const speaker = ({ role, speaker: name }: Memory) =>
      (role === 'ai' ? nameOf(name) : name) || 'someone';
    return memories.map((one, index) => ({
      id: memoryId(one),
      ...(one.kind === 'message' && { by: speaker(one) }),
      at: one.createdAt,
      text: one.verdict === undefined ? one.shown : `${one.shown}\n\nVerdict: ${one.verdict}`,
      marks: [
        ...(one.mark === undefined ? [] : [one.mark.replaceAll('_', ' ')]),
        ...(pinnedKeys.has(one.key) ? ['pinned'] : []),
      ],
      sourceCount: Math.max(1, one.sourceIds.length),
      sources: sourcesOf(said[index] ?? [], turns, speaker),
    }));
  }

  async function one(found: Memory): Promise<MemoryItem> {
    const [item] = await shown([found]);
    if (!item) throw new TypeError('A memory that was found is not shown.');
    return item;
  }

  /** The messages of a memory, as far as they still exist. */
  async function messagesOf(found: Memory): Promise<readonly Memory[]> {
    return found.kind === 'message' ? [found] : messagesOfAll([found], await all()).flat();
  }

  /** The turns of messages by id, as far as they still exist. */
  async function turnsOf(messages: readonly Memory[]): Promise<ReadonlyMap<string, PastTurn>> {
    const wanted = new Map(messages.map(({ turnId, threadId }) => [turnId, threadId]));
    const records = await Promise.all(
      [...wanted].map(([turnId, threadId]) => turnId && store.turns.read({ turnId, threadId })),
    );
    return new Map(
      records.flatMap((record) => (record ? [[record.turnId, readPastTurn(record)] as const] : [])),
    );
  }

  /** The URL of a thread or an event in it. Absent if its platform has none. */
  function linkTo(threadId: string, event?: string): string | undefined {
    return platformOf(threadId, platforms)?.linkTo(threadId, event);
  }

  function sourcesOf(
    messages: readonly Memory[],
    turns: ReadonlyMap<string, PastTurn>,
    speaker: (memory: Memory) => string,
  ): readonly MemorySource[] {
    const together = Map.groupBy(messages, ({ turnId, key, platformMessageId }) =>
      platformMessageId === undefined && turnId !== undefined ? turnId : key,
    );
    return [...together.values()].flatMap((some) => {
      const [first] = some;
      if (!first) return [];
      const turn = turns.get(first.turnId ?? '');
      const event = first.platformMessageId ?? turn?.shownAt ?? turn?.request.eventId;
      const link = linkTo(first.threadId, event);
      const by = [...new Set(some.map(speaker))];
      return [{ by, at: first.createdAt, ...(link !== undefined && { link }) }];
    });
  }

  return { reach, scope, pinned, find, threadOf, shown, one, messagesOf, turnsOf, linkTo };
}

/** For each memory, its messages among these. */
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

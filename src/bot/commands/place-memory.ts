/** Finds and formats the memories that may be seen in a place. */

import { CommandError, UnknownIdError } from '../../../commands/command.ts';
import type { MemoryItem, MemorySource } from '../../../commands/context.ts';
import { type PastTurn, readPastTurn } from '../../council/past-turn.ts';
import { isSameChannel, partsOf } from '../../domain/thread-id.ts';
import { nameFromKey, namesOf, shortened } from '../../domain/words.ts';
import { type Memory, memoryId, messageKeysOf, visibleReach } from '../../memory/memories.ts';
import type { Pin } from '../../memory/pins.ts';
import type { MemoryScope } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import type { Here } from '../places/channels.ts';
import { platformOf } from '../running/presented-turn.ts';

export class PlaceMemory {
  readonly #here: Here;
  readonly #parts: BotParts;
  /** How far memory reaches here. */
  readonly reach: MemoryScope['reach'];

  constructor(here: Here, parts: BotParts) {
    this.#here = here;
    this.#parts = parts;
    const isOpenOutside = here.place.isOpenOutside === true;
    this.reach = visibleReach(isOpenOutside, here.channel.settings.memoryReach);
  }

  /** The query for memories that may be seen from here. */
  scope(reach = this.reach, threadId = this.#here.place.threadId) {
    const { isPrivate, isPrivateThread } = this.#here.place;
    return { scope: { threadId, reach }, isPrivate, isPrivateThread };
  }

  /** The query for ids, which may come from any place that showed this channel's memory. */
  get #wholeChannel() {
    return this.scope(this.reach === 'thread' ? 'channel' : this.reach);
  }

  #all() {
    return this.#parts.memory.recollection.all(this.#wholeChannel);
  }

  /** The pinned memories that may be seen from here. */
  pinned(): Promise<ReadonlyMap<Pin, Memory>> {
    return this.#parts.memory.recollection.pinned(this.#wholeChannel, this.#here.channel.pins);
  }

  /** Throws `UnknownIdError` if the memory does not exist or may not be seen from here. */
  async find(id: string): Promise<Memory> {
    const wanted = id.trim().toLowerCase();
    const found = (await this.#all()).filter((candidate) => memoryId(candidate) === wanted);
    const [only] = found;
    if (only && found.length === 1) return only;
    // The same words in all cases, to reveal nothing about hidden memories.
    throw new UnknownIdError(
      'memory',
      `Nothing with the id “${shortened(id.trim(), 40)}” is remembered here. Without an id you see what is.`,
    );
  }

  /**
   * Finds a thread of this channel by the last part of its id. Throws `CommandError` if nothing of it may be
   * seen from here.
   */
  async threadOf(lastPart: string): Promise<string> {
    const { threadId } = this.#here.place;
    if (lastPart === partsOf(threadId).thread) return threadId;
    const all = await this.#parts.memory.recollection.all(this.scope('channel'));
    const known = all.find(
      (memory) =>
        partsOf(memory.threadId).thread === lastPart && isSameChannel(memory.threadId, threadId),
    );
    if (known) return known.threadId;
    throw new CommandError('There is no such thread here, or nothing is remembered of it.');
  }

  /** @param memories - Few, because their turns are read. */
  async shown(memories: readonly Memory[]): Promise<readonly MemoryItem[]> {
    const [all, pins] = await Promise.all([this.#all(), this.pinned()]);
    const pinned = new Set(Array.from(pins.values(), ({ key }) => key));
    const said = messagesOfAll(memories, all);
    const turns = await this.turnsOf(said.flat());
    const seated = [...turns.values()].flatMap((turn) => turn.seated?.seats ?? []);
    const nameOf = namesOf(
      [...seated.map(({ sage }) => sage), ...this.#here.channel.known.sages],
      nameFromKey,
    );
    const speaker = ({ role, speaker: name }: Memory) =>
      (role === 'ai' ? nameOf(name) : name) || 'someone';
    return memories.map((memory, index) => ({
      id: memoryId(memory),
      ...(memory.kind === 'message' && { by: speaker(memory) }),
      at: memory.createdAt,
      text: memory.shown,
      marks: [
        ...(memory.mark === undefined ? [] : [memory.mark.replaceAll('_', ' ')]),
        ...(pinned.has(memory.key) ? ['pinned'] : []),
      ],
      sourceCount: Math.max(1, memory.sourceIds.length),
      sources: this.#sourcesOf(said[index] ?? [], turns, speaker),
    }));
  }

  async one(found: Memory): Promise<MemoryItem> {
    const [item] = await this.shown([found]);
    if (!item) throw new TypeError('A memory that was found is not shown.');
    return item;
  }

  /** The messages of a memory, as far as they still exist. */
  async messagesOf(memory: Memory): Promise<readonly Memory[]> {
    if (memory.kind === 'message') return [memory];
    return messagesOfAll([memory], await this.#all()).flat();
  }

  /** The turns of messages by id, as far as they still exist. */
  async turnsOf(messages: readonly Memory[]): Promise<ReadonlyMap<string, PastTurn>> {
    const { turns } = this.#parts.store;
    const wanted = new Map(messages.map(({ turnId, threadId }) => [turnId, threadId]));
    const records = await Promise.all(
      [...wanted].map(([turnId, threadId]) => turnId && turns.read({ turnId, threadId })),
    );
    return new Map(
      records.flatMap((record) => (record ? [[record.turnId, readPastTurn(record)] as const] : [])),
    );
  }

  /** The URL of a thread or an event in it. Absent if its platform has none. */
  linkTo(threadId: string, event?: string): string | undefined {
    return platformOf(threadId, this.#parts.platforms)?.linkTo(threadId, event);
  }

  #sourcesOf(
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
      const link = this.linkTo(first.threadId, event);
      const by = [...new Set(some.map(speaker))];
      return [{ by, at: first.createdAt, ...(link !== undefined && { link }) }];
    });
  }
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

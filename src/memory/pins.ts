/** Pins: memories that every prompt of a channel includes. The channel's settings store their ids alone. */

import { z } from 'zod';
import type { MemoryKey, MessageStore, StoredSettings } from '../store/store.ts';
import { type Memory, memoryId, memoryOfMessage } from './memories.ts';

/** Pins per channel. Each takes space in every prompt. */
export const maxPins = 10;

const pinSchema = z.object({
  kind: z.enum(['message', 'shard']),
  threadId: z.string(),
  id: z.string(),
  /** A shard's sources, which lead to the shard that has replaced it. */
  sourceIds: z.array(z.string()).readonly(),
  /** When it was said, in milliseconds since 1970. Absent in pins of earlier versions. */
  createdAt: z.number().exactOptional(),
});
export type Pin = z.infer<typeof pinSchema>;

const prefix = 'pin:';
/** Holds also for pins that are set at the same moment. */
export const pinLimit = { prefix, most: maxPins };

/** The setting that stores a pin, in its channel's scope. */
export function pinSetting(key: MemoryKey): string {
  return `${prefix}${memoryId(key)}`;
}

export function pinOf({ kind, threadId, id, sourceIds, createdAt }: Memory): Pin {
  return { kind, threadId, id, sourceIds, createdAt };
}

/** The stored pins, oldest first, at most {@link maxPins}. Throws a `ZodError` for a damaged one. */
export function pinsIn(settings: StoredSettings): readonly Pin[] {
  return Object.entries(settings)
    .filter(([name]) => name.startsWith(prefix))
    .toSorted(([, one], [, other]) => one.setAt - other.setAt)
    .slice(0, maxPins)
    .map(([, { value }]) => pinSchema.parse(value));
}

/**
 * The settings to write when messages of a thread are forgotten, so that no pin refers to them. A pinned
 * shard stays pinned for its remaining sources.
 *
 * @returns By setting; `null` removes a pin.
 */
export function pinsWithout(
  pins: readonly Pin[],
  threadId: string,
  messageIds: ReadonlySet<string>,
): Readonly<Record<string, Pin | null>> {
  const changes: Record<string, Pin | null> = {};
  for (const pin of pins.filter((one) => one.threadId === threadId)) {
    const messages = pin.kind === 'message' ? [pin.id] : pin.sourceIds;
    const sourceIds = messages.filter((id) => !messageIds.has(id));
    if (sourceIds.length === messages.length) continue;
    changes[pinSetting(pin)] = sourceIds.length === 0 ? null : { ...pin, sourceIds };
  }
  return changes;
}

/**
 * The memory that a pin refers to. A pinned shard may have been replaced or corrected; then this is the
 * shard that shares most of its sources.
 *
 * @param ofThread - The memories of the pin's thread.
 */
export function pinnedAmong(pin: Pin, ofThread: readonly Memory[]): Memory | undefined {
  const same = ofThread.filter(
    ({ kind, threadId }) => kind === pin.kind && threadId === pin.threadId,
  );
  const itself = same.find(({ id }) => id === pin.id);
  if (itself || pin.kind === 'message') return itself;
  const sources = new Set(pin.sourceIds);
  const shared = ({ sourceIds }: Memory) => sourceIds.filter((id) => sources.has(id)).length;
  return same
    .filter((memory) => shared(memory) > 0)
    .toSorted((one, other) => shared(other) - shared(one))[0];
}

/** More than can be asked in a thread while the sages answer one question. */
const mostAskedMeanwhile = 20;

/** Reads a pinned message of any age from the store; `undefined` for a shard, and for a message that is gone. */
export async function readPinned(
  { kind, threadId, id, createdAt }: Pin,
  messages: Pick<MessageStore, 'recent'>,
): Promise<Memory | undefined> {
  if (kind === 'shard' || createdAt === undefined) return undefined;
  const options = { limit: mostAskedMeanwhile, before: createdAt + 1 };
  for (const { question, answers, verdict } of await messages.recent(threadId, options)) {
    const message = [question, ...answers].find((one) => one.id === id);
    if (!message) continue;
    const judged = message === question && verdict !== undefined && { verdict };
    return memoryOfMessage({ message, position: 0, agesFrom: createdAt, ...judged });
  }
  return undefined;
}

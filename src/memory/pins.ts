/** Memories that a channel always puts into its prompts. Only their ids are stored, among the channel's settings. */

import { z } from 'zod';
import type { MemoryKey, StoredSettings } from '../store/store.ts';
import { type Memory, memoryId } from './memories.ts';

/** How many a channel may have: each takes its share of every prompt. */
export const mostPins = 10;

const pinSchema = z.object({
  kind: z.enum(['message', 'shard']),
  threadId: z.string(),
  id: z.string(),
  /** Of a shard: what it was made of, by which the one is found that has taken its place. */
  sourceIds: z.array(z.string()).readonly(),
});
export type Pin = z.infer<typeof pinSchema>;

const prefix = 'pin:';

/** The name of a pin's setting in its channel's scope. */
export function pinSetting(key: MemoryKey): string {
  return `${prefix}${memoryId(key)}`;
}

export function pinOf({ kind, threadId, id, sourceIds }: Memory): Pin {
  return { kind, threadId, id, sourceIds };
}

/** In the order in which they were made, at most {@link mostPins}. Throws a `ZodError` for a stored pin that is damaged. */
export function pinsIn(settings: StoredSettings): readonly Pin[] {
  return Object.entries(settings)
    .filter(([name]) => name.startsWith(prefix))
    .toSorted(([, one], [, other]) => one.setAt - other.setAt)
    .slice(0, mostPins)
    .map(([, { value }]) => pinSchema.parse(value));
}

/**
 * What to write when messages of a thread are forgotten, so that no pin names them any more. A pin of a
 * summary stays for the rest of what it was made of.
 *
 * @returns By name of the setting; `null` for a pin that goes.
 */
export function pinsWithout(
  pins: readonly Pin[],
  threadId: string,
  messageIds: ReadonlySet<string>,
): Readonly<Record<string, Pin | null>> {
  const changes = pins
    .filter((pin) => pin.threadId === threadId)
    .flatMap((pin): readonly (readonly [string, Pin | null])[] => {
      if (pin.kind === 'message') return messageIds.has(pin.id) ? [[pinSetting(pin), null]] : [];
      const sourceIds = pin.sourceIds.filter((id) => !messageIds.has(id));
      if (sourceIds.length === pin.sourceIds.length) return [];
      return [[pinSetting(pin), sourceIds.length === 0 ? null : { ...pin, sourceIds }]];
    });
  return Object.fromEntries(changes);
}

/**
 * The memory that a pin stands for: itself; or the shard that now holds most of its sources, since
 * shards are made anew and corrected.
 *
 * @param ofThread - What is remembered of the pin's thread.
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

/**
 * Whether a pin will never stand for anything again. The pin of a summary that was partly forgotten
 * waits for the summary of the rest.
 *
 * @param ofThread - As above.
 */
export function isGone(pin: Pin, ofThread: readonly Memory[]): boolean {
  const isLeft = ({ kind, id }: Memory) => kind === 'message' && pin.sourceIds.includes(id);
  return pinnedAmong(pin, ofThread) === undefined && !ofThread.some(isLeft);
}

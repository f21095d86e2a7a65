/** Counts what would be forgotten, so that people can confirm it. */

import { messagePages, rememberedIn } from '../pages.ts';
import type { ForgetBatch, ReadStore } from './batches.ts';

export interface ForgetPreview {
  readonly questions: number;
  /** Complete answers. */
  readonly answers: number;
  /** Shards made from any of these messages. */
  readonly summaries: number;
  readonly threads: number;
  /** The number of turns that overheard the post or person. */
  readonly heardIn: number;
  /** There is more that was not counted. */
  readonly isPart: boolean;
}

/** Counting stops at the batch that reaches this many questions and imported messages. */
const maxCounted = 2000;

/** Throws what the store throws. */
export async function countBatches(
  store: ReadStore,
  batches: AsyncIterable<ForgetBatch>,
): Promise<Omit<ForgetPreview, 'heardIn'>> {
  /** Keys of turns and messages, by thread. */
  const wanted = new Map<string, Set<string>>();
  let size = 0;
  let isPart = false;
  for await (const { threadId, turns, messageIds } of batches) {
    isPart = size >= maxCounted;
    if (isPart) break;
    size += turns.length + messageIds.length;
    const keys = wanted.get(threadId) ?? new Set();
    for (const { turnId } of turns) keys.add(`turn ${turnId}`);
    for (const id of messageIds) keys.add(`message ${id}`);
    if (keys.size > 0) wanted.set(threadId, keys);
  }
  const counts = { questions: 0, answers: 0, summaries: 0 };
  for (const [threadId, keys] of wanted) {
    const ids = new Set<string>();
    for await (const messages of messagePages(store.messages, threadId)) {
      for (const { id, turnId, role, status } of messages) {
        const isWanted = keys.has(`message ${id}`) || keys.has(`turn ${turnId}`);
        if (!isWanted || status !== 'complete') continue;
        counts[role === 'human' ? 'questions' : 'answers'] += 1;
        ids.add(id);
      }
    }
    const { shards } = await rememberedIn(store.memories, { threadId, reach: 'thread' });
    const isMadeOf = (sources: readonly string[]) => sources.some((source) => ids.has(source));
    counts.summaries += shards.filter(({ sourceIds }) => isMadeOf(sourceIds)).length;
  }
  return { ...counts, threads: wanted.size, isPart };
}

/** Counts what would be forgotten, so that people can confirm it. */

import { messagePages } from '../pages.ts';
import { type ForgetBatch, type ReadStore, shardPages } from './batches.ts';

export interface ForgetPreview {
  readonly questions: number;
  /** Complete answers. */
  readonly answers: number;
  /** Shards made from any of these messages. */
  readonly summaries: number;
  readonly threads: number;
  /** The number of turns that overheard the post or person. */
  readonly heardIn: number;
  /** Counting stopped at the limit; there is more. */
  readonly isPart: boolean;
}

/** The limit of questions and imported messages to count. */
const maxCounted = 2000;

interface Wanted {
  readonly turnIds: Set<string>;
  readonly messageIds: Set<string>;
}

/** Throws what the store throws. */
export async function countBatches(
  store: ReadStore,
  batches: AsyncIterable<ForgetBatch>,
): Promise<Omit<ForgetPreview, 'heardIn'>> {
  const wanted = new Map<string, Wanted>();
  let size = 0;
  let isPart = false;
  for await (const { threadId, turns, messageIds } of batches) {
    const room = maxCounted - size;
    if (turns.length + messageIds.length > room) isPart = true;
    const ofThread = wanted.get(threadId) ?? { turnIds: new Set(), messageIds: new Set() };
    for (const { turnId } of turns.slice(0, room)) ofThread.turnIds.add(turnId);
    for (const id of messageIds.slice(0, room)) ofThread.messageIds.add(id);
    if (ofThread.turnIds.size + ofThread.messageIds.size > 0) wanted.set(threadId, ofThread);
    size += Math.min(room, turns.length + messageIds.length);
    if (isPart) break;
  }
  const counts = { questions: 0, answers: 0, summaries: 0 };
  for (const [threadId, ofThread] of wanted) {
    const { questions, answers, ids } = await countThread(store, threadId, ofThread);
    counts.questions += questions;
    counts.answers += answers;
    counts.summaries += await countShards(store, threadId, ids);
  }
  return { ...counts, threads: wanted.size, isPart };
}

async function countThread(
  store: ReadStore,
  threadId: string,
  { turnIds, messageIds }: Wanted,
): Promise<Pick<ForgetPreview, 'questions' | 'answers'> & { readonly ids: ReadonlySet<string> }> {
  const counts = { questions: 0, answers: 0 };
  const ids = new Set<string>();
  for await (const messages of messagePages(store.messages, threadId)) {
    for (const { id, turnId, role, status } of messages) {
      const isWanted = messageIds.has(id) || (turnId !== undefined && turnIds.has(turnId));
      if (!isWanted || status !== 'complete') continue;
      counts[role === 'human' ? 'questions' : 'answers'] += 1;
      ids.add(id);
    }
  }
  return { ...counts, ids };
}

/** The number of current shards made from any of these messages. */
async function countShards(
  store: ReadStore,
  threadId: string,
  ids: ReadonlySet<string>,
): Promise<number> {
  const live = new Set<string>();
  for await (const shards of shardPages(store, threadId)) {
    for (const { id, supersededAt, sourceIds } of shards) {
      const isMade = supersededAt === undefined && sourceIds.some((source) => ids.has(source));
      if (isMade) live.add(id);
      else live.delete(id);
    }
  }
  return live.size;
}

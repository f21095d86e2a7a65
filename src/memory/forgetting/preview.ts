/** Counts what would be forgotten, so that people can confirm it. */

import { messagePages } from '../pages.ts';
import { type ForgetPortion, type ReadStore, shardPages } from './portions.ts';

/** How much there is. */
export interface ForgetPreview {
  readonly questions: number;
  /** Those that are complete. */
  readonly answers: number;
  /** What was made of any of these, and is remembered. */
  readonly summaries: number;
  readonly threads: number;
  /** In how many turns their words stand, because they were read with the question. */
  readonly heardIn: number;
  /** There is more: it was counted up to here. */
  readonly isPart: boolean;
}

/** So many questions and imported messages are counted; more is told as more. */
export const mostCounted = 2000;

interface Wanted {
  readonly turnIds: Set<string>;
  readonly messageIds: Set<string>;
}

/** Changes nothing. Throws what the store throws. */
export async function countPortions(
  store: ReadStore,
  portions: AsyncIterable<ForgetPortion>,
): Promise<Omit<ForgetPreview, 'heardIn'>> {
  const wanted = new Map<string, Wanted>();
  let size = 0;
  let isPart = false;
  for await (const { threadId, turns, messageIds } of portions) {
    const room = mostCounted - size;
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

/** Those that no other has superseded, made of any of these messages. */
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

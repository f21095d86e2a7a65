/** The last questions of a thread as they were said; of a long thread the older part in two or three sentences. */

import { fence } from '../../domain/fence.ts';
import type { Interaction } from '../../store/store.ts';
import type { Compact } from './compaction.ts';
import type { LeftOut } from './context-budget.ts';
import { type Exchange, exchangeOf } from './history.ts';

/** How far back a full history looks, in questions. */
export const mostFullInteractions = 20;
/** So many of the last questions are whole; with what came of each, ten messages. */
const wholeInteractions = 5;

export interface History {
  /** What is longer ago than the exchanges, in short; absent: nothing is, or it could not be shortened. */
  readonly compacted?: Pick<Exchange, 'id' | 'forSages'>;
  /** Oldest first. */
  readonly exchanges: readonly Exchange[];
  readonly leftOut: readonly LeftOut[];
}

export interface FullHistoryOptions {
  readonly compact: Compact;
  /** Told why the older part could not be compacted; it is left out then. */
  readonly onTrouble: (error: unknown, what: string) => void;
}

/** Throws nothing of what `compact` throws. */
export async function fullHistory(
  recent: readonly Interaction[],
  { compact, onTrouble }: FullHistoryOptions,
): Promise<History> {
  const older = recent.slice(0, -wholeInteractions);
  const exchanges = recent
    .slice(-wholeInteractions)
    .map((interaction) => exchangeOf(interaction, 'full'));
  if (older.length === 0) return { exchanges, leftOut: [] };
  // Two or three sentences need no more of an answer than its summary.
  const inShort = older.map((interaction) => exchangeOf(interaction, 'summaries'));
  try {
    const text = await compact(older, inShort);
    return { compacted: compacted(older, text), exchanges, leftOut: [] };
  } catch (error) {
    onTrouble(error, 'older questions could not be compacted');
    const leftOut = older.map(({ question: { threadId, id } }) => ({
      ...({ kind: 'question', threadId, id, why: 'not_compacted' } as const),
    }));
    return { exchanges, leftOut };
  }
}

function compacted(older: readonly Interaction[], text: string) {
  const of = `${older.length} earlier ${older.length === 1 ? 'question' : 'questions'}`;
  return {
    id: older.map(({ question }) => question.id).join(' '),
    forSages: [
      { role: 'user', content: fence('summary', text, { of }) },
      { role: 'assistant', content: '(Remembered.)' },
    ],
  } as const;
}

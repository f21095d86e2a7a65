/** The last questions of a thread as they were said; of a long thread the older part in two or three sentences. */

import { fence } from '../domain/fence.ts';
import type { Interaction } from '../store/store.ts';
import type { Compact } from './compaction.ts';
import type { LeftOut } from './context-budget.ts';
import { type Exchange, exchangeOf } from './history.ts';

/** How far back a full history looks, in interactions. */
export const mostFullInteractions = 20;
/** Up to so many messages everything is whole. */
const wholeMessages = 10;
/** So many of the last interactions are whole in any case. */
const wholeInteractions = 5;
/** The older part grows by so many at once: it is compacted once for as many questions. */
const compactedAtOnce = 5;
/** What the chair is shown. */
const chairInteractions = 3;

export interface History {
  /** Oldest first. */
  readonly exchanges: readonly Exchange[];
  readonly leftOut: readonly LeftOut[];
}

export interface FullHistoryOptions {
  readonly compact: Compact;
  /** Told why the older part could not be compacted; it is left out then. */
  readonly onTrouble: (error: unknown, what: string) => void;
}

/** Throws nothing of what `compact` throws, unless that was aborted. */
export async function fullHistory(
  recent: readonly Interaction[],
  { compact, onTrouble }: FullHistoryOptions,
): Promise<History> {
  const exchanges = recent.map((interaction, at) => {
    const exchange = exchangeOf(interaction, 'full');
    return at < recent.length - chairInteractions ? { ...exchange, forChair: [] } : exchange;
  });
  const messageCount = recent.reduce((sum, { answers }) => sum + 1 + answers.length, 0);
  const spare = Math.max(0, recent.length - wholeInteractions);
  const cut = messageCount <= wholeMessages ? 0 : spare - (spare % compactedAtOnce);
  const [older, newer] = [recent.slice(0, cut), exchanges.slice(cut)];
  if (older.length === 0) return { exchanges: newer, leftOut: [] };
  try {
    const text = await compact(older, exchanges.slice(0, cut));
    return { exchanges: [compacted(older, text), ...newer], leftOut: [] };
  } catch (error) {
    onTrouble(error, 'older questions could not be compacted');
    const leftOut = older.map(({ question: { threadId, id } }) => ({
      ...({ kind: 'question', threadId, id, why: 'not_compacted' } as const),
    }));
    return { exchanges: newer, leftOut };
  }
}

function compacted(older: readonly Interaction[], text: string): Exchange {
  const of = `${older.length} earlier questions`;
  return {
    id: older.map(({ question }) => question.id).join(' '),
    forSages: [
      { role: 'user', content: fence('summary', text, { of }) },
      { role: 'assistant', content: '(Remembered.)' },
    ],
    forChair: [],
  };
}

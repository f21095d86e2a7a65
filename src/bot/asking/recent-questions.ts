/**
 * Which questions a person asked last in a workspace. Kept are the turns' ids alone: what was asked
 * is in the turns, and goes when they go.
 */

import type { Place } from '../../../commands/command.ts';
import { readPastTurn } from '../../council/past-turn.ts';
import type { RecentQuestion } from '../../domain/overview.ts';
import type { JsonObject, StoredSettings, TurnKey, TurnStore } from '../../store/store.ts';

const mostKept = 10;

/** Name of the store's scope that holds them. */
export function recentScope(
  { platform, workspace }: Pick<Place, 'platform' | 'workspace'>,
  personId: string,
): string {
  return `recent:${platform}:${workspace}:${personId}`;
}

/** What has to be written to the scope when one more is asked. */
export function withQuestion(kept: StoredSettings, turnId: string, threadId: string): JsonObject {
  const gone = newestFirst(kept).slice(mostKept - 1);
  return { ...Object.fromEntries(gone.map((old) => [old.turnId, null])), [turnId]: threadId };
}

/** @returns Those that are still kept, newest first. */
export async function readQuestions(
  kept: StoredSettings,
  turns: TurnStore,
): Promise<readonly RecentQuestion[]> {
  const wanted = newestFirst(kept).slice(0, mostKept);
  const records = await Promise.all(wanted.map((turn) => turns.read(turn)));
  return records.flatMap((record) => {
    if (!record) return [];
    const { turnId, threadId, outcome } = record;
    const { question, askedAt } = readPastTurn(record).request;
    return [{ turnId, threadId, question, askedAt, ...(outcome ? { outcome } : {}) }];
  });
}

function newestFirst(kept: StoredSettings): readonly TurnKey[] {
  return Object.entries(kept)
    .toSorted(([, one], [, other]) => other.setAt - one.setAt)
    .flatMap(([turnId, { value }]) =>
      typeof value === 'string' ? [{ turnId, threadId: value }] : [],
    );
}

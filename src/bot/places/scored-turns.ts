/** The scores of turns, as far as people in a place may know of them. */

import type { Place } from '../../../commands/command.ts';
import { mostTurnsCounted, type ScoredTurn } from '../../council/leaderboard.ts';
import { type Score, stepSchemas } from '../../domain/stored-turn.ts';
import { channelOf, isSameChannel, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnSteps, TurnStore } from '../../store/store.ts';

/** How many turns are read at once. */
const pageSize = 500;

export interface ScoresWanted {
  readonly reach: 'channel' | 'workspace';
  /** Milliseconds since 1970. */
  readonly since: number;
}

interface ReadScore extends ScoredTurn {
  readonly threadId: string;
  readonly createdAt: number;
}

/**
 * Of the place's own channel, but of private threads only in the thread itself. Of the rest of the
 * workspace what was asked where everybody in it may read, unless the channel has become private since.
 * Never of another workspace.
 *
 * @returns The oldest first, at most {@link mostTurnsCounted}. Throws what the store throws.
 */
export async function scoredTurnsIn(
  turns: Pick<TurnStore, 'steps'>,
  { threadId: here }: Pick<Place, 'threadId'>,
  { reach, since }: ScoresWanted,
): Promise<readonly ScoredTurn[]> {
  const place = reach === 'channel' ? channelOf(here) : workspaceOf(here);
  const found: ReadScore[] = [];
  let after: string | undefined;
  do {
    const page = await turns.steps(place, {
      ...{ kinds: ['scored', 'feedback'], since, limit: pageSize },
      ...(after !== undefined && { after }),
    });
    found.push(...page.turns.flatMap(readScore));
    after = page.next;
  } while (after !== undefined && found.length < mostTurnsCounted);
  const all = found
    .slice(0, mostTurnsCounted)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  const newest = new Map(all.map((turn) => [channelOf(turn.threadId), turn.score]));
  return all.filter(({ threadId, score }) => {
    if (threadId === here) return true;
    if (score.isPrivateThread) return false;
    return isSameChannel(threadId, here) || [score, newest.get(channelOf(threadId))].every(isOpen);
  });
}

function isOpen(score: Score | undefined): boolean {
  return score?.isPrivate === false;
}

/** Anything that is no score is left out: an imported file can hold anything. */
function readScore({ threadId, createdAt, steps }: TurnSteps): readonly ReadScore[] {
  const dataOf = (wanted: string) =>
    steps.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const [score] = dataOf('scored').flatMap((data) => stepSchemas.scored.safeParse(data).data ?? []);
  const feedback = dataOf('feedback').flatMap(
    (data) => stepSchemas.feedback.safeParse(data).data?.rating ?? [],
  );
  return score ? [{ threadId, createdAt, score, feedback }] : [];
}

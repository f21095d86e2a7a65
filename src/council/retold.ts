/** What happened in a turn, as a live one tells it, from what was kept of it. */

import type { TurnEnd, TurnEvent } from './events.ts';
import type { PastTurn } from './past-turn.ts';

/** What is retold of a turn; of one that goes deeper, with the answers that it goes on from. */
export type Retold = Pick<PastTurn, 'seated' | 'answers' | 'reviews'> &
  Partial<Pick<PastTurn, 'ownAnswer' | 'round' | 'ranked' | 'verdict'>> & {
    readonly request: Pick<PastTurn['request'], 'deepens'>;
  };

/** How a turn ended. @param outcome - As the store has it. */
export function endOf({ ended }: Pick<PastTurn, 'ended'>, outcome = ''): TurnEnd {
  const isKnown = outcome === 'answered' || outcome === 'stopped';
  return { outcome: isKnown ? outcome : 'failed', explanation: ended?.explanation ?? '' };
}

/**
 * Tells the events of a turn without the growth of its texts, in the order of {@link TurnEvent}.
 *
 * @param end - How it ended; absent: it has not, and what has not happened yet is not told.
 */
export function retold(turn: Retold, end?: TurnEnd): readonly TurnEvent[] {
  const { request, seated, ownAnswer, answers, reviews, round, ranked, verdict } = turn;
  const events: TurnEvent[] = [];
  if (seated && request.deepens !== undefined) events.push({ type: 'recalled', seated, answers });
  else {
    if (seated) {
      events.push({ type: 'stage_started', stage: 'moderator' }, { type: 'seated', seated });
      events.push({ type: 'stage_started', stage: 'sages' });
    }
    const asked = end ? [] : (seated?.seats ?? []).map(({ sage }) => sage.key);
    // They are asked at once: those without an answer still think.
    for (const sage of asked.filter((key) => answers.every((answer) => answer.sage !== key))) {
      events.push({ type: 'sage_started', sage });
    }
    for (const answer of answers) {
      events.push({ type: 'sage_started', sage: answer.sage }, { type: 'answered', answer });
    }
  }
  if (ownAnswer) events.push({ type: 'own_answer', ownAnswer });
  if (reviews.length > 0) events.push({ type: 'stage_started', stage: 'reviews' });
  events.push(...reviews.map((review): TurnEvent => ({ type: 'reviewed', review })));
  if (round) {
    const { docket, rebuttals, recasts } = round;
    events.push({ type: 'stage_started', stage: 'docket' }, { type: 'docketed', docket });
    if (rebuttals.length > 0) events.push({ type: 'stage_started', stage: 'rebuttals' });
    events.push(...rebuttals.map((rebuttal): TurnEvent => ({ type: 'rebutted', rebuttal })));
    if (recasts.length > 0) events.push({ type: 'stage_started', stage: 'second_ballots' });
    events.push(...recasts.map((ballot): TurnEvent => ({ type: 'recast', ballot })));
  }
  if (ranked) events.push({ type: 'ranked', ...ranked });
  if (verdict) {
    events.push({ type: 'stage_started', stage: 'verdict' }, { type: 'concluded', verdict });
  }
  if (end) events.push({ type: 'ended', end });
  return events;
}

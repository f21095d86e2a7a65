/** What all ballots of a turn come to. */

import type { Ranking } from '../domain/turn.ts';
import { type Candidate, type CastBallot, rankAnswers } from './ranking.ts';

/**
 * Ranks the answers by the first ballots and, where there were any, the second ones: both count, so that no
 * second thought undoes a first one.
 *
 * @param second - Of some of the answers alone. They weigh in the shares and places; average places, votes,
 *   agreement and self-preference are of the first ballots, which saw all.
 * @see https://arxiv.org/abs/2509.11035 on counting all that was said, and not its end alone.
 */
export function tallied(
  first: readonly CastBallot[],
  second: readonly CastBallot[],
  candidates: readonly Candidate[],
): Ranking {
  const ranking = rankAnswers(first, candidates);
  if (second.length === 0) return ranking;
  const places = new Map(ranking.places.map((place) => [place.sage, place]));
  return {
    ...ranking,
    secondBallots: second.length,
    places: rankAnswers([...first, ...second], candidates).places.map(
      ({ sage, score, position }) => ({ votes: 0, ...places.get(sage), sage, score, position }),
    ),
  };
}

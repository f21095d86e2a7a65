/** What all ballots of a turn come to. */

import type { Ranking, Review, SageAnswer } from '../domain/turn.ts';
import { type CastBallot, rankAnswers } from './ranking.ts';

/**
 * Ranks the answers by the first ballots and, where there were any, the second ones: both count, so that no
 * second thought undoes a first one.
 *
 * @param recasts - Of some of the answers alone. They weigh in the shares and places; average places, votes,
 *   agreement and self-preference are of the first ballots, which saw all.
 * @returns `undefined` without a ballot that could be read: all would share the first place.
 * @see https://arxiv.org/abs/2509.11035 on counting all that was said, and not its end alone.
 */
export function tallied(
  reviews: readonly Review[],
  recasts: readonly Review[],
  answers: readonly SageAnswer[],
): Ranking | undefined {
  const candidates = answers.map(({ sage }) => ({ id: sage, author: sage }));
  const first = ballotsIn(reviews);
  const second = ballotsIn(recasts);
  if (first.length + second.length === 0) return undefined;
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

/** The ballots that could be read, by sages in place of labels. */
export function ballotsIn(reviews: readonly Review[]): readonly CastBallot[] {
  return reviews.flatMap(({ reviewer, ballot, labels }) => {
    if (ballot.status !== 'ranked') return [];
    const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
    const groups = ballot.groups.map((group) => group.flatMap((label) => sageOf.get(label) ?? []));
    return [{ reviewer, groups, shown: labels.map(({ sage }) => sage) }];
  });
}

/** Views that lost, read from the ballots, so that they stay visible whatever the chair writes. */

import type { Dissent, Ranking, Review, SageAnswer, Seat } from '../domain/turn.ts';

/**
 * Finds the answers that some reviewer other than their own author put first, alone or tied,
 * although the council as a whole did not.
 */
export function findDissent(
  reviews: readonly Review[],
  ranking: Ranking,
  answers: readonly SageAnswer[],
  seats: readonly Seat[],
): readonly Dissent[] {
  const nameOf = (key: string) => seats.find((seat) => seat.sage.key === key)?.sage.name ?? key;
  return ranking.places.flatMap((place) => {
    if (place.position === 1) return [];
    const supporters = reviews.filter(
      (review) => review.reviewer !== place.sage && firstChoices(review).includes(place.sage),
    );
    const answer = answers.find((candidate) => candidate.sage === place.sage);
    if (supporters.length === 0 || !answer) return [];
    const names = supporters.map((review) => nameOf(review.reviewer)).join(', ');
    const shown = `${nameOf(place.sage)} came in at place ${place.position}, but was the first choice of ${names}.`;
    return [{ sage: place.sage, shown, summary: answer.summary }];
  });
}

function firstChoices(review: Review): readonly string[] {
  if (review.ballot.status !== 'ranked') return [];
  const best = review.ballot.groups[0] ?? [];
  return review.labels.filter(({ label }) => best.includes(label)).map(({ sage }) => sage);
}

/** A ranking in words: who won, and what it is worth. */

import type { Ranking, Review } from '../../../council/events.ts';
import { placeInWords } from '../../../domain/ballot-words.ts';

/** What {@link rankingWords} needs to name things as they can be shown. */
export interface RankingNames {
  /** @param sage - Key of a sage. */
  readonly nameOf: (sage: string) => string;
  /** Makes a reason that a model or a provider gave safe to show, on one line. */
  readonly inert: (reason: string) => string;
}

export interface RankingWords {
  /** E.g. `Ranking by 3 blind ballots`. */
  readonly title: string;
  /** Best first; `words` follow the name, e.g. `83 % of comparisons won, place 1.3 on average, 3 votes`. */
  readonly rows: readonly {
    readonly position: number;
    readonly name: string;
    readonly words: string;
  }[];
  /** Small print, a sentence each. */
  readonly notes: readonly string[];
}

export function rankingWords(
  { ranking, sameModel }: { readonly ranking: Ranking; readonly sameModel: boolean },
  reviews: readonly Review[],
  { nameOf, inert }: RankingNames,
): RankingWords {
  const ballots = reviews.filter(({ ballot }) => ballot.status === 'ranked').length;
  const missing = reviews.flatMap(({ reviewer, ballot, failure }) => {
    const name = nameOf(reviewer);
    if (failure) return [`No review by ${name}: ${inert(failure.explanation)}`];
    if (ballot.status === 'ranked') return [];
    return [`The review by ${name} counts as no vote: ${inert(ballot.reason)}`];
  });
  return {
    title: `Ranking by ${counted(ballots, 'blind ballot')}`,
    rows: ranking.places.map((place) => ({
      position: place.position,
      name: nameOf(place.sage),
      words: placeInWords(place),
    })),
    notes: sameModel
      ? [...missing, 'One model spoke for all of them, so their agreement is weak evidence.']
      : missing,
  };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

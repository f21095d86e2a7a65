/** What the reviews of a turn come to: the ranking, how far they disagree, and what agreement is worth. */

import type { Ranked } from '../domain/stored-turn.ts';
import type { Review, SageAnswer } from '../domain/turn.ts';
import type { Council } from './council.ts';
import { measureDisagreement } from './disagreement.ts';
import { sharedFamily } from './model-family.ts';
import type { CastBallot } from './ranking.ts';
import { tallied } from './tally.ts';

/**
 * @param answers - Those that were judged.
 * @param council - Says what they were judged by.
 * @param recasts - Second ballots, at depth `deep`.
 */
export function rankedBy(
  reviews: readonly Review[],
  answers: readonly SageAnswer[],
  { criteria }: Pick<Council, 'criteria'>,
  recasts: readonly Review[] = [],
): Ranked {
  const ballots = ballotsOf(reviews);
  const models = answers.map(({ model }) => model);
  const family = sharedFamily(models);
  const disagreement = measureDisagreement(
    ballots,
    answers.map(({ sage, answer }) => ({ id: sage, text: answer })),
  );
  return {
    ranking: tallied(
      ballots,
      ballotsOf(recasts),
      answers.map(({ sage }) => ({ id: sage, author: sage })),
    ),
    sameModel: new Set(models).size === 1,
    ...(family === undefined ? {} : { family }),
    ...(criteria === undefined ? {} : { criteria }),
    ...(disagreement ? { disagreement } : {}),
  };
}

/** The ballots that were read, with the sages in place of the labels. */
export function ballotsOf(reviews: readonly Review[]): readonly CastBallot[] {
  return reviews.flatMap(({ reviewer, ballot, labels }) => {
    if (ballot.status !== 'ranked') return [];
    const sageOf = new Map(labels.map(({ label, sage }) => [label, sage]));
    const groups = ballot.groups.map((group) => group.flatMap((label) => sageOf.get(label) ?? []));
    return [{ reviewer, groups, shown: labels.map(({ sage }) => sage) }];
  });
}

/** What the reviews of a turn come to: the ranking, how far they disagree, and what agreement is worth. */

import type { Round } from '../domain/docket.ts';
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
 * @param round - Of depth `deep`, with its second ballots.
 */
export function rankedBy(
  reviews: readonly Review[],
  answers: readonly SageAnswer[],
  { criteria }: Pick<Council, 'criteria'>,
  round?: Round,
): Ranked {
  const ballots = ballotsOf(reviews);
  const models = answers.map(({ model }) => model);
  const family = sharedFamily(models);
  const disagreement = measureDisagreement(
    ballots,
    answers.map(({ sage, answer }) => ({ id: sage, text: answer })),
    round,
  );
  return {
    ranking: tallied(
      ballots,
      ballotsOf(round?.recasts ?? []),
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

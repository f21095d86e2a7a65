/** Ballots, rankings and confidence in words, for people. */

import type { Ranking, Review } from './turn.ts';
import { counted, oneLine } from './words.ts';

/**
 * A ballot as it was read.
 *
 * @param nameOf - The name of a sage by its key.
 * @returns E.g. `Seneca (B) > Ada (A) = Ben (C); the others were not ranked`.
 */
export function ballotInWords(
  { labels, ballot }: Pick<Review, 'labels' | 'ballot'>,
  nameOf: (sage: string) => string,
): string {
  if (ballot.status === 'abstained') return `Counts as no vote: ${ballot.reason}`;
  const behind = (label: string) => labels.find((one) => one.label === label)?.sage ?? label;
  const places = ballot.groups.map((group) =>
    group.map((label) => `${nameOf(behind(label))} (${label})`).join(' = '),
  );
  return `${places.join(' > ')}${ballot.partial ? '; the others were not ranked' : ''}`;
}

/** Where an answer came in a ranking, e.g. `83 % of comparisons won, place 1.3 on average, 3 votes`. */
export function placeInWords({ score, averagePosition, votes }: Ranking['places'][number]): string {
  return [
    `${Math.round(score * 100)} % of comparisons won`,
    ...(averagePosition === undefined ? [] : [`place ${averagePosition.toFixed(1)} on average`]),
    counted(votes, 'vote'),
  ].join(', ');
}

/** Below a ranking whose sages all speak through one model. */
export const sameModelNote =
  'One model spoke for all of them, so their agreement is weak evidence.';

/**
 * How sure a verdict is and why, on one line, e.g. `medium. Whether the neighbours want to share is not known.`
 *
 * @returns `undefined` where nobody said, e.g. of an answer that stands in for a verdict.
 */
export function confidenceInWords({
  confidence,
  confidenceReason,
}: {
  readonly confidence?: string | undefined;
  readonly confidenceReason?: string | undefined;
}): string | undefined {
  if (confidence === undefined || confidenceReason === undefined) return confidence;
  return `${confidence}. ${oneLine(confidenceReason)}`;
}

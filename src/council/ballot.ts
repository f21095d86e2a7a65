/** Reads a reviewer's ballot from its review. */

import type { z } from 'zod';
import type { ballotSchema } from '../domain/turn.ts';
import { indexLabels } from './ballot/labels.ts';
import { layOut } from './ballot/layout.ts';
import { ownLines } from './ballot/lines.ts';
import type { Groups } from './ballot/order.ts';
import { findAnnounced, readUnannounced } from './ballot/rankings.ts';
import { namesAll } from './ballot/regions.ts';

/** The ranking read from a review, or the reason for abstaining. */
export type Ballot = z.infer<typeof ballotSchema>;

/** Of a longer review only the end is read, because the ranking concludes it. */
const maxReviewChars = 100_000;

/**
 * Reads the ranking from one reviewer's text.
 *
 * Reads announced rankings (after `FINAL RANKING:` and the like, or under a JSON key), written as a list, a table,
 * a chain such as `C > A` or an enumeration. Of several, the last complete one counts, else the longest, and of
 * equally long ones the last. Quoted rankings don't count. An unannounced order counts only if its form can't mean
 * anything else. Unknown labels are ignored.
 *
 * Never guesses an order from mere mentions: a guessed ballot worsens the winner, a missing one doesn't.
 *
 * @param review - The whole reply; of a longer one the last 100,000 characters are read.
 * @param labels - The labels this reviewer was shown, in its own order, e.g. `['A', 'B', 'C']`.
 * @returns Groups of tied labels, best first, each label at most once and exactly as given; or an abstention
 *   with its reason. Never throws. Takes time linear in the text.
 */
export function readBallot(review: string, labels: readonly string[]): Ballot {
  const known = indexLabels(labels);
  if (known.shown.length === 0) return abstain('No answer was shown to this reviewer.');
  const text = lastPart(review);
  if (text.trim() === '') return abstain('The review is empty.');

  const lines = layOut(ownLines(text, known).join('\n'), known);
  const announced = findAnnounced(lines, known);
  const groups =
    choose(announced.rankings, known.shown) ??
    (announced.headings === 0 ? readUnannounced(lines, known) : undefined);
  if (groups === undefined) {
    return abstain(
      announced.headings > 0
        ? 'A ranking is announced, but no clear order of the answers follows.'
        : 'The review has no ranking of its own; the order is never guessed from how answers are mentioned.',
    );
  }
  return {
    status: 'ranked',
    groups: groups.map((group) => [...group]),
    partial: !namesAll(groups, known.shown),
  };
}

function lastPart(review: string): string {
  if (review.length <= maxReviewChars) return review;
  const part = review.slice(-maxReviewChars);
  // The first line may be cut, and with it the mark of a quotation.
  const lineEnd = part.indexOf('\n');
  return lineEnd < 0 ? part : part.slice(lineEnd + 1);
}

/** The last complete ranking, else the one with the most labels; the later of two with the same number. */
function choose(rankings: readonly Groups[], shown: readonly string[]): Groups | undefined {
  const whole = rankings.findLast((groups) => namesAll(groups, shown));
  if (whole !== undefined) return whole;
  return rankings.reduce<Groups | undefined>(
    (best, groups) => (groups.flat().length >= (best?.flat().length ?? 1) ? groups : best),
    undefined,
  );
}

function abstain(reason: string): Ballot {
  return { status: 'abstained', reason };
}

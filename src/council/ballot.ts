/** Reads one reviewer's ballot out of the review that it wrote. */

import type { z } from 'zod';
import type { ballotSchema } from '../domain/turn.ts';
import { knowLabels, type Labels } from './ballot/labels.ts';
import { readLines, tellVoices } from './ballot/lines.ts';
import type { Groups } from './ballot/order.ts';
import { findAnnounced, readUnannounced } from './ballot/rankings.ts';
import { namesAll } from './ballot/regions.ts';

/** The ranking read from a review, or why there is none. */
export type Ballot = z.infer<typeof ballotSchema>;

/** Characters of a review that are looked at; of a longer one the last, since the ranking concludes it. */
const maxReviewChars = 100_000;

/**
 * Reads the ranking out of one reviewer's text.
 *
 * It reads the ranking that the reviewer announces (`FINAL RANKING:` and its kin, or a key in JSON), as a
 * list, a table, an order in signs or an enumeration; of several the last one that names every label, else
 * the longest, and of those the last. What the reviewer quotes does not count. Without an announcement it
 * takes only what can't be anything but a ranking. Labels that were not shown are left out.
 *
 * It never guesses an order from mere mentions: a guessed ballot makes the winner worse, a missing one
 * does not.
 *
 * @param review - The reviewer's whole reply; at most 100 000 characters are looked at, of a longer one the last.
 * @param labels - The labels this reviewer was shown, in its own order, e.g. `['A', 'B', 'C']`.
 * @returns Groups of tied labels, best first, each label at most once and exactly as given; or an abstention
 *   with its reason. Never throws. Takes time linear in the text.
 */
export function readBallot(review: string, labels: readonly string[]): Ballot {
  const known = knowLabels(labels);
  if (known.shown.length === 0) return abstain('No answer was shown to this reviewer.');
  const text = lastPart(review);
  if (text.trim() === '') return abstain('The review is empty.');

  const voices = tellVoices(readLines(text, known), known);
  const announced = findAnnounced(voices.own, known);
  const groups =
    choose(
      announced.rankings.map((ranking) => ranking.groups),
      known.shown,
    ) ?? (announced.headings === 0 ? readUnannounced(voices.own, known) : undefined);
  if (groups === undefined) return abstain(explain(announced.headings, voices.quoted, known));
  return {
    status: 'ranked',
    groups: groups.map((group) => [...group]),
    partial: !namesAll(groups, known.shown),
  };
}

function lastPart(review: string): string {
  if (review.length <= maxReviewChars) return review;
  const part = review.slice(-maxReviewChars);
  // The first line may have lost its beginning, and with it what tells that it is quoted.
  const lineEnd = part.indexOf('\n');
  return lineEnd < 0 ? part : part.slice(lineEnd + 1);
}

/** The last ranking of all labels; else the one of the most labels, the later of two alike. */
function choose(rankings: readonly Groups[], shown: readonly string[]): Groups | undefined {
  const whole = rankings.findLast((groups) => namesAll(groups, shown));
  if (whole !== undefined) return whole;
  return rankings.reduce<Groups | undefined>(
    (best, groups) => (groups.flat().length >= (best?.flat().length ?? 1) ? groups : best),
    undefined,
  );
}

function explain(headings: number, quoted: readonly string[], labels: Labels): string {
  if (headings > 0) return 'A ranking is announced, but no clear order of the answers follows.';
  if (findAnnounced(quoted, labels).rankings.length > 0) {
    return "The only ranking stands in a quotation; it is not the reviewer's own.";
  }
  return 'The review holds no ranking; an order is not guessed from how answers are mentioned.';
}

function abstain(reason: string): Ballot {
  return { status: 'abstained', reason };
}

/** BM25, as Robertson and Zaragoza (2009) write it, with the idf that is never negative. */

import type { Occurrences } from './posting-lists.ts';

const k1 = 0.9;
const b = 0.4;

/** What BM25 asks of a collection. */
export interface Collection {
  readonly size: number;
  /** Sum of all {@link lengths}. */
  readonly length: number;
  /** By the document's number. */
  readonly lengths: readonly number[];
}

/**
 * Adds what a term is worth to each holder's score.
 *
 * @param scores - By the document's number.
 * @param factor - What the term counts for beside others.
 */
export function addBm25(
  scores: Float64Array,
  { holders, counts }: Occurrences,
  { size, length, lengths }: Collection,
  factor = 1,
): void {
  const rarity = Math.log(1 + (size - holders.length + 0.5) / (holders.length + 0.5));
  for (let index = 0; index < holders.length; index += 1) {
    const holder = holders[index] ?? 0;
    const count = counts[index] ?? 0;
    const relativeLength = length === 0 ? 1 : ((lengths[holder] ?? 0) * size) / length;
    const saturated = (count * (k1 + 1)) / (count + k1 * (1 - b + b * relativeLength));
    scores[holder] = (scores[holder] ?? 0) + factor * rarity * saturated;
  }
}

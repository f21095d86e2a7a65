/** BM25, as Robertson and Zaragoza (2009) write it, with the idf that is never negative. */

const k1 = 0.9;
const b = 0.4;

/** What BM25 asks of a collection. */
export interface Collection<Holder> {
  readonly size: number;
  /** Sum of {@link lengthOf} over all. */
  readonly length: number;
  lengthOf(holder: Holder): number;
}

/**
 * Adds what a term is worth to each holder's score.
 *
 * @param occurrences - How often each holder has it.
 * @param factor - What the term counts for beside others.
 */
export function addBm25<Holder>(
  scores: Map<Holder, number>,
  occurrences: ReadonlyMap<Holder, number>,
  { size, length, lengthOf }: Collection<Holder>,
  factor = 1,
): void {
  const rarity = Math.log(1 + (size - occurrences.size + 0.5) / (occurrences.size + 0.5));
  for (const [holder, count] of occurrences) {
    const relativeLength = length === 0 ? 1 : (lengthOf(holder) * size) / length;
    const saturated = (count * (k1 + 1)) / (count + k1 * (1 - b + b * relativeLength));
    scores.set(holder, (scores.get(holder) ?? 0) + factor * rarity * saturated);
  }
}

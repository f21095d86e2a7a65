/** BM25 over passages. A passage is a message and its neighbours, read as one document. */

import type { Occurrences } from './posting-lists.ts';
import type { Talk } from './threads.ts';

/** The extent of a passage around its central message. */
export interface Reach {
  /** Messages on each side, up to 6; 0 for the message alone. */
  readonly steps: number;
  /** Counts only messages by the central message's speaker. Default: false. */
  readonly isOneSpeaker?: boolean;
}

const k1 = 0.9;
const b = 0.4;
/** The weight of a word by its distance from the central message. */
const decay = Float64Array.from({ length: 7 }, (_, steps) => 0.9 ** steps);

/** Scores the passages of one talk, one around each message. */
export class Passages {
  readonly #talk: Talk;
  /** The weighted count of the current term in each passage; all 0 between terms. */
  readonly #sums: Float64Array;
  /** The positions of the passages that contain the current term. */
  readonly #held: Int32Array;

  constructor(talk: Talk) {
    this.#talk = talk;
    this.#sums = new Float64Array(talk.entries.length);
    this.#held = new Int32Array(talk.entries.length);
  }

  /**
   * Adds the BM25 score of each passage to the scores, by position: as in Robertson and Zaragoza (2009), with
   * an idf that is never negative. Each repetition of a word counts less, so a passage scores higher for
   * several words of a query than for many occurrences of one.
   *
   * @param terms - Scored independently.
   * @param lengths - Terms per document, by document number.
   */
  addScores(
    scores: Float64Array,
    terms: readonly Occurrences[],
    lengths: readonly number[],
    reach: Reach,
  ): void {
    if (terms.length === 0) return;
    const halfway = this.#halfway(lengths, reach);
    const { positions, first, last, speakers } = this.#talk;
    const [sums, held] = [this.#sums, this.#held];
    const { steps, isOneSpeaker = false } = reach;
    const size = sums.length;
    // Loops here and below, because callbacks per position would dominate the cost of a search.
    for (const { holders, counts } of terms) {
      // A term in half of the messages is in nearly all passages, so it distinguishes none.
      if (steps > 0 && holders.length > size / 2) continue;
      let holding = 0;
      for (let index = 0; index < holders.length; index += 1) {
        const position = positions[holders[index] ?? 0] ?? -1;
        if (position < 0) continue;
        const count = counts[index] ?? 0;
        const to = Math.min(last[position] ?? 0, position + steps);
        for (
          let other = Math.max(first[position] ?? 0, position - steps);
          other <= to;
          other += 1
        ) {
          if (isOneSpeaker && speakers[other] !== speakers[position]) continue;
          const sum = sums[other] ?? 0;
          if (sum === 0) {
            held[holding] = other;
            holding += 1;
          }
          sums[other] = sum + count * (decay[Math.abs(other - position)] ?? 0);
        }
      }
      const rarity = (k1 + 1) * Math.log(1 + (size - holding + 0.5) / (holding + 0.5));
      for (let index = 0; index < holding; index += 1) {
        const position = held[index] ?? 0;
        const count = sums[position] ?? 0;
        scores[position] =
          (scores[position] ?? 0) + (rarity * count) / (count + (halfway[position] ?? 0));
        sums[position] = 0;
      }
    }
  }

  /** By position, the weighted count at which a term reaches half of its maximum score; higher for long passages. */
  #halfway(lengths: readonly number[], { steps, isOneSpeaker = false }: Reach): Float64Array {
    const { entries, first, last, speakers } = this.#talk;
    const size = entries.length;
    const own = new Float64Array(size);
    for (let position = 0; position < size; position += 1)
      own[position] = lengths[entries[position]?.number ?? 0] ?? 0;
    const halfway = new Float64Array(size);
    let all = 0;
    for (let position = 0; position < size; position += 1) {
      let length = 0;
      const to = Math.min(last[position] ?? 0, position + steps);
      for (let other = Math.max(first[position] ?? 0, position - steps); other <= to; other += 1) {
        if (isOneSpeaker && speakers[other] !== speakers[position]) continue;
        length += (own[other] ?? 0) * (decay[Math.abs(other - position)] ?? 0);
      }
      halfway[position] = length;
      all += length;
    }
    const perLength = (b * size) / (all || 1);
    for (let position = 0; position < size; position += 1) {
      halfway[position] = k1 * (1 - b + perLength * (halfway[position] ?? 0));
    }
    return halfway;
  }
}

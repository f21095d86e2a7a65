/** BM25 over passages: a message with those around it, read as one document. */

import type { Occurrences } from './posting-lists.ts';
import type { Talk } from './threads.ts';

/** How far a passage goes from the message in its middle. */
export interface Reach {
  /** How many messages to each side, up to 6; 0 reads each message by itself. */
  readonly steps: number;
  /** Only what the speaker of the message in the middle said. Default: what everyone said. */
  readonly isOneSpeaker?: boolean;
}

const k1 = 0.9;
const b = 0.4;
/** What a word counts for, so many steps away from the middle. */
const decay = Float64Array.from({ length: 7 }, (_, steps) => 0.9 ** steps);

/** Reads the passages of one talk, one around each message. */
export class Passages {
  readonly #talk: Talk;
  /** How much of a term each passage holds; all 0 between two terms. */
  readonly #sums: Float64Array;
  /** The positions of the passages that hold some of it. */
  readonly #held: Int32Array;

  constructor(talk: Talk) {
    this.#talk = talk;
    this.#sums = new Float64Array(talk.entries.length);
    this.#held = new Int32Array(talk.entries.length);
  }

  /**
   * Adds to the scores, by position, how near each passage is to a question: BM25, as Robertson and
   * Zaragoza (2009) write it, with the idf that is never negative. A word that a passage repeats counts for
   * less each time, so covering several words of a question is worth more than the same one often.
   *
   * @param terms - Each counts by itself.
   * @param lengths - How many terms a document has, by its number.
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
    // Loops, here and below: a callback for each position is most of what a search costs.
    for (const { holders, counts } of terms) {
      // Nearly all passages hold what half of the messages hold: it tells none from the others.
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

  /** By position: how much of a term brings half of what the term can bring. Long passages need more of it. */
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

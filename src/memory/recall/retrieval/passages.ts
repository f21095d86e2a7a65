/** BM25 over passages: a message with those around it, read as one document. */

import type { Occurrences } from './posting-lists.ts';
import type { Talk } from './threads.ts';

/** How far a passage goes from the message in its middle. */
export interface Reach {
  /** How many messages to each side; 0 reads each message by itself. */
  readonly steps: number;
  /** Only what the speaker of the message in the middle said. Default: what everyone said. */
  readonly isOneSpeaker?: boolean;
}

const k1 = 0.9;
const b = 0.4;
/** What a word counts for with each step away from the middle. */
const decay = 0.9;

/**
 * How near the passages of a talk, one around each message, are to a question: BM25, as Robertson and
 * Zaragoza (2009) write it, with the idf that is never negative. A word that a passage repeats counts for
 * less each time, so covering several words of a question is worth more than the same one often.
 *
 * @param scores - By position; what a passage holds of the terms is added to it.
 * @param terms - Each counts by itself.
 * @param lengths - How many terms a document has, by its number.
 */
export function addPassageScores(
  scores: Float64Array,
  talk: Talk,
  terms: readonly Occurrences[],
  lengths: readonly number[],
  reach: Reach,
): void {
  const size = talk.entries.length;
  if (terms.length === 0) return;
  const ofLength = new Sums(talk, reach);
  for (let position = 0; position < size; position += 1) {
    ofLength.add(position, lengths[talk.entries[position]?.number ?? 0] ?? 0);
  }
  const halfway = ofLength.byPosition;
  // Loops, here and below: a callback for each position is most of what a search costs.
  let length = 0;
  for (let position = 0; position < size; position += 1) length += halfway[position] ?? 0;
  const perLength = (b * size) / (length || 1);
  for (let position = 0; position < size; position += 1) {
    halfway[position] = k1 * (1 - b + perLength * (halfway[position] ?? 0));
  }
  const ofTerm = new Sums(talk, reach);
  const { byPosition, positions } = ofTerm;
  for (const { holders, counts } of terms) {
    // Nearly all passages hold what half of the messages hold: it tells none from the others.
    if (reach.steps > 0 && holders.length > size / 2) continue;
    for (let index = 0; index < holders.length; index += 1) {
      const position = talk.positions[holders[index] ?? 0] ?? -1;
      if (position >= 0) ofTerm.add(position, counts[index] ?? 0);
    }
    const holding = ofTerm.size;
    const rarity = (k1 + 1) * Math.log(1 + (size - holding + 0.5) / (holding + 0.5));
    for (let index = 0; index < holding; index += 1) {
      const position = positions[index] ?? 0;
      const count = byPosition[position] ?? 0;
      scores[position] =
        (scores[position] ?? 0) + (rarity * count) / (count + (halfway[position] ?? 0));
    }
    ofTerm.clear();
  }
}

/** How much of something each passage holds. */
class Sums {
  readonly byPosition: Float64Array;
  /** The first `size` are the positions of the passages that hold some of it. */
  readonly positions: Int32Array;
  size = 0;
  readonly #talk: Talk;
  readonly #steps: number;
  readonly #isOneSpeaker: boolean;
  /** What a word counts for, from as far before the middle as a passage goes to as far after it. */
  readonly #shares: Float64Array;

  constructor(talk: Talk, { steps, isOneSpeaker = false }: Reach) {
    this.#talk = talk;
    this.#steps = steps;
    this.#isOneSpeaker = isOneSpeaker;
    const away = Float64Array.from({ length: 2 * steps + 1 }, (_, at) => Math.abs(at - steps));
    this.#shares = away.map((step) => decay ** step);
    this.byPosition = new Float64Array(talk.entries.length);
    this.positions = new Int32Array(talk.entries.length);
  }

  /** Adds what a document has to every passage that it is part of. */
  add(position: number, amount: number): void {
    const { first, last, speakers } = this.#talk;
    const { byPosition, positions } = this;
    const shares = this.#shares;
    const before = position - this.#steps;
    const to = Math.min(last[position] ?? 0, position + this.#steps);
    const speaker = this.#isOneSpeaker ? speakers[position] : undefined;
    let { size } = this;
    for (let other = Math.max(first[position] ?? 0, before); other <= to; other += 1) {
      if (speaker !== undefined && speakers[other] !== speaker) continue;
      const sum = byPosition[other] ?? 0;
      if (sum === 0) {
        positions[size] = other;
        size += 1;
      }
      byPosition[other] = sum + amount * (shares[other - before] ?? 0);
    }
    this.size = size;
  }

  clear(): void {
    const { byPosition, positions } = this;
    for (let index = 0; index < this.size; index += 1) byPosition[positions[index] ?? 0] = 0;
    this.size = 0;
  }
}

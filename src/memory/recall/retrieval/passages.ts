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
 * @param terms - Each counts by itself.
 * @param lengths - How many terms a document has, by its number.
 * @returns By place; 0 where a passage holds none of the terms.
 */
export function passageScores(
  talk: Talk,
  terms: readonly Occurrences[],
  lengths: readonly number[],
  reach: Reach,
): Float64Array {
  const size = talk.entries.length;
  const scores = new Float64Array(size);
  if (terms.length === 0) return scores;
  const ofLength = new Sums(talk, reach);
  for (let place = 0; place < size; place += 1) {
    ofLength.add(place, lengths[talk.entries[place]?.number ?? 0] ?? 0);
  }
  const meanLength = ofLength.byPlace.reduce((sum, length) => sum + length, 0) / size || 1;
  const ofTerm = new Sums(talk, reach);
  for (const { holders, counts } of terms) {
    // Nearly all passages hold what half of the messages hold: it tells none from the others.
    if (reach.steps > 0 && holders.length > size / 2) continue;
    for (let index = 0; index < holders.length; index += 1) {
      const place = talk.places[holders[index] ?? 0] ?? -1;
      if (place >= 0) ofTerm.add(place, counts[index] ?? 0);
    }
    const rarity = Math.log(1 + (size - ofTerm.size + 0.5) / (ofTerm.size + 0.5));
    for (let index = 0; index < ofTerm.size; index += 1) {
      const place = ofTerm.places[index] ?? 0;
      const count = ofTerm.byPlace[place] ?? 0;
      const relativeLength = (ofLength.byPlace[place] ?? 0) / meanLength;
      const saturated = (count * (k1 + 1)) / (count + k1 * (1 - b + b * relativeLength));
      scores[place] = (scores[place] ?? 0) + rarity * saturated;
    }
    ofTerm.clear();
  }
  return scores;
}

/** How much of something each passage holds. */
class Sums {
  readonly byPlace: Float64Array;
  /** The first `size` are the places of the passages that hold some of it. */
  readonly places: Int32Array;
  size = 0;
  readonly #talk: Talk;
  readonly #reach: Reach;
  /** What a word counts for, by how far it is from the middle. */
  readonly #shares: Float64Array;

  constructor(talk: Talk, reach: Reach) {
    this.#talk = talk;
    this.#reach = reach;
    this.#shares = Float64Array.from({ length: reach.steps + 1 }, (_, away) => decay ** away);
    this.byPlace = new Float64Array(talk.entries.length);
    this.places = new Int32Array(talk.entries.length);
  }

  /** Adds what a document has to every passage that it is part of. */
  add(place: number, amount: number): void {
    const { first, last, speakers } = this.#talk;
    const { steps, isOneSpeaker = false } = this.#reach;
    const { byPlace } = this;
    const from = Math.max(first[place] ?? 0, place - steps);
    const to = Math.min(last[place] ?? 0, place + steps);
    for (let other = from; other <= to; other += 1) {
      if (isOneSpeaker && speakers[other] !== speakers[place]) continue;
      const sum = byPlace[other] ?? 0;
      if (sum === 0) {
        this.places[this.size] = other;
        this.size += 1;
      }
      byPlace[other] = sum + amount * (this.#shares[Math.abs(other - place)] ?? 0);
    }
  }

  clear(): void {
    for (let index = 0; index < this.size; index += 1) this.byPlace[this.places[index] ?? 0] = 0;
    this.size = 0;
  }
}

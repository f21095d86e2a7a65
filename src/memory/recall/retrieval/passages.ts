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

const none = -1;
const k1 = 0.9;
const b = 0.4;
/** What a word counts for, so many steps away from the middle. */
const decay = Float64Array.from({ length: 7 }, (_, steps) => 0.9 ** steps);

/** Terms of one kind. */
export interface TermsOfKind {
  /** Each counts by itself. */
  readonly terms: readonly Occurrences[];
  /** How many terms of the kind a document has, by its number. */
  readonly lengths: readonly number[];
}

/** Where the passage around each position begins, and where each of its positions goes on. */
interface Course {
  readonly first: Int32Array;
  readonly after: Int32Array;
}

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
   * How near each passage is to a question, by position: BM25, as Robertson and Zaragoza (2009) write it,
   * with the idf that is never negative. A word that a passage repeats counts for less each time, so
   * covering several words of a question is worth more than the same one often.
   */
  scores(reach: Reach, kinds: readonly TermsOfKind[]): Float64Array {
    const scores = new Float64Array(this.#sums.length);
    const course = this.#course(reach);
    for (const { terms, lengths } of kinds) {
      if (terms.length > 0) this.#addScores(scores, terms, lengths, reach.steps, course);
    }
    return scores;
  }

  #addScores(
    scores: Float64Array,
    terms: TermsOfKind['terms'],
    lengths: TermsOfKind['lengths'],
    steps: number,
    course: Course,
  ): void {
    const halfway = this.#halfway(lengths, steps, course);
    const { positions } = this.#talk;
    const { first, after } = course;
    const [sums, held] = [this.#sums, this.#held];
    const size = sums.length;
    // Loops, here and below: a callback for each position is most of what a search costs.
    for (const term of terms) {
      const holders = term.reduce((sum, { postings }) => sum + postings.holders.length, 0);
      // Nearly all passages hold what half of the messages hold: it tells none from the others.
      if (steps > 0 && holders > size / 2) continue;
      let holding = 0;
      for (const { postings, worth } of term) {
        for (let index = 0; index < postings.holders.length; index += 1) {
          const position = positions[postings.holders[index] ?? 0] ?? none;
          if (position < 0) continue;
          const count = worth * (postings.counts[index] ?? 0);
          const to = position + steps;
          let other = first[position] ?? none;
          for (; other >= 0 && other <= to; other = after[other] ?? none) {
            const sum = sums[other] ?? 0;
            if (sum === 0) {
              held[holding] = other;
              holding += 1;
            }
            sums[other] = sum + count * (decay[Math.abs(other - position)] ?? 0);
          }
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
  #halfway(lengths: readonly number[], steps: number, { first, after }: Course): Float64Array {
    const { entries } = this.#talk;
    const size = entries.length;
    const own = new Float64Array(size);
    for (let position = 0; position < size; position += 1)
      own[position] = lengths[entries[position]?.number ?? 0] ?? 0;
    const halfway = new Float64Array(size);
    let all = 0;
    for (let position = 0; position < size; position += 1) {
      let length = 0;
      const to = position + steps;
      let other = first[position] ?? none;
      for (; other >= 0 && other <= to; other = after[other] ?? none) {
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

  #course({ steps, isOneSpeaker = false }: Reach): Course {
    const { before, after } = isOneSpeaker ? this.#talk.ofSpeaker : this.#talk.inThread;
    const first = new Int32Array(this.#sums.length);
    for (let position = 0; position < first.length; position += 1) {
      const previous = before[position] ?? none;
      let start = previous < 0 ? position : (first[previous] ?? none);
      while (start < position - steps) start = after[start] ?? position;
      first[position] = start;
    }
    return { first, after };
  }
}

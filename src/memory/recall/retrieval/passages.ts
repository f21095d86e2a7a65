/** BM25 over passages. A passage is a message and its neighbours, read as one document. */

import { holdersOf, type Occurrences } from './posting-lists.ts';
import type { Talk } from './threads.ts';

/** The extent of a passage around its central message. */
export interface Reach {
  /** Messages on each side, up to 6; 0 for the message alone. */
  readonly steps: number;
  /** Counts only messages by the central message's speaker. Default: false. */
  readonly isOneSpeaker?: boolean;
}

const none = -1;
const k1 = 0.9;
const b = 0.4;
/** The weight of a word by its distance from the central message. */
const decay = Float64Array.from({ length: 7 }, (_, steps) => 0.9 ** steps);

/** Terms of one kind: words or n-grams. */
export interface TermsOfKind {
  /** Scored independently. */
  readonly terms: readonly Occurrences[];
  /** Terms of this kind per document, by document number. */
  readonly lengths: readonly number[];
}

/** For each position, the first position of its passage, and the position after it. */
interface Course {
  readonly first: Int32Array;
  readonly after: Int32Array;
}

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
   * The BM25 score of each passage, by position: as in Robertson and Zaragoza (2009), with an idf that is never
   * negative. Each repetition of a word counts less, so a passage scores higher for several words of a query
   * than for many occurrences of one.
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
    // Loops here and below, because callbacks per position would dominate the cost of a search.
    for (const term of terms) {
      // A term in half of the messages is in nearly all passages, so it distinguishes none.
      if (steps > 0 && hasMoreHolders(size / 2, term)) continue;
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

  /** By position, the weighted count at which a term reaches half of its maximum score; higher for long passages. */
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

/** Whether more than this many documents contain a term. A document with several of its forms counts once. */
function hasMoreHolders(count: number, term: Occurrences): boolean {
  const all = holdersOf(term);
  // Such a sum comes of many forms, and collecting their documents would take long.
  if (all > 4 * count) return true;
  // The sum rarely exceeds the count, so documents are rarely collected.
  return all > count && new Set(term.flatMap(({ postings }) => postings.holders)).size > count;
}

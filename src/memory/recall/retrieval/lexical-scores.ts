/** What words alone say of how near documents are to a question. */

import { type Analysis, analyse } from './analysis.ts';
import type { Language } from './language.ts';
import { type Occurrences, PostingLists } from './posting-lists.ts';
import { Vocabulary } from './vocabulary.ts';

/** What a part of the score counts for beside the question's own words. */
const speltLikeFactor = 0.4;
const speakerFactor = 0.5;
const shortestNameChars = 3;

/** How near documents are to a question. */
export interface LexicalScore {
  /** By the document's number; 0 for those that have nothing of the question. */
  readonly scores: Float64Array;
  /** Numbers of those whose speaker the question names. */
  readonly named: readonly number[];
}

export class LexicalScores {
  readonly #words = new PostingLists();
  readonly #grams = new PostingLists();
  readonly #names = new PostingLists();
  readonly #vocabulary = new Vocabulary();
  /** By the document's number. */
  readonly #wordCounts: number[] = [];
  readonly #gramCounts: number[] = [];
  #size = 0;
  #wordCount = 0;
  #gramCount = 0;

  /** About how much room it takes. */
  get bytes(): number {
    return this.#words.bytes + this.#grams.bytes + this.#names.bytes;
  }

  /** @param number - Whole, from 0, and no other document's; those of documents that are gone are free. */
  add(number: number, analysis: Analysis, speaker: string): void {
    this.#words.add(number, analysis.words);
    this.#grams.add(number, analysis.grams);
    this.#names.add(number, namePartsOf(speaker));
    this.#wordCounts[number] = analysis.wordCount;
    this.#gramCounts[number] = analysis.gramCount;
    this.#count(1, analysis);
  }

  /** Takes the document as it was added. */
  remove(number: number, analysis: Analysis, speaker: string): void {
    this.#words.remove(number, analysis.words);
    this.#grams.remove(number, analysis.grams);
    this.#names.remove(number, namePartsOf(speaker));
    this.#count(-1, analysis);
  }

  of(asked: Analysis, language: Language): LexicalScore {
    this.#vocabulary.learn(this.#words, language);
    const scores = new Float64Array(this.#wordCounts.length);
    const words = this.#collection(this.#wordCount, this.#wordCounts);
    const grams = this.#collection(this.#gramCount, this.#gramCounts);
    // A word counts once, in whatever forms the question has it.
    const families = new Map<string, readonly string[]>();
    for (const word of asked.words.keys()) {
      const forms = this.#vocabulary.formsOf(word);
      if (forms[0] !== undefined) families.set(forms[0], forms);
      const alike = this.#words.occurrences(this.#vocabulary.speltLike(word));
      addBm25(scores, alike, words, speltLikeFactor);
    }
    for (const forms of families.values()) {
      addBm25(scores, this.#words.occurrences(forms.map((form) => [form, 1])), words);
    }
    for (const gram of asked.grams.keys()) {
      addBm25(scores, this.#grams.occurrences([[gram, 1]]), grams);
    }
    const names = [...asked.words.keys()].filter((word) => !language.stopWords.has(word));
    const named = this.#names.occurrences(names.map((word) => [word, 1]));
    addBm25(scores, named, words, speakerFactor);
    return { scores, named: named.holders };
  }

  #collection(length: number, lengths: readonly number[]): Collection {
    return { size: this.#size, length, lengths };
  }

  #count(sign: 1 | -1, { wordCount, gramCount }: Analysis): void {
    this.#size += sign;
    this.#wordCount += sign * wordCount;
    this.#gramCount += sign * gramCount;
  }
}

/** The words by which a question may name a speaker, e.g. `nassim_taleb`; each counts once. */
function namePartsOf(speaker: string): ReadonlyMap<string, number> {
  const { words } = analyse(speaker.replaceAll('_', ' '));
  const parts = [...words.keys()].filter((part) => part.length >= shortestNameChars);
  return new Map(parts.map((part) => [part, 1]));
}

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
 * Adds what a term is worth to each holder's score: BM25, as Robertson and Zaragoza (2009) write it,
 * with the idf that is never negative.
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

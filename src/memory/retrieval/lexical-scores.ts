/** What words alone say of how near documents are to a question. */

import { type Analysis, analyse } from './analysis.ts';
import { addBm25, type Collection } from './bm25.ts';
import type { MemoryDocument } from './document.ts';
import type { Language } from './language.ts';
import { PostingLists } from './posting-lists.ts';
import type { MeasuredVector } from './vector.ts';
import { Vocabulary } from './vocabulary.ts';

/** A document, taken apart. */
export interface Entry<Document extends MemoryDocument> {
  readonly document: Document;
  readonly wordCount: number;
  readonly gramCount: number;
  /** The words of its speaker's name. */
  readonly nameParts: readonly string[];
  vector?: MeasuredVector;
}

/** What a part of the score counts for beside the question's own words. */
const speltLikeFactor = 0.4;
const speakerFactor = 0.5;
const shortestNameChars = 3;

export class LexicalScores<Document extends MemoryDocument> {
  readonly #words = new PostingLists<Entry<Document>>();
  readonly #grams = new PostingLists<Entry<Document>>();
  readonly #names = new PostingLists<Entry<Document>>();
  readonly #vocabulary = new Vocabulary();
  #size = 0;
  #wordCount = 0;
  #gramCount = 0;

  add(entry: Entry<Document>, analysis: Analysis): void {
    const { nameParts } = entry;
    this.#words.add(entry, analysis.words);
    this.#grams.add(entry, analysis.grams);
    this.#names.add(entry, new Map(nameParts.map((part) => [part, 1])));
    this.#count(1, entry);
  }

  /** @param analysis - As it was added with. */
  remove(entry: Entry<Document>, analysis: Analysis): void {
    const { nameParts } = entry;
    this.#words.remove(entry, analysis.words);
    this.#grams.remove(entry, analysis.grams);
    this.#names.remove(entry, new Map(nameParts.map((part) => [part, 1])));
    this.#count(-1, entry);
  }

  /** The scores of all documents that have anything of the question. */
  of(asked: Analysis, language: Language): Map<Entry<Document>, number> {
    this.#vocabulary.learn(this.#words.terms(), this.#words.size, language);
    const scores = new Map<Entry<Document>, number>();
    const words = this.#collection(this.#wordCount, ({ wordCount }) => wordCount);
    const grams = this.#collection(this.#gramCount, ({ gramCount }) => gramCount);
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
    const named = [...asked.words.keys()]
      .filter((word) => !language.stopWords.has(word))
      .map((word) => [word, 1] as const);
    addBm25(scores, this.#names.occurrences(named), words, speakerFactor);
    return scores;
  }

  #collection(
    length: number,
    lengthOf: (entry: Entry<Document>) => number,
  ): Collection<Entry<Document>> {
    return { size: this.#size, length, lengthOf };
  }

  #count(sign: 1 | -1, { wordCount, gramCount }: Entry<Document>): void {
    this.#size += sign;
    this.#wordCount += sign * wordCount;
    this.#gramCount += sign * gramCount;
  }
}

/** The words of a name that a question may name somebody by, e.g. of `nassim_taleb`. */
export function namePartsOf(speaker: string): readonly string[] {
  const { words } = analyse(speaker.replaceAll('_', ' '));
  return [...words.keys()].filter((part) => part.length >= shortestNameChars);
}

/** Whether the question names who said it. */
export function isNamed(
  { nameParts }: Entry<MemoryDocument>,
  asked: Analysis,
  { stopWords }: Language,
): boolean {
  return nameParts.some((part) => asked.words.has(part) && !stopWords.has(part));
}

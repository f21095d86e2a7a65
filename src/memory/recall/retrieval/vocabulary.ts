/** The words of an index by their stem in one language, and by their spelling. */

import { compareTexts } from '../../../domain/words.ts';
import { type Language, noLanguage } from './language.ts';
import type { PostingLists, WeighedTerms } from './posting-lists.ts';

const minSpeltChars = 4;
/** Words are spelt alike if the Dice coefficient of their stems' trigrams is above this. */
const minLikeness = 0.4;
/** More than 2,000 messages in any language have; further stems are found only by themselves. */
const maxSpeltStems = 30_000;
const maxAlike = 64;
/** How many stems one search compares by their trigrams, counted once per shared trigram. */
const maxComparisons = 100_000;
/** How many words with such stems one search ranks by their likeness: a stem may have any number of forms. */
const maxRanked = 20_000;

/** The words with the same stem. */
interface Family {
  readonly words: string[];
  /** The number of the stem's trigrams. */
  readonly grams: number;
}

export class Vocabulary {
  #language = noLanguage;
  readonly #known = new Set<string>();
  readonly #byStem = new Map<string, Family>();
  readonly #byGram = new Map<string, string[]>();

  /**
   * Adds the index's new words. Starts over when the language changes or most known words are gone.
   *
   * @param words - The same index each time.
   */
  learn(words: PostingLists, language: Language): void {
    let unseen = words.takeNewTerms();
    if (language.name !== this.#language.name || this.#known.size > 2 * words.size) {
      unseen = words.terms();
      this.#language = language;
      this.#known.clear();
      this.#byStem.clear();
      this.#byGram.clear();
    }
    for (const word of unseen) {
      if (this.#known.has(word)) continue;
      this.#known.add(word);
      const stem = this.#stem(word);
      if (stem === undefined) continue;
      const family = this.#byStem.get(stem);
      if (family) family.words.push(word);
      else this.#put(stem, word);
    }
  }

  /** All words with the same stem; none for a stop word. */
  formsOf(word: string): readonly string[] {
    const stem = this.#stem(word);
    return stem === undefined ? [] : (this.#byStem.get(stem)?.words ?? []);
  }

  /**
   * For each word, the words with the most similar spelling and their similarity (above 0.4, below 1): forms
   * that the stemmer misses (`sharpen`, `sharper`), parts of compounds (`Träger`, `Stahlträger`) and typos.
   * Endings are not compared. Stops at trigrams that too many stems share, and at stems of too many words, so
   * hostile texts can't hold it up.
   */
  speltLike(words: readonly string[]): readonly WeighedTerms[] {
    const budget = { comparisons: maxComparisons, ranked: maxRanked };
    return words.map((word) => this.#speltLike(word, budget));
  }

  #speltLike(word: string, budget: { comparisons: number; ranked: number }): WeighedTerms {
    const stem = this.#stem(word);
    if (stem === undefined || budget.ranked < 0) return [];
    const grams = gramsOf(stem);
    const holders = Array.from(grams, (gram) => this.#byGram.get(gram) ?? []);
    const shared = new Map<string, number>();
    for (const others of holders.sort((one, other) => one.length - other.length)) {
      budget.comparisons -= others.length;
      if (budget.comparisons < 0) break;
      for (const other of others) shared.set(other, (shared.get(other) ?? 0) + 1);
    }
    shared.delete(stem);
    const alike: (readonly [string, number])[] = [];
    for (const [other, count] of shared) {
      const family = this.#byStem.get(other);
      const likeness = (2 * count) / (grams.size + (family?.grams ?? 0));
      if (likeness > minLikeness)
        for (const form of family?.words ?? []) alike.push([form, likeness]);
    }
    budget.ranked -= alike.length;
    if (budget.ranked < 0) return [];
    // Sorted by word so that sums don't depend on the order in which words were added.
    const byWord = alike.sort(([one], [other]) => compareTexts(one, other));
    if (alike.length <= maxAlike) return byWord;
    return byWord.toSorted(([, one], [, other]) => other - one).slice(0, maxAlike);
  }

  #put(stem: string, word: string): void {
    const grams = gramsOf(stem);
    this.#byStem.set(stem, { words: [word], grams: grams.size });
    if (this.#byStem.size > maxSpeltStems) return;
    for (const gram of grams) {
      const stems = this.#byGram.get(gram);
      if (stems) stems.push(stem);
      else this.#byGram.set(gram, [stem]);
    }
  }

  #stem(word: string): string | undefined {
    const isLetter = word.length === 1 && !/\p{N}/u.test(word);
    return isLetter || this.#language.stopWords.has(word) ? undefined : this.#language.stem(word);
  }
}

/** A word's distinct trigrams, with its ends padded; none for short words, which match by chance. */
function gramsOf(word: string): ReadonlySet<string> {
  const grams = new Set<string>();
  if (word.length < minSpeltChars) return grams;
  const padded = ` ${word} `;
  for (let start = 0; start + 3 <= padded.length; start += 1) {
    grams.add(padded.slice(start, start + 3));
  }
  return grams;
}

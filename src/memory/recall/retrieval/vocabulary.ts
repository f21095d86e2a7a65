/** The words of an index, by what they come down to in one language and by how they are spelt. */

import { type Language, noLanguage } from './language.ts';
import type { PostingLists, WeighedTerms } from './posting-lists.ts';

const minSpeltChars = 4;
/** Dice coefficient of the trigrams of two stems above which words are spelt alike. */
const minLikeness = 0.4;

/** The words of one stem. */
interface Family {
  readonly words: string[];
  /** How many trigrams the stem has. */
  readonly grams: number;
}

export class Vocabulary {
  #language = noLanguage;
  readonly #known = new Set<string>();
  readonly #byStem = new Map<string, Family>();
  readonly #byGram = new Map<string, string[]>();

  /**
   * Takes in the words that were not seen before. Begins anew when the language is another one, or
   * when most of what was learnt is gone.
   *
   * @param words - The same ones each time: only what is new of them is looked at.
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

  /** All words that come down to the same as this one; none for a word without a meaning of its own. */
  formsOf(word: string): readonly string[] {
    const stem = this.#stem(word);
    return stem === undefined ? [] : (this.#byStem.get(stem)?.words ?? []);
  }

  /**
   * Other words that are spelt much like this one, with how much (above 0.4, below 1): forms that a
   * stemmer misses (`sharpen`, `sharper`), parts of compounds (`Träger`, `Stahlträger`), slips of the
   * pen. Endings do not make words alike.
   */
  speltLike(word: string): WeighedTerms {
    const stem = this.#stem(word);
    if (stem === undefined) return [];
    const grams = gramsOf(stem);
    const shared = new Map<string, number>();
    for (const gram of grams) {
      for (const other of this.#byGram.get(gram) ?? []) {
        shared.set(other, (shared.get(other) ?? 0) + 1);
      }
    }
    shared.delete(stem);
    const alike: (readonly [string, number])[] = [];
    for (const [other, count] of shared) {
      const family = this.#byStem.get(other);
      const likeness = (2 * count) / (grams.size + (family?.grams ?? 0));
      if (likeness > minLikeness)
        for (const form of family?.words ?? []) alike.push([form, likeness]);
    }
    // Whatever order the words came in, they are summed up in the same one.
    return alike.sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #put(stem: string, word: string): void {
    const grams = gramsOf(stem);
    this.#byStem.set(stem, { words: [word], grams: grams.size });
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

/** Each trigram once, the word's two ends included; none for short words, which are alike by chance. */
function gramsOf(word: string): ReadonlySet<string> {
  const grams = new Set<string>();
  if (word.length < minSpeltChars) return grams;
  const padded = ` ${word} `;
  for (let start = 0; start + 3 <= padded.length; start += 1) {
    grams.add(padded.slice(start, start + 3));
  }
  return grams;
}

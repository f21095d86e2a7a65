/** Takes a text apart for retrieval, whatever language it is in: no word is judged here. */

/** What a text is made of. Depends on the text alone, so it can be kept with it. */
export interface Analysis {
  /** Words in lower case with the number of their occurrences. */
  readonly words: ReadonlyMap<string, number>;
  /** Sequences of 2 and 3 characters of writing that has no spaces between words. */
  readonly grams: ReadonlyMap<string, number>;
  /** Occurrences of all words. */
  readonly wordCount: number;
  readonly gramCount: number;
}

/** Scripts that put no spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese. */
const spaceless =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々';
const pieces = new RegExp(`[${spaceless}]+|(?:(?![${spaceless}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');
const startsSpaceless = new RegExp(`^[${spaceless}]`, 'u');
const longestTextChars = 20_000;
const longestWordChars = 64;

/** @param text - At most 20,000 characters are looked at. */
export function analyse(text: string): Analysis {
  const words = new Map<string, number>();
  const grams = new Map<string, number>();
  let wordCount = 0;
  let gramCount = 0;
  const looked = text.slice(0, longestTextChars).normalize('NFKC').toLowerCase();
  for (const [piece] of looked.matchAll(pieces)) {
    if (startsSpaceless.test(piece)) {
      for (const gram of gramsOf(piece)) {
        grams.set(gram, (grams.get(gram) ?? 0) + 1);
        gramCount += 1;
      }
    } else {
      const word = piece.slice(0, longestWordChars);
      words.set(word, (words.get(word) ?? 0) + 1);
      wordCount += 1;
    }
  }
  return { words, grams, wordCount, gramCount };
}

/** A single character stands for itself: it may be a whole word. */
function gramsOf(piece: string): readonly string[] {
  const signs = [...piece];
  if (signs.length === 1) return signs;
  return [2, 3].flatMap((size) =>
    Array.from({ length: Math.max(0, signs.length - size + 1) }, (_, start) =>
      signs.slice(start, start + size).join(''),
    ),
  );
}

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
const runs = /[\p{L}\p{M}\p{N}ー]+/gu;
const hasSpaceless = new RegExp(`[${spaceless}]`, 'u');
const bySpaceless = new RegExp(`([${spaceless}]+)`, 'u');
const longestTextChars = 20_000;
const longestWordChars = 64;

/** Whether something of a text is written without spaces between words. */
export function isSpaceless(text: string): boolean {
  return hasSpaceless.test(text);
}

/** @param text - At most 20,000 characters are looked at. */
export function analyse(text: string): Analysis {
  const looked = text.slice(0, longestTextChars).normalize('NFKC').toLowerCase();
  const words: string[] = [];
  const grams: string[] = [];
  // Asked once of the whole: hardly a text has both kinds of writing.
  const isSpaced = !hasSpaceless.test(looked);
  for (const run of looked.match(runs) ?? []) {
    if (isSpaced || !hasSpaceless.test(run)) words.push(run.slice(0, longestWordChars));
    else {
      for (const piece of run.split(bySpaceless)) {
        if (hasSpaceless.test(piece)) grams.push(...gramsOf(piece));
        else if (piece !== '') words.push(piece.slice(0, longestWordChars));
      }
    }
  }
  return {
    words: counted(words),
    grams: counted(grams),
    wordCount: words.length,
    gramCount: grams.length,
  };
}

function counted(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
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

/**
 * What retrieval knows of a language: which words carry no meaning of their own, and what a word is
 * without its ending. A language without either is searched by its words as they are.
 */

import { franc } from 'franc-min';
import { z } from 'zod';

/** A language, ready for use. */
export interface Language {
  /** In English, lower case, e.g. `german`; `none` where nothing is known of the language. */
  readonly name: string;
  /** A BCP 47 tag, e.g. `de`, or the three letters of ISO 639-3: how dates are written. */
  readonly locale: string;
  readonly stopWords: ReadonlySet<string>;
  stem(word: string): string;
}

/** Nothing is left out and nothing is cut off; months have their English names. */
export const noLanguage: Language = {
  ...{ name: 'none', locale: 'en', stopWords: new Set() },
  stem: (word) => word,
};

interface Source {
  /** By ISO 639-3, where it can be told from a text; absent: only by a setting. */
  readonly code?: string;
  /** Default: its code. */
  readonly locale?: string;
  /** What the packages call it. Default: its name. */
  readonly file?: string;
  /** Default: true. */
  readonly hasStemmer?: boolean;
}

const sources: Readonly<Record<string, Source>> = {
  arabic: { code: 'arb' },
  armenian: { locale: 'hy' },
  bulgarian: { code: 'bul' },
  chinese: { code: 'cmn', file: 'mandarin', hasStemmer: false },
  danish: { locale: 'da' },
  dutch: { code: 'nld' },
  english: { code: 'eng' },
  finnish: { locale: 'fi' },
  french: { code: 'fra' },
  german: { code: 'deu' },
  greek: { code: 'ell' },
  hindi: { code: 'hin', file: 'indian' },
  hungarian: { code: 'hun' },
  indonesian: { code: 'ind' },
  irish: { locale: 'ga' },
  italian: { code: 'ita' },
  japanese: { code: 'jpn', hasStemmer: false },
  lithuanian: { locale: 'lt' },
  nepali: { code: 'npi' },
  norwegian: { locale: 'nb' },
  portuguese: { code: 'por' },
  romanian: { code: 'ron' },
  russian: { code: 'rus' },
  sanskrit: { locale: 'sa' },
  serbian: { code: 'srp' },
  slovenian: { locale: 'sl', hasStemmer: false },
  spanish: { code: 'spa' },
  swedish: { code: 'swe' },
  tamil: { code: 'tam' },
  turkish: { code: 'tur' },
  ukrainian: { code: 'ukr' },
};

/** Names of all languages of which something is known. */
export const knownLanguages: readonly string[] = Object.keys(sources);

/** Shorter samples are taken for languages that they are not in. */
const minSampleChars = 120;

/**
 * Tells which language a text is in.
 *
 * @param sample - At most 2,048 characters of it are looked at.
 * @returns A name of {@link knownLanguages}; `none` for a short text, and for languages of which
 *   nothing is known. Armenian, Danish, Finnish, Irish, Lithuanian, Norwegian, Sanskrit and Slovenian
 *   are never told from a text: they hold where a channel's language is set to them.
 */
export function detectLanguage(sample: string): string {
  if (sample.length < minSampleChars) return noLanguage.name;
  const code = franc(sample);
  return knownLanguages.find((name) => sources[name]?.code === code) ?? noLanguage.name;
}

/** The known language of a setting such as `German` or `german`; absent: nothing is known of it. */
export function languageOfSetting(setting: string): string | undefined {
  const name = setting.trim().toLowerCase();
  return Object.hasOwn(sources, name) ? name : undefined;
}

/** The language that a channel is set to, as {@link languageOfSetting} reads it; else that of a text. */
export function languageFor(text: string, setting = ''): Promise<Language> {
  return loadLanguage(languageOfSetting(setting) ?? detectLanguage(text));
}

const loaded = new Map<string, Promise<Language>>();

/** @param name - Of {@link knownLanguages}; any other gives {@link noLanguage}. */
export function loadLanguage(name: string): Promise<Language> {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (!source) return Promise.resolve(noLanguage);
  const known = loaded.get(name) ?? load(name, source);
  loaded.set(name, known);
  return known;
}

/** Loaded one by one: all of them would be a good part of the time that a start takes. */
async function load(
  name: string,
  { code = noLanguage.locale, locale = code, file = name, hasStemmer = true }: Source,
): Promise<Language> {
  const [words, stemming] = await Promise.all([
    import(/* @vite-ignore */ `@orama/stopwords/${file}`),
    hasStemmer ? import(/* @vite-ignore */ `@orama/stemmers/${file}`) : undefined,
  ]);
  // Words are looked up without their apostrophes, whose parts are words of the list, too.
  const parts = wordsSchema
    .parse(words)
    .stopwords.flatMap((word) => word.toLowerCase().split(/['’]/));
  const stem = stemming === undefined ? noLanguage.stem : stemmingSchema.parse(stemming).stemmer;
  return { name, locale, stopWords: new Set(parts), stem };
}

const wordsSchema = z.object({ stopwords: z.array(z.string()) });
const stemmingSchema = z.object({
  stemmer: z.custom<Language['stem']>((value) => typeof value === 'function'),
});

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
const maxTextChars = 20_000;
const maxWordChars = 64;

/** Whether something of a text is written without spaces between words. */
export function isSpaceless(text: string): boolean {
  return hasSpaceless.test(text);
}

/** @param text - At most 20,000 characters are looked at. */
export function analyse(text: string): Analysis {
  const looked = text.slice(0, maxTextChars).normalize('NFKC').toLowerCase();
  const words: string[] = [];
  const grams: string[] = [];
  // Asked once of the whole: hardly a text has both kinds of writing.
  const isSpaced = !hasSpaceless.test(looked);
  for (const run of looked.match(runs) ?? []) {
    if (isSpaced || !hasSpaceless.test(run)) words.push(run.slice(0, maxWordChars));
    else {
      for (const piece of run.split(bySpaceless)) {
        if (hasSpaceless.test(piece)) grams.push(...gramsOf(piece));
        else if (piece !== '') words.push(piece.slice(0, maxWordChars));
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

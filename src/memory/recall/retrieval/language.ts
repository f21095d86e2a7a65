/**
 * Languages for retrieval: detection, stop words and stemming, as far as the packages have them, and the
 * splitting of text into words, which is the same for all.
 */

import { franc } from 'franc-min';
import { z } from 'zod';
import { plainLetters, spacelessSigns } from '../../../domain/words.ts';

export interface Language {
  /** In English, lower case, e.g. `german`; `none` for an unknown language. */
  readonly name: string;
  /** The locale of dates: a BCP 47 tag, e.g. `de`, or an ISO 639-3 code. */
  readonly locale: string;
  /** Its own and those of English. */
  readonly stopWords: ReadonlySet<string>;
  stem(word: string): string;
}

/** An unknown language: no stop words, no stemming, English month names. */
export const noLanguage: Language = {
  name: 'none',
  locale: 'en',
  stopWords: new Set(),
  stem: (word) => word,
};

interface Source {
  /** The ISO 639-3 code by which it is detected; absent: it can only be set. */
  readonly code?: string;
  /** Default: its code. */
  readonly locale?: string;
  /** Its file name in the packages. Default: its name. */
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

/** The names of all known languages. */
export const knownLanguages: readonly string[] = Object.keys(sources);

/** Shorter samples are mistaken for other languages. */
const minSampleChars = 120;

/**
 * Detects the language of a text.
 *
 * @param sample - Read up to 2,048 characters.
 * @returns A name of {@link knownLanguages}, or `none` for a short text and for unknown languages. Never
 *   Armenian, Danish, Finnish, Irish, Lithuanian, Norwegian, Sanskrit or Slovenian: a channel has to be
 *   set to those.
 */
export function detectLanguage(sample: string): string {
  if (sample.length < minSampleChars) return noLanguage.name;
  const code = franc(sample);
  return knownLanguages.find((name) => sources[name]?.code === code) ?? noLanguage.name;
}

/** The known language of a setting such as `German` or `german`; `undefined` if it is unknown. */
export function languageOfSetting(setting: string): string | undefined {
  const name = setting.trim().toLowerCase();
  return Object.hasOwn(sources, name) ? name : undefined;
}

/** The language of a channel's setting, as {@link languageOfSetting} reads it, or else the text's. */
export function languageFor(text: string, setting = ''): Promise<Language> {
  return loadLanguage(languageOfSetting(setting) ?? detectLanguage(text));
}

const loaded = new Map<string, Promise<Language>>();

/** @param name - One of {@link knownLanguages}; any other gives {@link noLanguage}. */
export function loadLanguage(name: string): Promise<Language> {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (!source) return Promise.resolve(noLanguage);
  const known = loaded.get(name) ?? load(name, source);
  loaded.set(name, known);
  return known;
}

/** Loads one language on first use: loading all would take a good part of the start time. */
async function load(
  name: string,
  { code = noLanguage.locale, locale = code, file = name, hasStemmer = true }: Source,
): Promise<Language> {
  const [words, english, stemming] = await Promise.all([
    import(/* @vite-ignore */ `@orama/stopwords/${file}`),
    import('@orama/stopwords/english'),
    hasStemmer ? import(/* @vite-ignore */ `@orama/stemmers/${file}`) : undefined,
  ]);
  // English is mixed into most languages. Texts are split at apostrophes, so both parts of a stop word count.
  const parts = [words, english]
    .flatMap((one) => wordsSchema.parse(one).stopwords)
    .flatMap((word) => word.toLowerCase().split(/['’]/));
  const stem = stemming === undefined ? noLanguage.stem : stemmingSchema.parse(stemming).stemmer;
  return { name, locale, stopWords: new Set(parts), stem };
}

const wordsSchema = z.object({ stopwords: z.array(z.string()) });
const stemmingSchema = z.object({
  stemmer: z.custom<Language['stem']>((value) => typeof value === 'function'),
});

/** The terms of a text, independent of its language. */
export interface Analysis {
  /** Occurrences of each word, in lower case. */
  readonly words: ReadonlyMap<string, number>;
  /** Occurrences of each sequence of 2 or 3 characters in scripts without spaces. */
  readonly grams: ReadonlyMap<string, number>;
}

const runs = /[\p{L}\p{M}\p{N}ー]+/gu;
const hasSpaceless = new RegExp(`[${spacelessSigns}]`, 'u');
const bySpaceless = new RegExp(`([${spacelessSigns}]+)`, 'u');
const maxTextChars = 20_000;
const maxWordChars = 64;

/** Whether any part of a text is in a script without spaces. */
export function isSpaceless(text: string): boolean {
  return hasSpaceless.test(text);
}

/** @param text - Read up to 20,000 characters. */
export function analyse(text: string): Analysis {
  const plain = plainLetters(text.slice(0, maxTextChars));
  const words: string[] = [];
  const grams: string[] = [];
  // Tested once for the whole text, because few texts mix both kinds of script.
  const isSpaced = !hasSpaceless.test(plain);
  for (const run of plain.match(runs) ?? []) {
    if (isSpaced || !hasSpaceless.test(run)) words.push(run.slice(0, maxWordChars));
    else {
      for (const piece of run.split(bySpaceless)) {
        if (hasSpaceless.test(piece)) grams.push(...gramsOf(piece));
        else if (piece !== '') words.push(piece.slice(0, maxWordChars));
      }
    }
  }
  return { words: counted(words), grams: counted(grams) };
}

function counted(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** A single character counts as well, because it may be a whole word. */
function gramsOf(piece: string): readonly string[] {
  const signs = [...piece];
  if (signs.length === 1) return signs;
  return [2, 3].flatMap((size) =>
    Array.from({ length: Math.max(0, signs.length - size + 1) }, (_, start) =>
      signs.slice(start, start + size).join(''),
    ),
  );
}

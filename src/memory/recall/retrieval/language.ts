/**
 * What retrieval knows of a language: which words carry no meaning of their own, and what a word is
 * without its ending. A language without either is searched by its words as they are.
 */

import { franc } from 'franc-min';

/** A language, ready for use. */
export interface Language {
  /** In English, lower case, e.g. `german`; `none` where nothing is known of the language. */
  readonly name: string;
  readonly stopWords: ReadonlySet<string>;
  stem(word: string): string;
}

/** Nothing is left out and nothing is cut off. */
export const noLanguage: Language = { name: 'none', stopWords: new Set(), stem: (word) => word };

interface Source {
  /** By ISO 639-3, where it can be told from a text; absent: only by a setting. */
  readonly code?: string;
  readonly stemmer?: () => Promise<{ readonly stemmer: (word: string) => string }>;
  readonly words: () => Promise<{ readonly stopwords: readonly string[] }>;
}

/** Loaded one by one: all of them would be a good part of the time that a start takes. */
const sources: Readonly<Record<string, Source>> = {
  arabic: {
    code: 'arb',
    stemmer: () => import('@orama/stemmers/arabic'),
    words: () => import('@orama/stopwords/arabic'),
  },
  armenian: {
    stemmer: () => import('@orama/stemmers/armenian'),
    words: () => import('@orama/stopwords/armenian'),
  },
  bulgarian: {
    code: 'bul',
    stemmer: () => import('@orama/stemmers/bulgarian'),
    words: () => import('@orama/stopwords/bulgarian'),
  },
  chinese: { code: 'cmn', words: () => import('@orama/stopwords/mandarin') },
  danish: {
    stemmer: () => import('@orama/stemmers/danish'),
    words: () => import('@orama/stopwords/danish'),
  },
  dutch: {
    code: 'nld',
    stemmer: () => import('@orama/stemmers/dutch'),
    words: () => import('@orama/stopwords/dutch'),
  },
  english: {
    code: 'eng',
    stemmer: () => import('@orama/stemmers/english'),
    words: () => import('@orama/stopwords/english'),
  },
  finnish: {
    stemmer: () => import('@orama/stemmers/finnish'),
    words: () => import('@orama/stopwords/finnish'),
  },
  french: {
    code: 'fra',
    stemmer: () => import('@orama/stemmers/french'),
    words: () => import('@orama/stopwords/french'),
  },
  german: {
    code: 'deu',
    stemmer: () => import('@orama/stemmers/german'),
    words: () => import('@orama/stopwords/german'),
  },
  greek: {
    code: 'ell',
    stemmer: () => import('@orama/stemmers/greek'),
    words: () => import('@orama/stopwords/greek'),
  },
  hindi: {
    code: 'hin',
    stemmer: () => import('@orama/stemmers/indian'),
    words: () => import('@orama/stopwords/indian'),
  },
  hungarian: {
    code: 'hun',
    stemmer: () => import('@orama/stemmers/hungarian'),
    words: () => import('@orama/stopwords/hungarian'),
  },
  indonesian: {
    code: 'ind',
    stemmer: () => import('@orama/stemmers/indonesian'),
    words: () => import('@orama/stopwords/indonesian'),
  },
  irish: {
    stemmer: () => import('@orama/stemmers/irish'),
    words: () => import('@orama/stopwords/irish'),
  },
  italian: {
    code: 'ita',
    stemmer: () => import('@orama/stemmers/italian'),
    words: () => import('@orama/stopwords/italian'),
  },
  japanese: { code: 'jpn', words: () => import('@orama/stopwords/japanese') },
  lithuanian: {
    stemmer: () => import('@orama/stemmers/lithuanian'),
    words: () => import('@orama/stopwords/lithuanian'),
  },
  nepali: {
    code: 'npi',
    stemmer: () => import('@orama/stemmers/nepali'),
    words: () => import('@orama/stopwords/nepali'),
  },
  norwegian: {
    stemmer: () => import('@orama/stemmers/norwegian'),
    words: () => import('@orama/stopwords/norwegian'),
  },
  portuguese: {
    code: 'por',
    stemmer: () => import('@orama/stemmers/portuguese'),
    words: () => import('@orama/stopwords/portuguese'),
  },
  romanian: {
    code: 'ron',
    stemmer: () => import('@orama/stemmers/romanian'),
    words: () => import('@orama/stopwords/romanian'),
  },
  russian: {
    code: 'rus',
    stemmer: () => import('@orama/stemmers/russian'),
    words: () => import('@orama/stopwords/russian'),
  },
  sanskrit: {
    stemmer: () => import('@orama/stemmers/sanskrit'),
    words: () => import('@orama/stopwords/sanskrit'),
  },
  serbian: {
    code: 'srp',
    stemmer: () => import('@orama/stemmers/serbian'),
    words: () => import('@orama/stopwords/serbian'),
  },
  slovenian: { words: () => import('@orama/stopwords/slovenian') },
  spanish: {
    code: 'spa',
    stemmer: () => import('@orama/stemmers/spanish'),
    words: () => import('@orama/stopwords/spanish'),
  },
  swedish: {
    code: 'swe',
    stemmer: () => import('@orama/stemmers/swedish'),
    words: () => import('@orama/stopwords/swedish'),
  },
  tamil: {
    code: 'tam',
    stemmer: () => import('@orama/stemmers/tamil'),
    words: () => import('@orama/stopwords/tamil'),
  },
  turkish: {
    code: 'tur',
    stemmer: () => import('@orama/stemmers/turkish'),
    words: () => import('@orama/stopwords/turkish'),
  },
  ukrainian: {
    code: 'ukr',
    stemmer: () => import('@orama/stemmers/ukrainian'),
    words: () => import('@orama/stopwords/ukrainian'),
  },
};

/** Names of all languages of which something is known. */
export const knownLanguages: readonly string[] = Object.keys(sources);

/** Shorter samples are taken for languages that they are not in. */
const shortestSampleChars = 120;

/**
 * Tells which language a text is in.
 *
 * @param sample - At most 2,048 characters of it are looked at.
 * @returns A name of {@link knownLanguages}; `none` for a short text, and for languages of which
 *   nothing is known. Armenian, Danish, Finnish, Irish, Lithuanian, Norwegian, Sanskrit and Slovenian
 *   are never told from a text: they hold where a channel's language is set to them.
 */
export function detectLanguage(sample: string): string {
  if (sample.length < shortestSampleChars) return noLanguage.name;
  const code = franc(sample);
  return knownLanguages.find((name) => sources[name]?.code === code) ?? noLanguage.name;
}

/** The known language of a setting such as `German` or `german`; absent: nothing is known of it. */
export function languageOfSetting(setting: string): string | undefined {
  const name = setting.trim().toLowerCase();
  return Object.hasOwn(sources, name) ? name : undefined;
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

async function load(name: string, { stemmer, words }: Source): Promise<Language> {
  const [{ stopwords }, stemming] = await Promise.all([words(), stemmer?.()]);
  // Words are looked up without their apostrophes, whose parts are words of the list, too.
  const parts = stopwords.flatMap((word) => word.toLowerCase().split(/['’]/));
  return {
    name,
    stopWords: new Set(parts),
    stem: stemming?.stemmer ?? noLanguage.stem,
  };
}

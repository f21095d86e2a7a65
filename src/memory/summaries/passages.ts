/** Splits Markdown text in any script into sentences, words and numbers, and finds what it says about whom. */

import { wordsIn } from '../../domain/words.ts';
import { analyse, type Language } from '../recall/retrieval/language.ts';

const links = /\bhttps?:\/\/\S+/giu;
const listMarks = /^[^\S\r\n\u2028\u2029]*(?:\d+[.)]|[-*+•#>]+)\s+/gmu;
const bold = /\*{2,}/g;
/** A Markdown heading, or a bold line without a full stop. */
const headings =
  /^[^\S\r\n\u2028\u2029]*(?:#{1,6}\s.*|\*\*[^*\n.!?。！？]{1,80}\*\*:?[^\S\r\n]*)$/gmu;
const boldSentences = /\*\*([^*\n]+[.!。！])\*\*/u;
const digits =
  /(?<!\p{Nd})\p{Nd}{1,3}(?: \p{Nd}{3})+(?:,\p{Nd}+)?(?!\p{Nd})|\p{Nd}+(?:[.,:/'\u2019-]\p{Nd}+)*/gu;
const groupMarks = /(?<=\d)[.,'\u2019 ](?=\d{3}(?!\d))/g;
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** The first sentence is cut at this length. */
const maxLeadChars = 2000;
/** Summaries are read up to this length. */
const maxReadChars = 20_000;

/** A question mark at the end, possibly within quotes or brackets. */
export const asks = /(?:[?？؟]|\p{Script=Greek};)["'”’»)\]*_]*$/u;

/** Removes URLs, list markers and bold, which would be mistaken for words and numbers. */
export function bare(text: string): string {
  return text.normalize('NFKC').replace(links, ' ').replace(listMarks, '').replace(bold, '');
}

/** Splits into sentences, which also end at a line break and at any question mark. */
export function sentencesOf(text: string): readonly string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment.split(/(?<=[?？؟])\s+/u))
    .flat()
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** The text without headings, unless there is nothing else. */
export function bodyOf(text: string): string {
  const body = bare(text.replace(headings, ''));
  return body.trim() === '' ? bare(text) : body.trimStart();
}

/** The first sentence after any heading: an answer opens with its position. */
export function leadOf(text: string): string {
  return sentencesOf(bodyOf(text).slice(0, maxLeadChars))[0] ?? '';
}

/** The first whole sentence in bold, in which a verdict decides after words of sympathy; `undefined` without one. */
export function boldSentence(text: string): string | undefined {
  return text.slice(0, maxLeadChars).match(boldSentences)?.[1];
}

/** The numbers in a text, without digit grouping: 1,200 and 1200 are the same. */
export function numbersIn(text: string): readonly string[] {
  return (bare(text).match(digits) ?? []).map((number) => number.replace(groupMarks, ''));
}

/** Counts words, also in scripts without spaces. Reads at most 20,000 characters. */
export function wordCount(text: string): number {
  return wordsIn(text.slice(0, maxReadChars)).length;
}

const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** In Japanese, terms with Hiragana are mostly grammar. */
const meaningful = /^[^\p{Script=Hiragana}]+$/u;

/** A text's stemmed content words, and character n-grams for scripts without spaces. */
export function termsOf(text: string, language: Language): ReadonlySet<string> {
  const { words, grams } = analyse(text);
  const shortest = language.stopWords.size > 0 ? 2 : 4;
  const own = [...words.keys()].filter(
    (one) => one.length >= shortest && !language.stopWords.has(one) && /[\p{L}\p{N}]/u.test(one),
  );
  return new Set([...own.map((one) => language.stem(one)), ...grams.keys()]);
}

/** The terms that distinguish a text; in Japanese, those that carry the meaning. */
export function distinctiveTerms(text: string, language: Language): readonly string[] {
  const all = [...termsOf(text, language)];
  const distinctive = japanese.test(text) ? all.filter((term) => meaningful.test(term)) : all;
  return distinctive.length > 0 ? distinctive : all;
}

const word = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}'’&.-]*[\p{L}\p{M}\p{N}])?/gu;
const capitalised = /^\p{Lu}/u;
const genitive = /['’]s$/u;
/** The label of lines about open points, in place of a name. */
export const openLabel = 'Open';
/** How far into a line its speaker's name may be, e.g. after an article. */
const maxOpeningChars = 60;

/**
 * What a text says about each person: the sentences that name them, and the following ones that name
 * nobody else. People whom the text doesn't name are absent. Reads at most 20,000 characters.
 */
export function passagesAbout(names: readonly string[], text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let subjects: readonly string[] = [];
  for (const sentence of sentencesOf(bare(text.slice(0, maxReadChars)))) {
    const isNamed = namedIn(sentence);
    const named = names.filter(isNamed);
    if (named.length > 0) subjects = named;
    for (const name of subjects) found.set(name, `${found.get(name) ?? ''}\n${sentence}`);
  }
  return found;
}

/** The starts of the lines that name none of these people and don't have the open label. */
export function strangeLines(names: readonly string[], text: string): readonly string[] {
  return text
    .slice(0, maxReadChars)
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => bare(line).trim())
    .filter(
      (line) => /\p{L}/u.test(line) && !flattened(line).startsWith(` ${openLabel.toLowerCase()} `),
    )
    .map((line) => line.slice(0, maxOpeningChars).split(/[:：]/u, 1).join())
    .filter((opening) => !names.some(namedIn(opening)));
}

/**
 * Returns a predicate for the people and sages that a text mentions: by the whole name or by a capitalised
 * part of it. For a sage's key, the part is the last one.
 */
export function namedIn(text: string): (name: string) => boolean {
  const flat = flattened(text);
  const written = new Set(
    wordsOf(text)
      .filter((one) => capitalised.test(one))
      .map(flattened),
  );
  return (name) => {
    const wanted = flattened(name);
    if (wanted.trim() === '') return true;
    // Scripts without spaces have no word boundaries.
    if (/[^\p{Script=Latin}\p{N}\s]/u.test(wanted)) return flat.includes(wanted.trim());
    const words = wordsOf(name.replaceAll('_', ' '));
    // Names such as Will and May are also common words.
    const isWord = words.length === 1 && capitalised.test(name);
    if (!isWord && flat.includes(wanted)) return true;
    const enough = name.includes('_') ? words.slice(-1) : words;
    return enough.some((one) => written.has(flattened(one)));
  };
}

function wordsOf(text: string): readonly string[] {
  return (spaced(text).match(word) ?? []).map((one) => one.replace(genitive, ''));
}

/** The words in lower case, with a space around each. */
function flattened(text: string): string {
  const words = spaced(text).toLowerCase().replaceAll('_', ' ').replace(/['’]/gu, '');
  return ` ${(words.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []).join(' ')} `;
}

/** Inserts a space between Latin and other letters. */
function spaced(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/(?<=\p{Script=Latin})(?=\p{L})(?!\p{Script=Latin})/gu, ' ')
    .replace(/(?<=\p{L})(?<!\p{Script=Latin})(?=\p{Script=Latin})/gu, ' ');
}

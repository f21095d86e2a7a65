/** Takes what was said apart, Markdown and all, in any writing, and finds what it says of whom. */

import { analyse, type Language } from '../recall/retrieval/language.ts';

const links = /\bhttps?:\/\/\S+/giu;
const listMarks = /^[^\S\r\n\u2028\u2029]*(?:\d+[.)]|[-*+•#>]+)\s+/gmu;
const bold = /\*{2,}/g;
/** A heading, also one that is a bold line by itself without a full stop. */
const headings =
  /^[^\S\r\n\u2028\u2029]*(?:#{1,6}\s.*|\*\*[^*\n.!?。！？]{1,80}\*\*:?[^\S\r\n]*)$/gmu;
const digits =
  /(?<!\p{Nd})\p{Nd}{1,3}(?: \p{Nd}{3})+(?:,\p{Nd}+)?(?!\p{Nd})|\p{Nd}+(?:[.,:/'\u2019-]\p{Nd}+)*/gu;
const groupMarks = /(?<=\d)[.,'\u2019 ](?=\d{3}(?!\d))/g;
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const wordSegmenter = new Intl.Segmenter('en', { granularity: 'word' });
/** A first sentence that is longer is cut. */
const maxLeadChars = 2000;
/** More of a summary is not read. */
export const maxReadChars = 20_000;

/** Ends with a question mark, whatever stands around it. */
export const asks = /(?:[?？؟]|\p{Script=Greek};)["'”’»)\]*_]*$/u;

/** Without addresses, list marks and bold, which only look like words and numbers. */
export function bare(text: string): string {
  return text.normalize('NFKC').replace(links, ' ').replace(listMarks, '').replace(bold, '');
}

/** A line's end is a sentence's, too, and a question mark is in people's hasty writing. */
export function sentencesOf(text: string): readonly string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment.split(/(?<=[?？؟])\s+/u))
    .flat()
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** Without headings, unless there is nothing else. */
export function bodyOf(text: string): string {
  const body = bare(text.replace(headings, ''));
  return body.trim() === '' ? bare(text) : body.trimStart();
}

/** The first sentence that is no heading: an answer opens with its position, a verdict with what it decides. */
export function leadOf(text: string): string {
  return sentencesOf(bodyOf(text).slice(0, maxLeadChars))[0] ?? '';
}

/** Without what groups their digits, so that 1,200 and 1200 are one. */
export function numbersIn(text: string): readonly string[] {
  return (bare(text).match(digits) ?? []).map((number) => number.replace(groupMarks, ''));
}

/** How many words a text has, also in writing without spaces. At most 20,000 characters are read. */
export function wordCount(text: string): number {
  const segments = wordSegmenter.segment(text.slice(0, maxReadChars));
  return Array.from(segments).filter(({ isWordLike }) => isWordLike).length;
}

const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Of Japanese, what carries the meaning. */
const meaningful = /^[^\p{Script=Hiragana}]+$/u;

/** A text's own words without their endings, and short runs of writing without spaces. */
export function termsOf(text: string, language: Language): ReadonlySet<string> {
  const { words, grams } = analyse(text);
  const shortest = language.stopWords.size > 0 ? 2 : 4;
  const own = [...words.keys()].filter(
    (one) => one.length >= shortest && !language.stopWords.has(one) && /[\p{L}\p{N}]/u.test(one),
  );
  return new Set([...own.map((one) => language.stem(one)), ...grams.keys()]);
}

/** Those of a text's terms that tell it from others: of Japanese, what carries the meaning. */
export function tellingTerms(text: string, language: Language): readonly string[] {
  const all = [...termsOf(text, language)];
  const telling = japanese.test(text) ? all.filter((term) => meaningful.test(term)) : all;
  return telling.length > 0 ? telling : all;
}

const word = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}'’&.-]*[\p{L}\p{M}\p{N}])?/gu;
const capitalised = /^\p{Lu}/u;
const genitive = /['’]s$/u;
/** A line may begin with this instead of a name. */
export const openLabel = 'Open';
/** A name stands at the beginning of its line, maybe after an article. */
const maxOpeningChars = 60;

/**
 * What is said of each of these people: the sentences that name them, and those after them that name
 * none of the others. Who is absent is not named. At most 20,000 characters are read.
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

/** How those lines begin that name none of these people, and are not about what is open. */
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
 * Tells whether a text mentions a person or a sage: by the whole name, or by a part of it that is written as a
 * name, which is the last one of a sage's key.
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
    // Writing without spaces has no borders to a name.
    if (/[^\p{Script=Latin}\p{N}\s]/u.test(wanted)) return flat.includes(wanted.trim());
    const words = wordsOf(name.replaceAll('_', ' '));
    // Will and May are words, too.
    const isWord = words.length === 1 && capitalised.test(name);
    if (!isWord && flat.includes(wanted)) return true;
    const enough = name.includes('_') ? words.slice(-1) : words;
    return enough.some((one) => written.has(flattened(one)));
  };
}

function wordsOf(text: string): readonly string[] {
  return (spaced(text).match(word) ?? []).map((one) => one.replace(genitive, ''));
}

/** Words alone, in lower case, with a space around each. */
function flattened(text: string): string {
  const words = spaced(text).toLowerCase().replaceAll('_', ' ').replace(/['’]/gu, '');
  return ` ${(words.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []).join(' ')} `;
}

/** With a space where writing with and without spaces meets. */
function spaced(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/(?<=\p{Script=Latin})(?=\p{L})(?!\p{Script=Latin})/gu, ' ')
    .replace(/(?<=\p{L})(?<!\p{Script=Latin})(?=\p{Script=Latin})/gu, ' ');
}

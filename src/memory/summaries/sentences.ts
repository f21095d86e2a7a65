/** Takes what was said apart, Markdown and all, in any writing: sentences, words without their endings, numbers. */

import { analyse } from '../recall/retrieval/analysis.ts';
import type { Language } from '../recall/retrieval/language.ts';

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
const mostLeadChars = 2000;
/** More of a summary is not read. */
export const mostReadChars = 20_000;

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
  return sentencesOf(bodyOf(text).slice(0, mostLeadChars))[0] ?? '';
}

/** Without what groups their digits, so that 1,200 and 1200 are one. */
export function numbersIn(text: string): readonly string[] {
  return (bare(text).match(digits) ?? []).map((number) => number.replace(groupMarks, ''));
}

/** How many words a text has, also in writing without spaces. At most 20,000 characters are read. */
export function wordCount(text: string): number {
  const segments = wordSegmenter.segment(text.slice(0, mostReadChars));
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

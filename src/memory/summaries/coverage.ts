/**
 * What a summary of a conversation must not lose: who spoke, what was decided, numbers, names and
 * questions. Read from the text alone, so that no model judges its own work.
 */

import { oneLine } from '../../domain/words.ts';
import { analyse } from '../recall/retrieval/analysis.ts';
import type { Language } from '../recall/retrieval/language.ts';

/** One thing that was said. */
export interface Said {
  /** As people call them: a sage's name, a member's name, `the chair`. */
  readonly by: string;
  /** `verdict`: the chair's synthesis, never what stood in for one. */
  readonly kind: 'question' | 'answer' | 'verdict';
  readonly text: string;
}

/** Something that the summary must contain. The text is as it was said: untrusted. */
export interface Point {
  readonly kind: 'sage' | 'person' | 'decision' | 'question' | 'name' | 'number';
  readonly text: string;
}

/** What a summary needs of a sentence's own words, and how many of them are enough in any case. */
const neededOf = { question: 1 / 3, decision: 1 / 2 } as const;
const enoughWords = 5;
/** A sentence is told back by its beginning. */
const mostPointChars = 300;

/** From this share of capitals inside sentences on, capitals do not mark names: German nouns. */
const nounsAreCapitalised = 0.18;

const links = /\bhttps?:\/\/\S+/giu;
const listMarks = /^[^\S\r\n\u2028\u2029]*(?:\d+[.)]|[-*+•#>])\s+/gmu;
const digits = /\p{Nd}+(?:[.,:/'\u2019\u00a0\u202f-]\p{Nd}+)*/gu;
const groupMarks = /(?<=\d)[.,'\u2019\u00a0\u202f ](?=\d{3}(?!\d))/g;
const asks = /(?:[?？؟]|\p{Script=Greek};)["'”’»)\]*_]*$/u;
/** Words by which people say that something is settled, in the languages of most conversations. */
const settles =
  /(?<!\p{L})(?:decided|decision|agreed|settled|resolved|we(?:['’]ll| will| shall) (?:go|take|use|do)|let['’]s (?:go|take|use|do)|entschieden|entscheidung|beschlossen|beschluss|vereinbart|wir nehmen|décidé|décision|convenu|decidido|decisión|acordado|decisão|deciso|decisione|besloten|besluit|beslutat|решено|решили|вирішено|вирішили)(?!\p{L})|決定|决定|決めた|결정/iu;

/** Everything that a summary of this must contain, each once, in the order in which it was said. */
export function pointsOf(said: readonly Said[], language: Language): readonly Point[] {
  const points = said.flatMap((one): readonly Point[] => [
    ...speakerOf(one),
    ...sentencePoints(one, language),
  ]);
  const texts = said.map(({ text }) => bare(text));
  const names = namesIn(texts, language).map((text): Point => ({ kind: 'name', text }));
  const numbers = texts.flatMap(numbersIn).map((text): Point => ({ kind: 'number', text }));
  return once([...points, ...names, ...numbers]);
}

/** The points that a text lacks, in the same order. At most 20,000 characters of the text are read for sentences. */
export function missingFrom(
  text: string,
  points: readonly Point[],
  language: Language,
): readonly Point[] {
  const flat = flattened(text);
  const numbers = new Set(numbersIn(text));
  const terms = termsOf(text, language);
  const isThere = (point: Point): boolean => {
    if (point.kind === 'number') return numbers.has(point.text);
    if (point.kind === 'decision' || point.kind === 'question') {
      return holds(terms, point.text, neededOf[point.kind], language);
    }
    return isNamed(point, text, flat);
  };
  return points.filter((point) => !isThere(point));
}

/** Whether at least half of a claim's own words are in a text; never, where it has none. */
export function restsOn(claim: string, text: string, language: Language): boolean {
  const hasWords = termsOf(claim, language).size > 0;
  return hasWords && holds(termsOf(text, language), claim, 1 / 2, language, Infinity);
}

function speakerOf({ by, kind }: Said): readonly Point[] {
  if (kind === 'verdict') return [];
  return [{ kind: kind === 'answer' ? 'sage' : 'person', text: by }];
}

function sentencePoints({ kind, text }: Said, language: Language): readonly Point[] {
  const sentences = sentencesOf(bare(text));
  const questions = sentences.filter((sentence) => asks.test(sentence));
  const decisions = sentences.filter((sentence) => !asks.test(sentence) && settles.test(sentence));
  const [first] = sentences;
  // A verdict decides by its first words, a question without a question mark is one as a whole.
  if (kind === 'verdict' && first && !decisions.includes(first)) decisions.unshift(first);
  const asked = kind === 'question' && questions.length === 0 && decisions.length === 0;
  if (asked && first) questions.push(first);
  const point = (kind: 'question' | 'decision') => (sentence: string) => ({
    kind,
    text: sentence.slice(0, mostPointChars),
  });
  return [...decisions.map(point('decision')), ...questions.map(point('question'))].filter(
    (one) => termsOf(one.text, language).size > 0,
  );
}

/** Without addresses and list marks, which only look like words and numbers. */
function bare(text: string): string {
  return text.normalize('NFKC').replace(links, ' ').replace(listMarks, '');
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A line's end is a sentence's, too. */
function sentencesOf(text: string): readonly string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment.trim()).filter((sentence) =>
    /[\p{L}\p{N}]/u.test(sentence),
  );
}

/** Numbers without what groups their digits, so that 1,200 and 1200 are one. */
function numbersIn(text: string): readonly string[] {
  return (bare(text).match(digits) ?? []).map((number) => number.replace(groupMarks, ''));
}

const word = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}'’&.-]*[\p{L}\p{M}\p{N}])?/gu;
const capitalised = /^\p{Lu}/u;
/** Capitals or digits beyond the first letter: NATO, GitHub, S3. */
const unlikeOthers = /^\p{Lu}.*[\p{Lu}\p{N}]/u;

/** Words in capitals inside sentences, those that stand together as one. */
function namesIn(texts: readonly string[], language: Language): readonly string[] {
  const sentences = texts.flatMap(sentencesOf);
  const inside = sentences.flatMap((sentence) => (sentence.match(word) ?? []).slice(1));
  const capitals = inside.filter((one) => capitalised.test(one)).length;
  const isNounful = capitals > inside.length * nounsAreCapitalised;
  return sentences.flatMap((sentence) =>
    runsIn(sentence)
      .map(({ start, words }) => {
        const [first = ''] = words;
        const isPlain = start === 0 && (language.stopWords.has(first.toLowerCase()) || !words[1]);
        return isPlain && !unlikeOthers.test(first) ? words.slice(1) : words;
      })
      .filter(([first = '', second]) => second || !isNounful || unlikeOthers.test(first))
      .map((words) => words.join(' ').replace(/['’]s$/u, ''))
      .filter((name) => name !== ''),
  );
}

/** Capitalised words of a sentence with nothing but a space between them. */
function runsIn(sentence: string) {
  const runs: { readonly start: number; end: number; readonly words: string[] }[] = [];
  for (const { 0: found, index } of sentence.matchAll(word)) {
    if (!capitalised.test(found) || /^I(?:['’]\p{Ll}+)?$/u.test(found)) continue;
    const last = runs.at(-1);
    if (last && sentence.slice(last.end, index) === ' ') {
      last.words.push(found);
      last.end = index + found.length;
    } else runs.push({ start: index, end: index + found.length, words: [found] });
  }
  return runs;
}

/** By the whole name; of several words also by one of them, where that is written as a name. */
function isNamed({ text: name, kind }: Point, text: string, flat: string): boolean {
  const wanted = flattened(name).trim();
  if (wanted === '' || flat.includes(` ${wanted} `)) return true;
  // Writing without spaces has no borders to a name.
  if (/[^\p{Script=Latin}\p{N}\s]/u.test(wanted)) return flat.includes(wanted);
  const words = name.replaceAll('_', ' ').match(word) ?? [];
  if (words.length < 2) return false;
  const written = new Set((text.match(word) ?? []).map((one) => one.replace(/['’]s$/u, '')));
  const enough = kind === 'person' ? words : words.slice(-1);
  return enough.some((one) => capitalised.test(one) && written.has(one));
}

/** Words alone, in lower case, with a space around each; also where writing with and without spaces meets. */
function flattened(text: string): string {
  const spaced = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/(?<=\p{Script=Latin})(?=\p{L})(?!\p{Script=Latin})/gu, ' ')
    .replace(/(?<=\p{L})(?<!\p{Script=Latin})(?=\p{Script=Latin})/gu, ' ');
  return ` ${(spaced.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []).join(' ')} `;
}

/** A text's own words without their endings, and short runs of writing without spaces. */
function termsOf(text: string, language: Language): ReadonlySet<string> {
  const { words, grams } = analyse(text);
  const shortest = language.stopWords.size > 0 ? 2 : 4;
  const own = [...words.keys()].filter(
    (one) => one.length >= shortest && !language.stopWords.has(one),
  );
  return new Set([...own.map((one) => language.stem(one)), ...grams.keys()]);
}

const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Of Japanese, what carries the meaning. */
const meaningful = /^[^\p{Script=Hiragana}]+$/u;

function holds(
  terms: ReadonlySet<string>,
  sentence: string,
  share: number,
  language: Language,
  enough: number = enoughWords,
): boolean {
  const all = [...termsOf(sentence, language)];
  const telling = japanese.test(sentence) ? all.filter((term) => meaningful.test(term)) : all;
  const wanted = telling.length > 0 ? telling : all;
  const found = wanted.filter((term) => terms.has(term)).length;
  return found >= Math.min(Math.ceil(wanted.length * share), enough);
}

function once(points: readonly Point[]): readonly Point[] {
  return [
    ...new Map(points.map((point) => [`${point.kind} ${flattened(point.text)}`, point])).values(),
  ];
}

const inWords = {
  sage: 'the sage',
  person: 'the member',
  decision: 'what was called decided:',
  question: 'the question',
  name: 'the name',
  number: 'the number',
} as const;

/** A line of a list, for a model. */
export function pointInWords({ kind, text }: Point): string {
  return `- ${inWords[kind]} “${oneLine(text)}”`;
}

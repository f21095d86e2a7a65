/**
 * What a summary of a conversation must not lose: who held what, what was decided, what was asked and is
 * still open, and the numbers on which that rests. Read from the text alone, so that no model judges its
 * own work.
 */

import { oneLine } from '../../domain/words.ts';
import type { Language } from '../recall/retrieval/language.ts';
import {
  asks,
  bare,
  bodyOf,
  leadOf,
  numbersIn,
  openLabel,
  passagesAbout,
  sentencesOf,
  tellingTerms,
  termsOf,
} from './passages.ts';

/** One thing that was said. */
export interface Said {
  /** As people call them: a sage's name, a member's name, `the chair`. */
  readonly by: string;
  /** `verdict`: the chair's synthesis, never what stood in for one. */
  readonly kind: 'question' | 'answer' | 'verdict';
  readonly text: string;
  /** An answer in short, as its sage put it. */
  readonly gist?: string;
  /** What a verdict says is still open. */
  readonly open?: readonly string[];
}

/** Something that the summary must contain. The text is as it was said: untrusted. */
export interface Point {
  readonly kind: 'position' | 'decision' | 'question' | 'open' | 'number';
  /** Who said it, and is named for it; empty: this can be anywhere. */
  readonly by: string;
  /** Empty where it is enough that they are named. */
  readonly text: string;
  /** Its own words, without their endings. */
  readonly words: readonly string[];
  /** How many of these words a summary needs. */
  readonly enough: number;
}

/** A sentence is told back by its beginning. */
const maxPointChars = 300;
/** Words enough to tell a decision or a question from all others, however long it is. */
const enoughWords = 5;
/** So many words of its own make a position; of a shorter one, a single word is enough. */
const longPosition = 8;
/** How far a position is looked for in an answer without a gist. */
const maxOpeningChars = 600;
/** With fewer words of its own, a position may be told in those of the question. */
const ownWords = 3;
/** “Who is to do it?” says too little without the sentence before it. */
const tellingQuestion = 3;
/** A number of a question carries weight when so many answers take it up. */
const manyAnswers = 2;

/** Words by which people say that something is settled, in the languages of most conversations. */
const settles =
  /(?<!\p{L})(?:decided|decision|agreed|settled|resolved|we(?:['’]ll| will| shall) (?:go|take|use|do)|let['’]s (?:go|take|use|do)|entschieden|entscheidung|beschlossen|beschluss|vereinbart|wir nehmen|décidé|décision|convenu|decidido|decisión|acordado|decisão|deciso|decisione|besloten|besluit|beslutat|решено|решили|вирішено|вирішили)(?!\p{L})|決定|决定|決め(?:た|ました)|결정/iu;

/** Everything that a summary of this must contain, each once, in the order in which it was said; numbers last. */
export function pointsOf(said: readonly Said[], language: Language): readonly Point[] {
  const names = said.map(({ by }) => by.replaceAll('_', ' ')).join('\n');
  const known = new Set(termsOf(names, language));
  const points = said.flatMap((one) => {
    if (one.kind === 'question') for (const term of termsOf(one.text, language)) known.add(term);
    return pointsIn(one, known, language);
  });
  return once([...points, ...weightyNumbers(said)]);
}

/** The points that a text lacks, in the same order. At most 20,000 characters of the text are read. */
export function missingFrom(
  text: string,
  points: readonly Point[],
  language: Language,
): readonly Point[] {
  const numbers = new Set(numbersIn(text));
  const told = passagesAbout([...new Set(points.map(({ by }) => by)), openLabel], text);
  const terms = new Map([...told].map(([by, passage]) => [by, termsOf(passage, language)]));
  return points.filter(({ kind, by, text: wanted, words, enough }) => {
    if (kind === 'number') return !numbers.has(wanted);
    const about = kind === 'open' ? [terms.get(by), terms.get(openLabel)] : [terms.get(by)];
    const isTold = (found?: ReadonlySet<string>) =>
      found !== undefined && words.filter((word) => found.has(word)).length >= enough;
    return !about.some(isTold);
  });
}

/** Whether at least half of a claim's own words are in a text; never, where it has none. */
export function restsOn(claim: string, text: string, language: Language): boolean {
  const wanted = tellingTerms(claim, language);
  const terms = termsOf(text, language);
  const found = wanted.filter((word) => terms.has(word)).length;
  return wanted.length > 0 && found >= wanted.length / 2;
}

/** @param known - Words of the questions so far, and names: they tell no position from another. */
function pointsIn(one: Said, known: ReadonlySet<string>, language: Language): readonly Point[] {
  const { kind, by } = one;
  const sentences = sentencesOf(bare(one.text));
  /** @param from - Where its words are, if not in the text that is shown. */
  const point = (of: Point['kind'], text: string, share: number, from = text) => {
    const words = tellingTerms(from, language);
    const enough = Math.min(Math.ceil(words.length * share), enoughWords);
    const shown = text.slice(0, maxPointChars);
    return words.length > 0 ? [{ kind: of, by, text: shown, words, enough }] : [];
  };
  if (kind === 'answer') {
    const { asked, before } = endOf(sentences);
    const isTelling = tellingTerms(asked, language).length >= tellingQuestion;
    const open = point('open', asked, 1 / 3, isTelling ? asked : `${before}\n${asked}`);
    return [positionOf(one, known, language), ...(asked === '' ? [] : open)];
  }
  if (kind === 'verdict') {
    const open = (one.open ?? []).flatMap((text) => point('open', text, 1 / 3));
    return [...point('decision', leadOf(one.text), 1 / 2), ...open];
  }
  const decisions = decisionsIn(sentences).flatMap((text) => point('decision', text, 1 / 2));
  const questions = sentences.filter((sentence) => asks.test(sentence)).join(' ');
  // People tell a question again in any words of the message.
  const isAsked = decisions.length === 0 || questions !== '';
  const asked = isAsked ? point('question', questions || one.text, 1 / 3, bare(one.text)) : [];
  return [...decisions, ...asked];
}

function positionOf(one: Said, known: ReadonlySet<string>, language: Language): Point {
  const lead = leadOf(one.text);
  const gist = ownGist(one) ?? bodyOf(one.text).slice(0, maxOpeningChars);
  const own = tellingTerms(`${lead}\n${gist}`, language);
  const telling = own.filter((word) => !known.has(word));
  const words = telling.length >= ownWords ? telling : own;
  const enough = Math.min(words.length, words.length < longPosition ? 1 : 2);
  return { kind: 'position', by: one.by, text: lead.slice(0, maxPointChars), words, enough };
}

/** Not one that is a copy of the beginning: what stands there need not be what matters. */
function ownGist({ text, gist }: Said): string | undefined {
  const begins = (one: string) =>
    bare(one.slice(0, 200))
      .replace(/\P{L}+/gu, '')
      .slice(0, 20);
  return gist === undefined || begins(gist) === begins(text) ? undefined : gist;
}

function decisionsIn(sentences: readonly string[]): readonly string[] {
  return sentences.filter((sentence) => !asks.test(sentence) && settles.test(sentence));
}

/**
 * What an answer asks at its end, or right before its last sentence, it leaves open; other questions are
 * rhetoric. With the sentence before it.
 */
function endOf(sentences: readonly string[]) {
  const isAsked = (sentence: string) => asks.test(sentence);
  const end = sentences.findLastIndex(isAsked) + 1;
  if (end < sentences.length - 1) return { asked: '', before: '' };
  const begin = sentences.slice(0, end).findLastIndex((sentence) => !isAsked(sentence)) + 1;
  return { asked: sentences.slice(begin, end).join(' '), before: sentences[begin - 1] ?? '' };
}

/** Numbers in what was held, asked or decided, and those of a question that several answers take up. */
function weightyNumbers(said: readonly Said[]): readonly Point[] {
  const all = said.map((one) => ({ ...one, numbers: new Set(numbersIn(one.text)) }));
  const isTakenUp = (number: string) =>
    all.filter(({ kind, numbers }) => kind === 'answer' && numbers.has(number)).length >=
    manyAnswers;
  return all.flatMap(({ numbers, ...one }) => {
    const { kind, by, text } = one;
    const sentences = sentencesOf(bare(text));
    const own =
      kind === 'question'
        ? [...sentences.filter((sentence) => asks.test(sentence)), ...decisionsIn(sentences)]
        : [leadOf(text), ownGist(one) ?? ''];
    const weighty = [
      ...own.flatMap(numbersIn),
      ...(kind === 'question' ? [...numbers].filter(isTakenUp) : []),
    ];
    return weighty.map((number): Point => {
      return { kind: 'number', by, text: number, words: [], enough: 0 };
    });
  });
}

/** A number is one point, however often it is said. */
function once(points: readonly Point[]): readonly Point[] {
  const nameOf = ({ kind, by, text }: Point) =>
    JSON.stringify(kind === 'number' ? [kind, text] : [kind, by, text]);
  return [
    ...new Map(points.toReversed().map((point) => [nameOf(point), point])).values(),
  ].reverse();
}

const inWords = {
  position: 'the position',
  decision: 'the decision',
  question: 'the question',
  open: 'the open question',
  number: 'the number',
} as const;

/** E.g. `the position “Wait.” (Seneca)`. */
export function pointInWords({ kind, by, text }: Point): string {
  const name = oneLine(by);
  if (text === '') return `what ${name} held`;
  return `${inWords[kind]} “${oneLine(text)}”${name === '' ? '' : ` (${name})`}`;
}

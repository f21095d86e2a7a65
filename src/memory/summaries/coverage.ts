/**
 * Finds the points that a summary of a conversation must contain: positions, decisions, questions, open
 * points and the numbers behind them. Works on the text alone, so no model judges its own work.
 */

import { fence } from '../../domain/fence.ts';
import { oneLine, shortened } from '../../domain/words.ts';
import type { ChatMessage } from '../../models/chat-model.ts';
import type { Language } from '../recall/retrieval/language.ts';
import { dayIn } from '../recall/situation.ts';
import {
  asks,
  bare,
  bodyOf,
  boldSentence,
  distinctiveTerms,
  leadOf,
  numbersIn,
  openLabel,
  passagesAbout,
  sentencesOf,
  termsOf,
} from './passages.ts';

/** One thing that was said. */
export interface Said {
  /** Their displayed name: a sage's or member's name, or {@link chair}. */
  readonly by: string;
  /** `verdict`: the chair's synthesis, never a stand-in for one. */
  readonly kind: 'question' | 'answer' | 'verdict';
  readonly text: string;
  /** When a question was asked, in milliseconds since 1970: “next Tuesday” counts from there. */
  readonly askedAt?: number;
  /** The sage's own summary of its answer. */
  readonly gist?: string;
  /** A verdict without what stands below it. Absent: the text has nothing else. */
  readonly ruling?: string;
  /** What a verdict leaves open. */
  readonly open?: readonly string[];
}

/** Who says a verdict. */
export const chair = 'the chair';

/** One thing that was said as a prompt message: members as the user, the council as the assistant. */
export function saidMessage(
  { kind, by, text, askedAt }: Said,
  timeZone: string,
  attributes = {},
): ChatMessage {
  const [role, whose] =
    kind === 'question' ? (['user', 'from'] as const) : (['assistant', 'sage'] as const);
  const on = askedAt === undefined ? {} : { on: dayIn(timeZone, askedAt) };
  return { role, content: fence(kind, text, { [whose]: by, ...on, ...attributes }) };
}

/** A point that the summary must contain. Its text is a quotation, and untrusted. */
export interface Point {
  readonly kind: 'position' | 'decision' | 'question' | 'open' | 'number';
  /** Whom the summary must credit; empty: no one. */
  readonly by: string;
  /** Empty if it is enough to name the speaker. */
  readonly text: string;
  /** Its own words, stemmed. */
  readonly words: readonly string[];
  /** How many of these words a summary must contain. */
  readonly enough: number;
}

/** Points quote at most this much of a sentence. */
const maxPointChars = 300;
/** The words that identify a decision or question, however long it is. */
const enoughWords = 5;
/** A position with fewer words of its own is identified by a single one. */
const longPosition = 8;
/** How far into an answer without a gist the position can be. */
const maxOpeningChars = 600;
/** A position with fewer words of its own is identified by the question's words, too. */
const ownWords = 3;
/** A question with fewer words, e.g. “Who does it?”, also needs the words of the sentence before it. */
const minQuestionWords = 3;
/** A number in a question must be in the summary if this many answers repeat it. */
const manyAnswers = 2;

/** Words that announce a decision, in the languages of most conversations. “Our decision: …” does; “putting off a decision” doesn't. */
const settles =
  /(?<!\p{L})(?:decided|agreed|settled|resolved|we(?:['’]ll| will| shall) (?:go|take|use|do)|let['’]s (?:go|take|use|do)|entschieden|beschlossen|vereinbart|wir nehmen|décidé|convenu|decidido|acordado|deciso|besloten|beslutat|решено|решили|вирішено|вирішили|(?:decision|entscheidung|beschluss|décision|decisión|decisão|decisione|besluit)(?=[^:]{0,60}:| (?:is|was|ist|war|lautet|est|était|es|fue|é|foi|è|era)(?!\p{L})))(?!\p{L})|決定|决定|決め(?:た|ました)|결정/iu;

/** Everything that a summary must contain, without repeats, in order of time; numbers last. */
export function pointsOf(said: readonly Said[], language: Language): readonly Point[] {
  const names = said.map(({ by }) => by.replaceAll('_', ' ')).join('\n');
  const known = new Set(termsOf(names, language));
  const points = said.flatMap((one) => {
    if (one.kind === 'question') for (const term of termsOf(one.text, language)) known.add(term);
    return pointsIn(one, known, language);
  });
  return unique([...points, ...weightyNumbers(said)]);
}

/** The points that a text lacks, in the same order. Reads at most 20,000 characters of the text. */
export function missingFrom(
  text: string,
  points: readonly Point[],
  language: Language,
): readonly Point[] {
  const numbers = new Set(numbersIn(text));
  const passages = passagesAbout([...new Set(points.map(({ by }) => by)), openLabel], text);
  const terms = new Map([...passages].map(([by, passage]) => [by, termsOf(passage, language)]));
  return points.filter(({ kind, by, text: wanted, words, enough }) => {
    if (kind === 'number') return !numbers.has(wanted);
    const about = kind === 'open' ? [terms.get(by), terms.get(openLabel)] : [terms.get(by)];
    const isCovered = (found?: ReadonlySet<string>) =>
      found !== undefined && words.filter((word) => found.has(word)).length >= enough;
    return !about.some(isCovered);
  });
}

/** Whether a text contains at least half of a claim's own words; false if the claim has none. */
export function restsOn(claim: string, text: string, language: Language): boolean {
  const wanted = distinctiveTerms(claim, language);
  const terms = termsOf(text, language);
  const found = wanted.filter((word) => terms.has(word)).length;
  return wanted.length > 0 && found >= wanted.length / 2;
}

/** @param known - Words of the names and of the questions so far, which distinguish no position. */
function pointsIn(one: Said, known: ReadonlySet<string>, language: Language): readonly Point[] {
  const { kind, by } = one;
  const sentences = sentencesOf(bare(one.text));
  /** @param from - The text with its identifying words, if not `text`. */
  const point = (of: Point['kind'], text: string, share: number, from = text) => {
    const words = distinctiveTerms(from, language);
    const enough = Math.min(Math.ceil(words.length * share), enoughWords);
    const shown = shortened(text, maxPointChars);
    return words.length > 0 ? [{ kind: of, by, text: shown, words, enough }] : [];
  };
  if (kind === 'answer') {
    const { asked, before } = closingQuestion(sentences);
    const isEnough = distinctiveTerms(asked, language).length >= minQuestionWords;
    const open = point('open', asked, 1 / 3, isEnough ? asked : `${before}\n${asked}`);
    return [positionOf(one, known, language), ...(asked === '' ? [] : open)];
  }
  if (kind === 'verdict') {
    const open = (one.open ?? []).flatMap((text) => point('open', text, 1 / 3));
    const { ruling = one.text } = one;
    const decided = boldSentence(ruling);
    // Without one, a verdict may open with sympathy, and decide in any of the sentences that follow.
    const from = decided ?? bodyOf(ruling).slice(0, maxOpeningChars);
    return [...point('decision', decided ?? leadOf(ruling), 1 / 2, from), ...open];
  }
  const decisions = decisionsIn(sentences).flatMap((text) => point('decision', text, 1 / 2));
  const questions = sentences.filter((sentence) => asks.test(sentence)).join(' ');
  // A summary may repeat a question in any words of the message.
  const isAsked = decisions.length === 0 || questions !== '';
  const asked = isAsked ? point('question', questions || one.text, 1 / 3, bare(one.text)) : [];
  return [...decisions, ...asked];
}

function positionOf(one: Said, known: ReadonlySet<string>, language: Language): Point {
  const lead = leadOf(one.text);
  const gist = ownGist(one) ?? bodyOf(one.text).slice(0, maxOpeningChars);
  const own = distinctiveTerms(`${lead}\n${gist}`, language);
  const distinctive = own.filter((word) => !known.has(word));
  const words = distinctive.length >= ownWords ? distinctive : own;
  const enough = Math.min(words.length, words.length < longPosition ? 1 : 2);
  return { kind: 'position', by: one.by, text: shortened(lead, maxPointChars), words, enough };
}

/** The gist, unless it only copies the beginning of the answer, which need not be what matters. */
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
 * The question at the end of an answer or right before its last sentence, which the answer leaves open, and
 * the sentence before it. Questions elsewhere are rhetorical.
 */
function closingQuestion(sentences: readonly string[]) {
  const isAsked = (sentence: string) => asks.test(sentence);
  const end = sentences.findLastIndex(isAsked) + 1;
  if (end < sentences.length - 1) return { asked: '', before: '' };
  const begin = sentences.slice(0, end).findLastIndex((sentence) => !isAsked(sentence)) + 1;
  return { asked: sentences.slice(begin, end).join(' '), before: sentences[begin - 1] ?? '' };
}

/** Numbers in positions, questions and decisions, and numbers of a question that several answers repeat. */
function weightyNumbers(said: readonly Said[]): readonly Point[] {
  const all = said.map((one) => ({ ...one, numbers: new Set(numbersIn(one.text)) }));
  const isRepeated = (number: string) =>
    all.filter(({ kind, numbers }) => kind === 'answer' && numbers.has(number)).length >=
    manyAnswers;
  return all.flatMap(({ numbers, ...one }) => {
    const { kind, by, text } = one;
    const sentences = sentencesOf(bare(text));
    const own =
      kind === 'question'
        ? [...sentences.filter((sentence) => asks.test(sentence)), ...decisionsIn(sentences)]
        : [boldSentence(text) ?? leadOf(text), ownGist(one) ?? ''];
    const weighty = [
      ...own.flatMap(numbersIn),
      ...(kind === 'question' ? [...numbers].filter(isRepeated) : []),
    ];
    return weighty.map((number): Point => {
      return { kind: 'number', by, text: number, words: [], enough: 0 };
    });
  });
}

/** Drops repeats; a number repeats whoever says it. */
function unique(points: readonly Point[]): readonly Point[] {
  const keyOf = ({ kind, by, text }: Point) =>
    JSON.stringify(kind === 'number' ? [kind, text] : [kind, by, text]);
  return [...new Map(points.toReversed().map((point) => [keyOf(point), point])).values()].reverse();
}

/** For example `the position “Wait.” (Seneca)`. */
export function pointInWords({ kind, by, text }: Point): string {
  const name = oneLine(by);
  if (text === '') return `what ${name} held`;
  const what = kind === 'open' ? 'open question' : kind;
  return `the ${what} “${oneLine(text)}”${name === '' ? '' : ` (${name})`}`;
}

/** Scores messages by words, names and dates, without a model. */

import { datesIn, fits } from './dates.ts';
import { type Analysis, analyse, isSpaceless, type Language } from './language.ts';
import { Passages } from './passages.ts';
import { holdersOf, type Occurrences, PostingLists } from './posting-lists.ts';
import type { Talk } from './threads.ts';
import { Vocabulary } from './vocabulary.ts';

/** The weight of each part of a score. */
const worth = {
  /** The words of the message itself. */
  own: 1,
  /** The words of the passage around it, including words spelt much like the query's. */
  passage: 1.2,
  /** All words of a narrower passage, stop words included. */
  words: 1,
  /** The words of what its speaker said around it. */
  speaker: 1.2,
  /** The words of the question that it follows. */
  asked: 1.2,
  /** The query names its speaker. Scaled down by the speaker's share of all messages. */
  named: 13,
  /** The query names its day. Scaled down by that day's share of all messages. */
  date: 18,
} as const;
const reach = {
  own: { steps: 0 },
  passage: { steps: 3 },
  words: { steps: 2 },
  speaker: { steps: 6, isOneSpeaker: true },
} as const;
/** A long question is searched by its most telling terms: those in the fewest messages. */
const most = { words: 64, bare: 128, alike: 32, grams: 128, dates: 8 } as const;
const minNameChars = 3;
const minSpacelessNameChars = 2;

export interface LexicalQuestion {
  readonly text: string;
  readonly language: Language;
}

export class LexicalScores {
  readonly #words = new PostingLists();
  readonly #grams = new PostingLists();
  readonly #vocabulary = new Vocabulary();

  /** Approximate memory use. */
  get bytes(): number {
    return this.#words.bytes + this.#grams.bytes;
  }

  /** @param number - A whole number from 0 that no other document has; removed documents free theirs. */
  add(number: number, analysis: Analysis): void {
    this.#words.add(number, analysis.words);
    this.#grams.add(number, analysis.grams);
  }

  /** @param analysis - The same as when the document was added. */
  remove(number: number, analysis: Analysis): void {
    this.#words.remove(number, analysis.words);
    this.#grams.remove(number, analysis.grams);
  }

  /** @returns Scores by position in the talk; 0 for documents that share nothing with the question. */
  of(question: LexicalQuestion, talk: Talk): Float64Array {
    const { text, language } = question;
    const asked = analyse(text);
    this.#vocabulary.learn(this.#words, language);
    const { content, alike, bare } = this.#wordsOf(asked);
    const grams = mostTelling(
      Array.from(asked.grams.keys(), (gram) => this.#grams.occurrences([[gram, 1]])),
      most.grams,
    );
    const passages = new Passages(talk);
    const scores = (part: keyof typeof reach, terms: readonly Occurrences[]) =>
      passages.scores(reach[part], [
        { terms, lengths: this.#words.lengths },
        { terms: grams, lengths: this.#grams.lengths },
      ]);
    const own = scores('own', content);
    const passage = scores('passage', [...content, ...alike]);
    const words = scores('words', [...content, ...bare]);
    const bySpeaker = scores('speaker', content);
    const named = namedScores(question, asked, talk);
    const onDate = dateScores(question, talk);
    return filled(passage.length, (position) => {
      const near = passage[position] ?? 0;
      return (
        worth.own * (own[position] ?? 0) +
        worth.passage * near +
        // Stop words count only beside content words.
        (near > 0 ? worth.words * (words[position] ?? 0) : 0) +
        worth.speaker * (bySpeaker[position] ?? 0) +
        worth.asked * (own[talk.asked[position] ?? -1] ?? 0) +
        worth.named * (named?.[position] ?? 0) +
        worth.date * (onDate?.[position] ?? 0)
      );
    });
  }

  /** The query's content words, one entry per stem; words spelt like them; and its stop words. */
  #wordsOf(asked: Analysis): Record<'content' | 'alike' | 'bare', readonly Occurrences[]> {
    const families = new Map<string, Occurrences>();
    const bare: Occurrences[] = [];
    const words: { readonly word: string; readonly holders: number }[] = [];
    for (const word of asked.words.keys()) {
      const forms = this.#vocabulary.formsOf(word);
      const [first] = forms;
      // A family is looked up once, however many of its forms the query has.
      const terms =
        families.get(first ?? '') ??
        this.#words.occurrences((first ? forms : [word]).map((form) => [form, 1]));
      if (first === undefined) bare.push(terms);
      else families.set(first, terms);
      words.push({ word, holders: holdersOf(terms) });
    }
    const rarest =
      words.length <= most.alike
        ? words
        : words.toSorted((one, other) => one.holders - other.holders).slice(0, most.alike);
    const alike = this.#vocabulary.speltLike(rarest.map(({ word }) => word));
    return {
      content: mostTelling([...families.values()], most.words),
      alike: alike.map((terms) => this.#words.occurrences(terms)),
      bare: mostTelling(bare, most.bare),
    };
  }
}

/** In the order of the query, by which sums of their scores are rounded, unless there are too many. */
function mostTelling(terms: readonly Occurrences[], count: number): readonly Occurrences[] {
  const found = terms.filter((term) => term.length > 0);
  if (found.length <= count) return found;
  return found.toSorted((one, other) => holdersOf(one) - holdersOf(other)).slice(0, count);
}

/** Scores messages whose speaker the query names in part, e.g. Taleb for `nassim_taleb`; `undefined` if it names no one. */
function namedScores(
  { text, language }: LexicalQuestion,
  asked: Analysis,
  { entries, names, speakers }: Talk,
): Float64Array | undefined {
  const { stem, stopWords } = language;
  const stems = new Set(Array.from(asked.words.keys(), (word) => stem(word)));
  const plain = text.normalize('NFKC').toLowerCase();
  const isNamed = (part: string) =>
    isSpaceless(part)
      ? part.length >= minSpacelessNameChars && plain.includes(part)
      : part.length >= minNameChars && !stopWords.has(part) && stems.has(stem(part));
  const named = names.map((name) =>
    name
      .normalize('NFKC')
      .toLowerCase()
      .split(/[\s_]+/)
      .some(isNamed),
  );
  if (!named.includes(true)) return undefined;
  return discounted(entries.length, (position) => (named[speakers[position] ?? -1] ? 1 : 0));
}

/** Scores messages from dates that the query names; `undefined` if it names none. */
function dateScores({ text, language }: LexicalQuestion, { entries }: Talk) {
  return datesIn(text, language)
    .slice(0, most.dates)
    .map((date) =>
      discounted(entries.length, (position) =>
        fits(date, entries[position]?.document.createdAt ?? 0),
      ),
    )
    .reduce<Float64Array | undefined>(
      (best, scores) =>
        best?.map((one, position) => Math.max(one, scores[position] ?? 0)) ?? scores,
      undefined,
    );
}

/** Scales values down by the share of messages that have one: to 0 if all do. */
function discounted(size: number, valueAt: (position: number) => number): Float64Array {
  let holding = 0;
  const values = filled(size, (position) => {
    const value = valueAt(position);
    if (value > 0) holding += 1;
    return value;
  });
  return filled(size, (position) => (values[position] ?? 0) * (1 - holding / size));
}

/** A loop, because array methods cost several times as much for this many positions. */
function filled(size: number, valueAt: (position: number) => number): Float64Array {
  const values = new Float64Array(size);
  for (let position = 0; position < size; position += 1) values[position] = valueAt(position);
  return values;
}

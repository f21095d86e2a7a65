/** What words, names and dates say of how near messages are to a question; no model is asked. */

import { type Analysis, analyse, isSpaceless } from './analysis.ts';
import { datesIn, fits } from './dates.ts';
import type { Language } from './language.ts';
import { Passages } from './passages.ts';
import { type Occurrences, PostingLists } from './posting-lists.ts';
import type { Talk } from './threads.ts';
import { Vocabulary } from './vocabulary.ts';

/** What each part of a score counts for. */
const worth = {
  /** The words of the message itself. */
  own: 1,
  /** The words of the passage around it, and those that are spelt much like the question's. */
  passage: 1.2,
  /** All words of a narrower passage, also those without a meaning of their own. */
  words: 1,
  /** The words of what its speaker said around it. */
  speaker: 1.2,
  /** The words of the question that it follows. */
  asked: 1.2,
  /** The question names its speaker, who said nothing else: the more of all is theirs, the less it tells. */
  named: 13,
  /** The question names the day that it was said on, and nothing else was; likewise. */
  date: 18,
} as const;
const reach = {
  own: { steps: 0 },
  passage: { steps: 3 },
  words: { steps: 2 },
  speaker: { steps: 6, isOneSpeaker: true },
} as const;
const shortestNameChars = 3;
const shortestSpacelessName = 2;

export interface LexicalQuestion {
  readonly text: string;
  readonly language: Language;
}

export class LexicalScores {
  readonly #words = new PostingLists();
  readonly #grams = new PostingLists();
  readonly #vocabulary = new Vocabulary();
  /** By the document's number. */
  readonly #wordCounts: number[] = [];
  readonly #gramCounts: number[] = [];

  /** About how much room it takes. */
  get bytes(): number {
    return this.#words.bytes + this.#grams.bytes;
  }

  /** @param number - Whole, from 0, and no other document's; those of documents that are gone are free. */
  add(number: number, analysis: Analysis): void {
    this.#words.add(number, analysis.words);
    this.#grams.add(number, analysis.grams);
    this.#wordCounts[number] = analysis.wordCount;
    this.#gramCounts[number] = analysis.gramCount;
  }

  /** Takes the document as it was added. */
  remove(number: number, analysis: Analysis): void {
    this.#words.remove(number, analysis.words);
    this.#grams.remove(number, analysis.grams);
  }

  /** @returns By position in the talk; 0 for what has nothing of the question. */
  of(question: LexicalQuestion, talk: Talk): Float64Array {
    const { text, language } = question;
    const asked = analyse(text);
    this.#vocabulary.learn(this.#words, language);
    const { content, alike, bare } = this.#wordsOf(asked);
    const grams = [...asked.grams.keys()].map((gram) => this.#grams.occurrences([[gram, 1]]));
    const passages = new Passages(talk);
    const scores = (
      part: keyof typeof reach,
      terms: readonly Occurrences[],
      signs: readonly Occurrences[],
    ) =>
      passages.scores(reach[part], [
        { terms, lengths: this.#wordCounts },
        { terms: signs, lengths: this.#gramCounts },
      ]);
    const own = scores('own', content, grams);
    const passage = scores('passage', [...content, ...alike], grams);
    const words = scores('words', [...content, ...bare], grams);
    const bySpeaker = scores('speaker', content, grams);
    const named = namedScores(question, asked, talk);
    const onDate = dateScores(question, talk);
    return filled(passage.length, (position) => {
      const near = passage[position] ?? 0;
      return (
        worth.own * (own[position] ?? 0) +
        worth.passage * near +
        // Words without a meaning tell nothing by themselves.
        (near > 0 ? worth.words * (words[position] ?? 0) : 0) +
        worth.speaker * (bySpeaker[position] ?? 0) +
        worth.asked * (own[talk.asked[position] ?? -1] ?? 0) +
        worth.named * (named?.[position] ?? 0) +
        worth.date * (onDate?.[position] ?? 0)
      );
    });
  }

  /** Those with a meaning, each once in whatever forms the question has it; words spelt like them; and the others. */
  #wordsOf(asked: Analysis): Record<'content' | 'alike' | 'bare', readonly Occurrences[]> {
    const families = new Map<string, readonly string[]>();
    const alike: Occurrences[] = [];
    const bare: Occurrences[] = [];
    for (const word of asked.words.keys()) {
      const forms = this.#vocabulary.formsOf(word);
      if (forms[0] !== undefined) families.set(forms[0], forms);
      else bare.push(this.#words.occurrences([[word, 1]]));
      alike.push(this.#words.occurrences(this.#vocabulary.speltLike(word)));
    }
    const content = [...families.values()].map((forms) =>
      this.#words.occurrences(forms.map((form) => [form, 1])),
    );
    return { content, alike, bare };
  }
}

/** What those said whom the question names by a part of their name, e.g. Taleb for `nassim_taleb`; absent: it names none of them. */
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
      ? part.length >= shortestSpacelessName && plain.includes(part)
      : part.length >= shortestNameChars && !stopWords.has(part) && stems.has(stem(part));
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

/** What was said on a date that the question names; absent: it names none. */
function dateScores({ text, language }: LexicalQuestion, { entries }: Talk) {
  return datesIn(text, language)
    .map((date) =>
      discounted(entries.length, (position) =>
        fits(date, entries[position]?.document.createdAt ?? 0),
      ),
    )
    .reduce<Float64Array | undefined>(
      (most, scores) =>
        most?.map((one, position) => Math.max(one, scores[position] ?? 0)) ?? scores,
      undefined,
    );
}

/** What holds for many tells little of each; what holds for all tells nothing. */
function discounted(size: number, valueAt: (position: number) => number): Float64Array {
  let holding = 0;
  const values = filled(size, (position) => {
    const value = valueAt(position);
    if (value > 0) holding += 1;
    return value;
  });
  return filled(size, (position) => (values[position] ?? 0) * (1 - holding / size));
}

/** A loop: for this many positions the array's own methods cost several times as much. */
function filled(size: number, valueAt: (position: number) => number): Float64Array {
  const values = new Float64Array(size);
  for (let position = 0; position < size; position += 1) values[position] = valueAt(position);
  return values;
}

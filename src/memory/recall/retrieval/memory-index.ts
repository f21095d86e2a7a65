/**
 * Finds what was said about a question, in process: raw messages and shards of one scope.
 *
 * A message is scored by its own words without their endings, by the passage around it read as one
 * document, by the question that it follows, and by the names and dates in the question; where writing has
 * no spaces, by short sequences of characters. Where question and documents have vectors of one model,
 * their likeness is added. The same documents give the same ranking, in whatever order they came.
 *
 * @see docs/decisions/search-without-a-model.md — what each part is worth.
 */

import { analyse } from './analysis.ts';
import { byTime, type MemoryDocument } from './document.ts';
import { type Language, noLanguage } from './language.ts';
import { LexicalScores } from './lexical-scores.ts';
import { type Numbered, type Talk, Threads } from './threads.ts';
import { cosine, type MeasuredVector, measured, type Vector } from './vector.ts';

export interface MemoryQuestion<Document extends MemoryDocument = MemoryDocument> {
  readonly text: string;
  /** Whose stop words and endings apply. Default: none. */
  readonly language?: Language;
  /** Absent: words alone decide. */
  readonly vector?: Vector | undefined;
  /** How many documents are wanted; at least 1. */
  readonly limit: number;
  /** Documents that are as good as not there. Default: none. */
  readonly isLeftOut?: (document: Document) => boolean;
}

export interface FoundMemory<Document extends MemoryDocument = MemoryDocument> {
  readonly document: Document;
  /** Above 0. Only to be compared with others of the same search. */
  readonly score: number;
}

/** What the parts of a score are worth beside each other, each brought to a highest value of 1. */
const weight = { words: 0.7, vectors: 0.3 } as const;
/** Text of so many characters is enough to tell the language by. */
const sampleChars = 1024;
const sampledDocuments = 32;

/** Scores are compared to this fraction of one. */
const precision = 1e9;

interface Entry<Document extends MemoryDocument> extends Numbered<Document> {
  vector?: MeasuredVector;
}

export class MemoryIndex<Document extends MemoryDocument = MemoryDocument> {
  readonly #byKey = new Map<string, Entry<Document>>();
  readonly #byNumber: (Entry<Document> | undefined)[] = [];
  /** Numbers of documents that are gone. */
  readonly #free: number[] = [];
  readonly #lexical = new LexicalScores();
  readonly #threads = new Threads<Document>();
  /** Of the documents and their vectors, without what they are found by. */
  #ownBytes = 0;

  get size(): number {
    return this.#byKey.size;
  }

  /** About how much room it takes: by up to a half more or less. */
  get bytes(): number {
    return this.#ownBytes + this.#lexical.bytes;
  }

  /** Adds a document; one with the same key makes room for it. */
  add(document: Document): void {
    this.remove(document.key);
    const entry: Entry<Document> = { number: this.#free.pop() ?? this.#byNumber.length, document };
    this.#byKey.set(document.key, entry);
    this.#byNumber[entry.number] = entry;
    this.#ownBytes += bytesOf(entry);
    this.#lexical.add(entry.number, analyse(document.text));
    this.#threads.add(entry);
  }

  /** Gives a document a vector, if it is there. */
  addVector(key: string, vector: Vector): void {
    const entry = this.#byKey.get(key);
    if (!entry) return;
    this.#ownBytes -= bytesOf(entry);
    entry.vector = measured(vector);
    this.#ownBytes += bytesOf(entry);
  }

  /** Leaves nothing of a document, if there is one. */
  remove(key: string): void {
    const entry = this.#byKey.get(key);
    if (!entry) return;
    const { number, document } = entry;
    this.#ownBytes -= bytesOf(entry);
    this.#byKey.delete(key);
    this.#byNumber[number] = undefined;
    this.#free.push(number);
    // Taken apart once more: to keep the parts of every document would take most of the room.
    this.#lexical.remove(number, analyse(document.text));
    this.#threads.remove(entry);
  }

  /** Text from all over the index, to tell its language by. */
  sample(): string {
    const documents = [...this.#byKey.values()].map(({ document }) => document).sort(byTime);
    const step = Math.max(1, Math.floor(documents.length / sampledDocuments));
    const chosen = documents.filter((_, index) => index % step === 0).slice(0, sampledDocuments);
    const share = Math.ceil(sampleChars / Math.max(1, chosen.length));
    return chosen.map(({ text }) => text.slice(0, share)).join('\n');
  }

  /** The documents nearest to a question, nearest first; of equally near ones the newer first. */
  search(question: MemoryQuestion<Document>): readonly FoundMemory<Document>[] {
    const { text, language = noLanguage, vector, limit, isLeftOut = () => false } = question;
    const talk = this.#threads.talk(isLeftOut);
    const { entries } = talk;
    const scores = this.#lexical.of({ text, language }, talk);
    if (vector) this.#fuse(scores, talk, vector);
    const least = leastOfHighest(scores, limit) - 1 / precision;
    const near: { entry: Numbered<Document>; score: number }[] = [];
    for (let position = 0; position < scores.length; position += 1) {
      if ((scores[position] ?? 0) < least) continue;
      const [entry, score] = [entries[position], rounded(scores[position] ?? 0)];
      if (entry && score > 0) near.push({ entry, score });
    }
    return near
      .sort(
        (one, other) => other.score - one.score || byTime(other.entry.document, one.entry.document),
      )
      .slice(0, limit)
      .map(({ entry, score }) => ({ document: entry.document, score }));
  }

  /** Makes of scores by words alone scores by words and vectors, where there are any. */
  #fuse(scores: Float64Array, { entries }: Talk, vector: Vector): void {
    const asked = measured(vector);
    const likenesses = Float64Array.from(entries, ({ number }) => {
      const own = this.#byNumber[number]?.vector;
      return Math.max(0, (own && cosine(own, asked)) ?? 0);
    });
    const mostLikeness = largest(likenesses);
    if (mostLikeness === 0) return;
    const mostScore = largest(scores) || 1;
    for (const [position, likeness] of likenesses.entries()) {
      const byWords = (weight.words * (scores[position] ?? 0)) / mostScore;
      scores[position] = byWords + (weight.vectors * likeness) / mostLikeness;
    }
  }
}

/** As measured on the heap, with what is kept of a document around it. */
function bytesOf({ document, vector }: Entry<MemoryDocument>): number {
  const ofVector = vector === undefined ? 0 : 300 + vector.dimensions;
  return 1200 + document.text.length + ofVector;
}

/** Sums that differ by the order of their parts alone are equal. */
function rounded(score: number): number {
  return Math.round(score * precision) / precision;
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** What the highest few reach; 0 when so many are not above it. Most are looked at once and no more. */
function leastOfHighest(values: Float64Array, count: number): number {
  const highest = new Float64Array(Math.min(count, values.length));
  for (let position = 0; position < values.length; position += 1) {
    const value = values[position] ?? 0;
    if (value <= (highest[0] ?? value)) continue;
    let at = 1;
    for (; (highest[at] ?? value) < value; at += 1) highest[at - 1] = highest[at] ?? 0;
    highest[at - 1] = value;
  }
  return highest[0] ?? 0;
}

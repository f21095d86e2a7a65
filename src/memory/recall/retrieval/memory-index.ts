/**
 * An in-process search index over the messages and shards of one scope.
 *
 * A message is scored by its stemmed words, by the passage around it as one document, by the question that it
 * follows, and by the names and dates in the query; in scripts without spaces, by character n-grams. If query
 * and documents have vectors of the same model, their similarity is added. The ranking does not depend on
 * the order in which documents were added.
 *
 * @see docs/decisions/search-without-a-model.md — the weight of each part.
 */

import type { StoredVector } from '../../../store/store.ts';
import { analyse, type Language, noLanguage } from './language.ts';
import { LexicalScores } from './lexical-scores.ts';
import { byTime, type MemoryDocument, type Numbered, type Talk, Threads } from './threads.ts';

export interface MemoryQuestion<Document extends MemoryDocument = MemoryDocument> {
  readonly text: string;
  /** For stop words and stemming. Default: none. */
  readonly language?: Language;
  /** Absent: search by words alone. */
  readonly vector?: Vector | undefined;
  /** The number of results; at least 1. */
  readonly limit: number;
  /** Excludes documents, which then don't count as neighbours either. Default: excludes none. */
  readonly isLeftOut?: (document: Document) => boolean;
}

export interface FoundMemory<Document extends MemoryDocument = MemoryDocument> {
  readonly document: Document;
  /** Above 0; comparable only within one search. */
  readonly score: number;
}

/** The weights of the two parts of a score, each normalised to a maximum of 1. */
const weight = { words: 0.7, vectors: 0.3 } as const;
/** Enough text to detect the language. */
const sampleChars = 1024;
const sampledDocuments = 32;

/** Scores are rounded to multiples of one over this. */
const precision = 1e9;

interface Entry<Document extends MemoryDocument> extends Numbered<Document> {
  vector?: MeasuredVector;
}

export class MemoryIndex<Document extends MemoryDocument = MemoryDocument> {
  readonly #byKey = new Map<string, Entry<Document>>();
  readonly #byNumber: (Entry<Document> | undefined)[] = [];
  /** Numbers of removed documents, for reuse. */
  readonly #free: number[] = [];
  readonly #lexical = new LexicalScores();
  readonly #threads = new Threads<Document>();
  /** Memory use of documents and vectors, without the word index. */
  #ownBytes = 0;

  get size(): number {
    return this.#byKey.size;
  }

  /** Approximate memory use, within 50 %. */
  get bytes(): number {
    return this.#ownBytes + this.#lexical.bytes;
  }

  /** Adds a document, replacing any with the same key. */
  add(document: Document): void {
    this.remove(document.key);
    const entry: Entry<Document> = { number: this.#free.pop() ?? this.#byNumber.length, document };
    this.#byKey.set(document.key, entry);
    this.#byNumber[entry.number] = entry;
    this.#ownBytes += bytesOf(entry);
    this.#lexical.add(entry.number, analyse(document.text));
    this.#threads.add(entry);
  }

  /** Sets the vector of a document. @returns Whether the index has the document. */
  addVector(key: string, vector: Vector): boolean {
    const entry = this.#byKey.get(key);
    if (!entry) return false;
    this.#ownBytes -= bytesOf(entry);
    entry.vector = measured(vector);
    this.#ownBytes += bytesOf(entry);
    return true;
  }

  /** Removes a document, if the index has it. */
  remove(key: string): void {
    const entry = this.#byKey.get(key);
    if (!entry) return;
    const { number, document } = entry;
    this.#ownBytes -= bytesOf(entry);
    this.#byKey.delete(key);
    this.#byNumber[number] = undefined;
    this.#free.push(number);
    // Analysed again, because storing every analysis would take most of the memory.
    this.#lexical.remove(number, analyse(document.text));
    this.#threads.remove(entry);
  }

  /** Text from across the index, for detecting its language. */
  sample(): string {
    const documents = [...this.#byKey.values()].map(({ document }) => document).sort(byTime);
    const step = Math.max(1, Math.floor(documents.length / sampledDocuments));
    const chosen = documents.filter((_, index) => index % step === 0).slice(0, sampledDocuments);
    const share = Math.ceil(sampleChars / Math.max(1, chosen.length));
    return chosen.map(({ text }) => text.slice(0, share)).join('\n');
  }

  /** The documents nearest to a question, nearest first, and newest first among equals. */
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

  /** Adds vector similarity to the word scores, if any document is similar. */
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

/** As measured on the heap, including the bookkeeping per document. */
function bytesOf({ document, vector }: Entry<MemoryDocument>): number {
  const ofVector = vector === undefined ? 0 : 300 + vector.dimensions;
  return 1200 + document.text.length + ofVector;
}

/** Makes sums equal that differ only by the order of addition. */
function rounded(score: number): number {
  return Math.round(score * precision) / precision;
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** The lowest of the `count` highest values; 0 if fewer are above 0. Compares most values only once. */
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

/** A text embedding with one signed byte per dimension: precise enough for ranking, at an eighth of the size. */
export type Vector = StoredVector;

/** A vector with its length, which every comparison needs. */
interface MeasuredVector extends Vector {
  readonly length: number;
}

const steps = 127;

/** @param values - The model's values; any length above 0. */
export function vectorOf(model: string, values: readonly number[]): Vector {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return {
    model,
    dimensions: values.length,
    values: Int8Array.from(values, (value) => Math.round((value / largest) * steps)),
  };
}

function measured(vector: Vector): MeasuredVector {
  const { model, dimensions, values } = vector;
  return { model, dimensions, values, length: Math.sqrt(product(values, values)) };
}

/** From -1 to 1; `undefined` for vectors of different models or of length 0. */
function cosine(one: MeasuredVector, other: MeasuredVector): number | undefined {
  if (one.model !== other.model || one.dimensions !== other.dimensions) return undefined;
  const lengths = one.length * other.length;
  return lengths === 0 ? undefined : product(one.values, other.values) / lengths;
}

function product(left: Int8Array, right: Int8Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) {
    sum += (left[index] ?? 0) * (right[index] ?? 0);
  }
  return sum;
}

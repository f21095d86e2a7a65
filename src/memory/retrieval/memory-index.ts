/**
 * Finds what was said about a question, in process: raw messages and shards of one scope.
 *
 * A document's score is BM25 over words without their endings, with a little for words that are spelt
 * alike and, where writing has no spaces, over short sequences of characters. A message shares in the
 * score of those next to it in its thread, and counts for more where the question names who said it.
 * Where question and documents have vectors of one model, their likeness is added. The same documents
 * give the same ranking, in whatever order they came.
 *
 * @see notes/memory.md — what each part is worth (5,882 turns, 1,986 questions).
 */

import { analyse } from './analysis.ts';
import { byTime, type MemoryDocument } from './document.ts';
import { type Language, noLanguage } from './language.ts';
import { type Entry, isNamed, LexicalScores, namePartsOf } from './lexical-scores.ts';
import { Neighbours } from './neighbours.ts';
import { cosine, measured, type Vector } from './vector.ts';

export interface MemoryQuestion<Document extends MemoryDocument = MemoryDocument> {
  readonly text: string;
  /** Whose stop words and endings hold. Default: nobody's. */
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
const namedSpeakerFactor = 1.2;
/** Text of so many characters is enough to tell the language by. */
const sampleChars = 1024;
const sampledDocuments = 32;

export class MemoryIndex<Document extends MemoryDocument = MemoryDocument> {
  readonly #entries = new Map<string, Entry<Document>>();
  readonly #lexical = new LexicalScores<Document>();
  readonly #neighbours = new Neighbours<Entry<Document>>();

  get size(): number {
    return this.#entries.size;
  }

  /** Adds a document; one with the same key makes room for it. */
  add(document: Document): void {
    this.remove(document.key);
    const analysis = analyse(document.text);
    const { wordCount, gramCount } = analysis;
    const entry: Entry<Document> = {
      document,
      wordCount,
      gramCount,
      nameParts: namePartsOf(document.speaker),
    };
    this.#entries.set(document.key, entry);
    this.#lexical.add(entry, analysis);
    this.#neighbours.add(entry);
  }

  /** Gives a document a vector, if it is there. */
  addVector(key: string, vector: Vector): void {
    const entry = this.#entries.get(key);
    if (entry) entry.vector = measured(vector);
  }

  /** Leaves nothing of a document, if there is one. */
  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    // Taken apart once more: to keep the parts of every document would take most of the room.
    this.#lexical.remove(entry, analyse(entry.document.text));
    this.#neighbours.remove(entry);
  }

  /** Text from all over the index, to tell its language by. */
  sample(): string {
    const documents = [...this.#entries.values()].map(({ document }) => document).sort(byTime);
    const step = Math.max(1, Math.floor(documents.length / sampledDocuments));
    const chosen = documents.filter((_, index) => index % step === 0).slice(0, sampledDocuments);
    const share = Math.ceil(sampleChars / Math.max(1, chosen.length));
    return chosen.map(({ text }) => text.slice(0, share)).join('\n');
  }

  /** The documents nearest to a question, nearest first; of equally near ones the newer first. */
  search(question: MemoryQuestion<Document>): readonly FoundMemory<Document>[] {
    const { language = noLanguage, limit, isLeftOut = () => false } = question;
    const asked = analyse(question.text);
    const scores = this.#lexical.of(asked, language);
    for (const entry of scores.keys()) if (isLeftOut(entry.document)) scores.delete(entry);
    const spread = this.#neighbours.spread(scores);
    for (const [entry, score] of spread) {
      if (isNamed(entry, asked, language)) spread.set(entry, score * namedSpeakerFactor);
    }
    const fused = question.vector ? this.#fuse(spread, question.vector) : spread;
    return [...fused]
      .map(([{ document }, score]) => ({ document, score: rounded(score) }))
      .filter(({ document, score }) => score > 0 && !isLeftOut(document))
      .sort((one, other) => other.score - one.score || byTime(other.document, one.document))
      .slice(0, limit);
  }

  #fuse(
    scores: ReadonlyMap<Entry<Document>, number>,
    vector: Vector,
  ): ReadonlyMap<Entry<Document>, number> {
    const asked = measured(vector);
    const likenesses = new Map<Entry<Document>, number>();
    for (const entry of this.#entries.values()) {
      const likeness = entry.vector && cosine(entry.vector, asked);
      if (likeness !== undefined && likeness > 0) likenesses.set(entry, likeness);
    }
    if (likenesses.size === 0) return scores;
    const mostScore = largest(scores.values());
    const mostLikeness = largest(likenesses.values());
    const fused = new Map<Entry<Document>, number>();
    for (const [entry, score] of scores) fused.set(entry, (weight.words * score) / mostScore);
    for (const [entry, likeness] of likenesses) {
      fused.set(entry, (fused.get(entry) ?? 0) + (weight.vectors * likeness) / mostLikeness);
    }
    return fused;
  }
}

/** Sums that differ by the order of their parts alone are equal. */
function rounded(score: number): number {
  return Math.round(score * 1e9) / 1e9;
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most || 1;
}

/** What a search reads: the messages of each thread in order of time, and which question each one follows. */

import { byTime, type MemoryDocument } from './document.ts';

/** A document by its number, from 0: scores and the like stand in arrays. */
export interface Numbered<Document extends MemoryDocument = MemoryDocument> {
  readonly number: number;
  readonly document: Document;
}

/** What is not left out of a search, thread by thread: a document's position is where it stands in these arrays. */
export interface Talk<Document extends MemoryDocument = MemoryDocument> {
  readonly entries: readonly Numbered<Document>[];
  /** By a document's number: its position; below 0 for what is left out. */
  readonly positions: Int32Array;
  /** The first and the last position of the same thread. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  /** Who said it: alike for the same speaker. */
  readonly speakers: Int32Array;
  /** The names of speakers by those numbers. */
  readonly names: readonly string[];
  /** The position of the question that it follows; below 0 where it follows none. */
  readonly asked: Int32Array;
}

const none = -1;
/** A question mark of any script, or the particle that ends a question in Japanese. */
const question = /[?？؟]|か[。．]?\s*$/mu;

export class Threads<Document extends MemoryDocument> {
  readonly #threads = new Map<string, Numbered<Document>[]>();
  /** Threads to be put in order before they are next looked at. */
  readonly #unordered = new Set<string>();
  /** By a document's number. */
  readonly #asks: boolean[] = [];

  add(entry: Numbered<Document>): void {
    const { document, number } = entry;
    const name = nameOf(document);
    const thread = this.#threads.get(name);
    if (thread) thread.push(entry);
    else this.#threads.set(name, [entry]);
    this.#unordered.add(name);
    this.#asks[number] = question.test(document.text);
  }

  remove({ number, document }: Numbered<Document>): void {
    const name = nameOf(document);
    const left = (this.#threads.get(name) ?? []).filter((other) => other.number !== number);
    this.#threads.set(name, left);
    if (left.length === 0) this.#threads.delete(name);
  }

  /** @param isLeftOut - What is as good as not there: its neighbours stand next to each other. */
  talk(isLeftOut: (document: Document) => boolean): Talk<Document> {
    this.#order();
    const entries: Numbered<Document>[] = [];
    const bounds: number[] = [0];
    for (const thread of this.#threads.values()) {
      for (const entry of thread) if (!isLeftOut(entry.document)) entries.push(entry);
      bounds.push(entries.length);
    }
    const size = entries.length;
    const positions = new Int32Array(this.#asks.length).fill(none);
    const [first, last] = [new Int32Array(size), new Int32Array(size)];
    for (let thread = 1; thread < bounds.length; thread += 1) {
      const [start = 0, end = 0] = [bounds[thread - 1], bounds[thread]];
      first.fill(start, start, end);
      last.fill(end - 1, start, end);
    }
    for (let position = 0; position < size; position += 1)
      positions[entries[position]?.number ?? 0] = position;
    const asked = this.#asked(entries, first);
    return { entries, positions, first, last, ...speakersOf(entries), asked };
  }

  /**
   * A message follows the one before it, if that asks. All that sages say to a question follows the
   * question, however many of them speak in between.
   */
  #asked(entries: readonly Numbered<Document>[], first: Int32Array): Int32Array {
    const asked = new Int32Array(entries.length).fill(none);
    let opening = 0;
    for (let position = 0; position < entries.length; position += 1) {
      const before = position === first[position] ? undefined : entries[position - 1];
      const turnId = entries[position]?.document.turnId;
      if (turnId === undefined || before?.document.turnId !== turnId) opening = position;
      if (opening < position) asked[position] = opening;
      else if (before && this.#asks[before.number]) asked[position] = position - 1;
    }
    return asked;
  }

  #order(): void {
    for (const name of this.#unordered) {
      this.#threads.get(name)?.sort((one, other) => byTime(one.document, other.document));
    }
    this.#unordered.clear();
  }
}

/** A shard stands beside its thread, by itself. */
function nameOf({ kind, key, threadId }: MemoryDocument): string {
  return kind === 'shard' ? key : threadId;
}

function speakersOf(entries: readonly Numbered[]): Pick<Talk, 'speakers' | 'names'> {
  const known = new Map<string, number>();
  const speakers = new Int32Array(entries.length);
  for (let position = 0; position < speakers.length; position += 1) {
    const speaker = entries[position]?.document.speaker ?? '';
    const number = known.get(speaker) ?? known.size;
    if (number === known.size) known.set(speaker, number);
    speakers[position] = number;
  }
  return { speakers, names: [...known.keys()] };
}

/** What a search reads: the messages of each thread in order of time, and which question each one follows. */

import { compareTexts } from '../../../domain/words.ts';

/** Something that was said, or a shard made of it. */
export interface MemoryDocument {
  /** Unique in its index. */
  readonly key: string;
  readonly kind: 'message' | 'shard';
  /** Messages next to each other in it are about the same thing. */
  readonly threadId: string;
  /** The turn of the council that it belongs to; absent for a shard, and for what was imported. */
  readonly turnId?: string;
  /** Name of who said it; empty for a shard. */
  readonly speaker: string;
  /** All that it can be found by. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Tells documents of one thread and moment apart: the lower one came first. */
  readonly position: number;
}

type Placed = Pick<MemoryDocument, 'createdAt' | 'threadId' | 'position' | 'key'>;

/** The order of documents in time. */
export function byTime(one: Placed, other: Placed): number {
  return (
    one.createdAt - other.createdAt ||
    compareTexts(one.threadId, other.threadId) ||
    one.position - other.position ||
    compareTexts(one.key, other.key)
  );
}

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
  readonly #speakers: number[] = [];
  /** All that ever spoke here, by their numbers. */
  readonly #names = new Map<string, number>();

  add(entry: Numbered<Document>): void {
    const { document, number } = entry;
    const name = nameOf(document);
    const thread = this.#threads.get(name);
    if (thread) thread.push(entry);
    else this.#threads.set(name, [entry]);
    this.#unordered.add(name);
    this.#asks[number] = question.test(document.text);
    const { size } = this.#names;
    const speaker = this.#names.get(document.speaker) ?? size;
    if (speaker === size) this.#names.set(document.speaker, speaker);
    this.#speakers[number] = speaker;
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
    const positions = new Int32Array(this.#asks.length).fill(none);
    const [first, last] = [new Int32Array(positions.length), new Int32Array(positions.length)];
    const [speakers, asked] = [new Int32Array(positions.length), new Int32Array(positions.length)];
    for (const thread of this.#threads.values()) {
      const start = entries.length;
      let opening = start;
      let before: Numbered<Document> | undefined;
      for (const entry of thread) {
        const { number, document } = entry;
        if (isLeftOut(document)) continue;
        const position = entries.push(entry) - 1;
        positions[number] = position;
        first[position] = start;
        speakers[position] = this.#speakers[number] ?? none;
        // All that sages say to a question follows it, however many of them speak in between.
        const isSameTurn =
          document.turnId !== undefined && before?.document.turnId === document.turnId;
        if (!isSameTurn) opening = position;
        if (opening < position) asked[position] = opening;
        else asked[position] = before && this.#asks[before.number] ? position - 1 : none;
        before = entry;
      }
      last.fill(entries.length - 1, start, entries.length);
    }
    return { entries, positions, first, last, speakers, names: [...this.#names.keys()], asked };
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

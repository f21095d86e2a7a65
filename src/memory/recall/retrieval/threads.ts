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
  /** The next and the previous position of the same thread; below 0 at its ends. */
  readonly inThread: Links;
  /** The next and the previous position of the same speaker in the same thread. */
  readonly ofSpeaker: Links;
  /** Who said it: alike for the same speaker. */
  readonly speakers: Int32Array;
  /** The names of speakers by those numbers. */
  readonly names: readonly string[];
  /** The position of the question that it follows; below 0 where it follows none. */
  readonly asked: Int32Array;
}

/** By position: another position, or below 0 for none. */
export interface Links {
  readonly before: Int32Array;
  readonly after: Int32Array;
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
    const size = this.#asks.length;
    const [positions, speakers, asked] = [numbers(size), numbers(size), numbers(size)];
    const [inThread, ofSpeaker] = [links(size), links(size)];
    /** By speaker: the last position so far. */
    const latest = numbers(this.#names.size);
    for (const thread of this.#threads.values()) {
      const start = entries.length;
      let opening = start;
      let before: Numbered<Document> | undefined;
      for (const entry of thread) {
        const { number, document } = entry;
        if (isLeftOut(document)) continue;
        const position = entries.push(entry) - 1;
        const speaker = this.#speakers[number] ?? none;
        positions[number] = position;
        speakers[position] = speaker;
        if (position > start) link(inThread, position - 1, position);
        const earlier = latest[speaker] ?? none;
        if (earlier >= start) link(ofSpeaker, earlier, position);
        latest[speaker] = position;
        // All that sages say to a question follows it, however many of them speak in between.
        const isSameTurn =
          document.turnId !== undefined && before?.document.turnId === document.turnId;
        if (!isSameTurn) opening = position;
        if (opening < position) asked[position] = opening;
        else if (before && this.#asks[before.number]) asked[position] = position - 1;
        before = entry;
      }
    }
    const names = [...this.#names.keys()];
    return { entries, positions, inThread, ofSpeaker, speakers, names, asked };
  }

  #order(): void {
    for (const name of this.#unordered) {
      this.#threads.get(name)?.sort((one, other) => byTime(one.document, other.document));
    }
    this.#unordered.clear();
  }
}

function numbers(size: number): Int32Array {
  return new Int32Array(size).fill(none);
}

function links(size: number): Links {
  return { before: numbers(size), after: numbers(size) };
}

function link({ before, after }: Links, earlier: number, later: number): void {
  before[later] = earlier;
  after[earlier] = later;
}

/** A shard stands beside its thread, by itself. */
function nameOf({ kind, key, threadId }: MemoryDocument): string {
  return kind === 'shard' ? key : threadId;
}

/** The searchable documents thread by thread, in order of time, and the question that each follows. */

import { compareTexts } from '../../../domain/words.ts';

/** A message or a shard. */
export interface MemoryDocument {
  /** Unique in its index. */
  readonly key: string;
  readonly kind: 'message' | 'shard';
  /** Neighbouring messages of a thread are taken to be about the same subject. */
  readonly threadId: string;
  /** Absent for shards and imported messages. */
  readonly turnId?: string;
  /** Empty for a shard. */
  readonly speaker: string;
  /** The searchable text. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Orders documents of the same thread and millisecond. */
  readonly position: number;
}

type Placed = Pick<MemoryDocument, 'createdAt' | 'threadId' | 'position' | 'key'>;

/** Compares documents by time. */
export function byTime(one: Placed, other: Placed): number {
  return (
    one.createdAt - other.createdAt ||
    compareTexts(one.threadId, other.threadId) ||
    one.position - other.position ||
    compareTexts(one.key, other.key)
  );
}

/** A document with its number in the index, from 0, by which arrays refer to it. */
export interface Numbered<Document extends MemoryDocument = MemoryDocument> {
  readonly number: number;
  readonly document: Document;
}

/** The documents of one search, thread by thread. A document's position is its index in these arrays. */
export interface Talk<Document extends MemoryDocument = MemoryDocument> {
  readonly entries: readonly Numbered<Document>[];
  /** Positions by document number; below 0 for excluded documents. */
  readonly positions: Int32Array;
  /** The next and the previous position of the same thread; below 0 at its ends. */
  readonly inThread: Links;
  /** The next and the previous position of the same speaker in the same thread. */
  readonly ofSpeaker: Links;
  /** Speaker numbers. */
  readonly speakers: Int32Array;
  /** Names by speaker number. */
  readonly names: readonly string[];
  /** The position of the question that it follows; below 0 if it follows none. */
  readonly asked: Int32Array;
}

/** By position: another position, or below 0 for none. */
export interface Links {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

const none = -1;
/** A question mark of any script, or the Japanese question particle. */
const question = /[?？؟]|か[。．]?\s*$/mu;

export class Threads<Document extends MemoryDocument> {
  readonly #threads = new Map<string, Numbered<Document>[]>();
  /** Threads to sort before the next search. */
  readonly #unordered = new Set<string>();
  /** By document number. */
  readonly #asks: boolean[] = [];
  readonly #speakers: number[] = [];
  /** The numbers of all speakers so far, by name. */
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

  /** @param isLeftOut - Excludes documents; their neighbours then count as adjacent. */
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
        // All answers of a turn follow its question, however many come in between.
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

/** Each shard counts as a separate thread. */
function nameOf({ kind, key, threadId }: MemoryDocument): string {
  return kind === 'shard' ? key : threadId;
}

/** What a message says is often understood only with the ones before and after it. */

import { byTime, type MemoryDocument } from './document.ts';

/** Share of a message's score that those next to it get, and those two away. */
const shares = [0.4, 0.2] as const;

interface Placed {
  readonly document: MemoryDocument;
}

/** The messages of each thread in order of time. */
export class Neighbours<Entry extends Placed> {
  readonly #threads = new Map<string, Entry[]>();
  /** Threads to be put in order before they are next looked at. */
  readonly #unordered = new Set<string>();
  readonly #places = new Map<Entry, number>();

  /** Shards stand beside the thread, and have no neighbours. */
  add(entry: Entry): void {
    const { kind, threadId } = entry.document;
    if (kind === 'shard') return;
    const thread = this.#threads.get(threadId) ?? [];
    thread.push(entry);
    this.#threads.set(threadId, thread);
    this.#unordered.add(threadId);
  }

  remove(entry: Entry): void {
    const { threadId } = entry.document;
    const left = (this.#threads.get(threadId) ?? []).filter((other) => other !== entry);
    this.#places.delete(entry);
    this.#threads.set(threadId, left);
    this.#unordered.add(threadId);
    if (left.length === 0) this.#threads.delete(threadId);
  }

  /** Gives each neighbour of a scored message its share. */
  spread(scores: ReadonlyMap<Entry, number>): Map<Entry, number> {
    this.#order();
    const spread = new Map(scores);
    for (const [entry, score] of scores) {
      const thread = this.#threads.get(entry.document.threadId) ?? [];
      const place = this.#places.get(entry);
      if (place === undefined) continue;
      for (const [index, share] of shares.entries()) {
        for (const neighbour of [thread[place - index - 1], thread[place + index + 1]]) {
          if (neighbour) spread.set(neighbour, (spread.get(neighbour) ?? 0) + share * score);
        }
      }
    }
    return spread;
  }

  #order(): void {
    for (const threadId of this.#unordered) {
      const thread = this.#threads.get(threadId) ?? [];
      thread.sort((one, other) => byTime(one.document, other.document));
      for (const [place, entry] of thread.entries()) this.#places.set(entry, place);
    }
    this.#unordered.clear();
  }
}

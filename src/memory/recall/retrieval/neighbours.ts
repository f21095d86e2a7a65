/** What a message says is often understood only with the ones before and after it. */

import { byTime, type MemoryDocument } from './document.ts';

/** Share of a message's score that those next to it get, and those two away. */
const shares = [0.4, 0.2] as const;
const nobody = -1;

interface Placed {
  readonly number: number;
  readonly document: MemoryDocument;
}

/** The messages of each thread in order of time. */
export class Neighbours {
  readonly #threads = new Map<string, Placed[]>();
  /** Threads to be put in order before they are next looked at. */
  readonly #unordered = new Set<string>();
  /** By a document's number, the number of the one before it in its thread, and of the one after. */
  readonly #before: number[] = [];
  readonly #after: number[] = [];

  add(placed: Placed): void {
    const { kind, threadId } = placed.document;
    this.#before[placed.number] = nobody;
    this.#after[placed.number] = nobody;
    // Shards stand beside the thread, and have no neighbours.
    if (kind === 'shard') return;
    const thread = this.#threads.get(threadId);
    if (thread) thread.push(placed);
    else this.#threads.set(threadId, [placed]);
    this.#unordered.add(threadId);
  }

  remove({ number, document: { kind, threadId } }: Placed): void {
    if (kind === 'shard') return;
    const left = (this.#threads.get(threadId) ?? []).filter((other) => other.number !== number);
    this.#threads.set(threadId, left);
    this.#unordered.add(threadId);
    if (left.length === 0) this.#threads.delete(threadId);
  }

  /**
   * Gives each neighbour of a scored message its share.
   *
   * @param scores - By the document's number, as what is returned.
   */
  spread(scores: Float64Array): Float64Array {
    this.#order();
    const spread = scores.slice();
    for (let number = 0; number < scores.length; number += 1) {
      const score = scores[number] ?? 0;
      if (score === 0) continue;
      for (const side of [this.#before, this.#after]) {
        let neighbour = number;
        for (const share of shares) {
          neighbour = side[neighbour] ?? nobody;
          if (neighbour === nobody) break;
          spread[neighbour] = (spread[neighbour] ?? 0) + share * score;
        }
      }
    }
    return spread;
  }

  #order(): void {
    for (const threadId of this.#unordered) {
      const thread = this.#threads.get(threadId) ?? [];
      thread.sort((one, other) => byTime(one.document, other.document));
      for (const [place, { number }] of thread.entries()) {
        this.#before[number] = thread[place - 1]?.number ?? nobody;
        this.#after[number] = thread[place + 1]?.number ?? nobody;
      }
    }
    this.#unordered.clear();
  }
}

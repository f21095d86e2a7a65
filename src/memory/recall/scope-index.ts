/** One scope of memories, held in process and brought up to date before each use. */

import { type MemoryScope, type MemoryStore, mostRemembered } from '../../store/store.ts';
import { type Memory, memoryOfMessage, memoryOfShard, messageKey, shardKey } from '../memories.ts';
import { detectLanguage } from './retrieval/language.ts';
import { MemoryIndex, type MemoryQuestion } from './retrieval/memory-index.ts';
import type { Vector } from './retrieval/vector.ts';

/** How much is read at once: the event loop waits for no more than this. */
const pageSize = 250;

export class ScopeIndex {
  readonly #store: MemoryStore;
  readonly scope: MemoryScope;
  #index = new MemoryIndex<Memory>();
  /** By kind, in the order in which they were completed. */
  #memories = { message: new Map<string, Memory>(), shard: new Map<string, Memory>() };
  /** Keys with the model that their vector is of. */
  #vectors = new Map<string, string>();
  /** Keys with the model that makes no vector of them. */
  #refused = new Map<string, string>();
  #version: string | undefined;
  #keptSince = Number.NEGATIVE_INFINITY;
  #detected = { language: 'none', size: 0 };
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(store: MemoryStore, scope: MemoryScope) {
    this.#store = store;
    this.scope = scope;
  }

  /**
   * Reads what has changed: one round trip when not much has. A reading that is under way may have
   * missed something, so that it is not shared; those who wait for it share the next one.
   */
  update(): Promise<void> {
    this.#next ??= this.#readAfter(this.#running);
    return this.#next;
  }

  /** The memories nearest to a question, nearest first. */
  search(question: MemoryQuestion<Memory>): readonly Memory[] {
    return this.#index.search(question).map(({ document }) => document);
  }

  /**
   * The language of what was said here. Told anew whenever there is twice as much of it: it would
   * cost as much as a search.
   */
  get language(): string {
    const { size } = this.#index;
    if (size >= 2 * this.#detected.size || size < this.#detected.size / 2) {
      this.#detected = { language: detectLanguage(this.#index.sample()), size };
    }
    return this.#detected.language;
  }

  /** All that is remembered here, each kind in the order in which it was completed. */
  all(): readonly Memory[] {
    return [...this.#memories.message.values(), ...this.#memories.shard.values()];
  }

  /** About how much room it takes in the process. */
  get bytes(): number {
    return this.#index.bytes;
  }

  get hasVectors(): boolean {
    return this.#vectors.size > 0;
  }

  /** What has no vector of a model yet, and is not known to get none. */
  withoutVector(model: string): readonly Memory[] {
    const isWithout = ({ key }: Memory) =>
      this.#vectors.get(key) !== model && this.#refused.get(key) !== model;
    return this.all().filter(isWithout);
  }

  addVector(key: string, vector: Vector): void {
    if (!this.#memories.message.has(key) && !this.#memories.shard.has(key)) return;
    this.#index.addVector(key, vector);
    this.#vectors.set(key, vector.model);
  }

  /** Until it changes, or is read anew. */
  leaveWithoutVector(key: string, model: string): void {
    this.#refused.set(key, model);
  }

  async #readAfter(running: Promise<void> | undefined): Promise<void> {
    // Its failure goes to those who awaited it.
    await running?.catch(() => undefined);
    this.#running = this.#next;
    this.#next = undefined;
    await this.#read();
  }

  async #read(): Promise<void> {
    let hasMore = true;
    while (hasMore) {
      const since = this.#version;
      const changes = await this.#store.read(this.scope, {
        limit: pageSize,
        ...(since !== undefined && { since }),
      });
      if (changes.isAnew) this.#clear();
      else if (changes.keptSince < this.#keptSince) {
        // Things are kept for longer now: what had expired when this was read may be there again.
        this.#version = undefined;
        continue;
      }
      for (const remembered of changes.messages) {
        this.#take(messageKey(remembered.message), 'message', memoryOfMessage(remembered));
      }
      for (const shard of changes.shards) {
        const memory = shard.supersededAt === undefined ? memoryOfShard(shard) : undefined;
        this.#take(shardKey(shard), 'shard', memory);
      }
      this.#version = changes.version;
      this.#dropExpired(changes.keptSince);
      ({ hasMore } = changes);
    }
  }

  /** Puts a memory in the place of what was there under its key. */
  #take(key: string, kind: Memory['kind'], memory: Memory | undefined): void {
    const memories = this.#memories[kind];
    this.#drop(key, kind);
    if (!memory) return;
    memories.set(key, memory);
    this.#index.add(memory);
    const [oldest] = memories.keys();
    if (memories.size > mostRemembered && oldest !== undefined) this.#drop(oldest, kind);
  }

  #drop(key: string, kind: Memory['kind']): void {
    this.#memories[kind].delete(key);
    this.#vectors.delete(key);
    this.#refused.delete(key);
    this.#index.remove(key);
  }

  #dropExpired(keptSince: number): void {
    if (keptSince <= this.#keptSince) return;
    this.#keptSince = keptSince;
    for (const kind of ['message', 'shard'] as const) {
      for (const [key, { agesFrom }] of this.#memories[kind]) {
        if (agesFrom < keptSince) this.#drop(key, kind);
      }
    }
  }

  #clear(): void {
    this.#index = new MemoryIndex<Memory>();
    this.#memories = { message: new Map(), shard: new Map() };
    this.#vectors = new Map();
    this.#refused = new Map();
    this.#keptSince = Number.NEGATIVE_INFINITY;
    this.#detected = { language: 'none', size: 0 };
  }
}

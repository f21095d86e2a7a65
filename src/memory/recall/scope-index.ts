/** One scope of memories, held in process and brought up to date before each use. */

import {
  type MemoryChanges,
  type MemoryScope,
  type MemoryStore,
  mostRemembered,
} from '../../store/store.ts';
import { type Memory, memoryOfMessage, memoryOfShard, messageKey, shardKey } from '../memories.ts';
import { ScopeReading } from '../scope-reading.ts';
import { detectLanguage } from './retrieval/language.ts';
import { MemoryIndex, type MemoryQuestion } from './retrieval/memory-index.ts';
import type { Vector } from './retrieval/vector.ts';

const pageSize = 250;

export class ScopeIndex {
  readonly scope: MemoryScope;
  readonly #reading: ScopeReading;
  #index = new MemoryIndex<Memory>();
  /** By kind, in the order in which they were completed. */
  #memories = { message: new Map<string, Memory>(), shard: new Map<string, Memory>() };
  /** Keys with the model that their vector is of. */
  #vectors = new Map<string, string>();
  /** Keys with the model that makes no vector of them. */
  #refused = new Map<string, string>();
  #detected = { language: 'none', size: 0 };

  constructor(store: MemoryStore, scope: MemoryScope) {
    this.scope = scope;
    this.#reading = new ScopeReading({
      ...{ store, scope, pageSize },
      holder: {
        clear: () => this.#clear(),
        take: (changes) => this.#takeAll(changes),
        dropExpired: (keptSince) => this.#dropExpired(keptSince),
      },
    });
  }

  /** @see ScopeReading.update */
  update(): Promise<void> {
    return this.#reading.update();
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

  #takeAll({ messages, shards }: Pick<MemoryChanges, 'messages' | 'shards'>): void {
    for (const remembered of messages) {
      this.#take(messageKey(remembered.message), 'message', memoryOfMessage(remembered));
    }
    for (const shard of shards) {
      const memory = shard.supersededAt === undefined ? memoryOfShard(shard) : undefined;
      this.#take(shardKey(shard), 'shard', memory);
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
    this.#detected = { language: 'none', size: 0 };
  }
}

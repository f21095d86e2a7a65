/** One scope of memories in process, brought up to date before each use. */

import {
  type MemoryChanges,
  type MemoryScope,
  type MemoryStore,
  mostRemembered,
} from '../../store/store.ts';
import { type Memory, memoryOfMessage, memoryOfShard, messageKey, shardKey } from '../memories.ts';
import { ScopeReader } from '../pages.ts';
import { detectLanguage } from './retrieval/language.ts';
import { MemoryIndex, type MemoryQuestion, type Vector } from './retrieval/memory-index.ts';

export class ScopeIndex {
  readonly scope: MemoryScope;
  readonly #reading: ScopeReader;
  #index = new MemoryIndex<Memory>();
  /** By kind and key, in order of completion. */
  #memories = { message: new Map<string, Memory>(), shard: new Map<string, Memory>() };
  /** The model that made each memory's vector, or refused to, by key. */
  #embeddedBy = new Map<string, string>();
  #detected = { language: 'none', size: 0 };

  constructor(store: MemoryStore, scope: MemoryScope) {
    this.scope = scope;
    this.#reading = new ScopeReader(store, scope, {
      clear: () => this.#clear(),
      apply: (changes) => this.#apply(changes),
      dropExpired: (keptSince) => this.#dropExpired(keptSince),
    });
  }

  /** @see ScopeReader.update */
  update(): Promise<void> {
    return this.#reading.update();
  }

  /** The memories nearest to a question, nearest first. */
  search(question: MemoryQuestion<Memory>): readonly Memory[] {
    return this.#index.search(question).map(({ document }) => document);
  }

  /**
   * The detected language of the scope's text. Detection costs as much as a search, so it runs again
   * only when the scope has doubled or halved.
   */
  get language(): string {
    const { size } = this.#index;
    if (size >= 2 * this.#detected.size || size < this.#detected.size / 2) {
      this.#detected = { language: detectLanguage(this.#index.sample()), size };
    }
    return this.#detected.language;
  }

  /** Every memory of the scope, each kind in order of completion. */
  all(): readonly Memory[] {
    return [...this.#memories.message.values(), ...this.#memories.shard.values()];
  }

  /** Approximate memory use. */
  get bytes(): number {
    return this.#index.bytes;
  }

  get hasVectors(): boolean {
    return this.#embeddedBy.size > 0;
  }

  /** The memories without a vector of this model, except those that it refused. */
  withoutVector(model: string): readonly Memory[] {
    return this.all().filter(({ key }) => this.#embeddedBy.get(key) !== model);
  }

  addVector(key: string, vector: Vector): void {
    if (!this.#memories.message.has(key) && !this.#memories.shard.has(key)) return;
    this.#index.addVector(key, vector);
    this.#embeddedBy.set(key, vector.model);
  }

  /** Stops asking the model for this memory's vector until the memory changes or is read again. */
  markRefused(key: string, model: string): void {
    this.#embeddedBy.set(key, model);
  }

  #apply({ messages, shards }: Pick<MemoryChanges, 'messages' | 'shards'>): void {
    for (const remembered of messages) {
      this.#replace(messageKey(remembered.message), 'message', memoryOfMessage(remembered));
    }
    for (const shard of shards) {
      const memory = shard.supersededAt === undefined ? memoryOfShard(shard) : undefined;
      this.#replace(shardKey(shard), 'shard', memory);
    }
  }

  /** @param memory - `undefined` only removes the memory with this key. */
  #replace(key: string, kind: Memory['kind'], memory: Memory | undefined): void {
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
    this.#embeddedBy.delete(key);
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
    this.#embeddedBy = new Map();
    this.#detected = { language: 'none', size: 0 };
  }
}

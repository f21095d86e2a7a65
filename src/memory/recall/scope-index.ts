/** One scope of memories in process, brought up to date before each use. */

import { isSameChannel } from '../../domain/thread-id.ts';
import type { MemoryScope, MemoryStore } from '../../store/store.ts';
import { type Memory, memoryOfMessage, memoryOfShard } from '../memories.ts';
import { ScopeCopy } from '../pages.ts';
import { detectLanguage } from './retrieval/language.ts';
import { MemoryIndex, type MemoryQuestion, type Vector } from './retrieval/memory-index.ts';

export class ScopeIndex {
  readonly scope: MemoryScope;
  readonly #copies: readonly ScopeCopy<Memory>[];
  #index = new MemoryIndex<Memory>();
  /** The model that made each memory's vector, or refused to, by key. */
  readonly #embeddedBy = new Map<string, string>();
  #detected = { language: 'none', size: 0 };

  constructor(store: MemoryStore, scope: MemoryScope) {
    this.scope = scope;
    const { threadId, reach } = scope;
    const isElsewhere = (memory: Memory) => !isSameChannel(memory.threadId, threadId);
    const copy = this.#copyOf(store, scope, reach === 'workspace' ? isElsewhere : () => true);
    // Apart, so that busy channels don't push out the memories of this one.
    const ofChannel = () => this.#copyOf(store, { threadId, reach: 'channel' }, () => true);
    this.#copies = reach === 'workspace' ? [ofChannel(), copy] : [copy];
  }

  #copyOf(
    store: MemoryStore,
    scope: MemoryScope,
    isIncluded: (memory: Memory) => boolean,
  ): ScopeCopy<Memory> {
    const included = (memory: Memory | undefined) =>
      memory && isIncluded(memory) ? memory : undefined;
    return new ScopeCopy<Memory>(store, scope, {
      ofMessage: (message) => included(memoryOfMessage(message)),
      ofShard: (shard) => included(memoryOfShard(shard)),
      onAdd: (memory) => this.#index.add(memory),
      onDrop: ({ key }) => {
        this.#index.remove(key);
        this.#embeddedBy.delete(key);
      },
      ...(this.scope.reach !== 'workspace' && {
        onClear: () => {
          this.#index = new MemoryIndex<Memory>();
          this.#embeddedBy.clear();
          this.#detected = { language: 'none', size: 0 };
        },
      }),
    });
  }

  /** @see ScopeCopy.update */
  async update(): Promise<void> {
    await Promise.all(this.#copies.map((copy) => copy.update()));
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

  /** Every memory of the scope: of each copy and kind, in order of completion. */
  all(): readonly Memory[] {
    return this.#copies.flatMap(({ messages, shards }) => [...messages, ...shards]);
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
    if (this.#index.addVector(key, vector)) this.#embeddedBy.set(key, vector.model);
  }

  /** Stops asking the model for this memory's vector until the memory changes or is read again. */
  markRefused(key: string, model: string): void {
    this.#embeddedBy.set(key, model);
  }
}

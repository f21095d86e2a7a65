/** Follows what is remembered in a scope, for those who hold it in process. */

import type { MemoryChanges, MemoryScope, MemoryStore } from '../store/store.ts';

/** Who holds what was read. */
export interface ScopeHolder {
  /** Forgets everything: all of it comes anew. */
  clear(): void;
  take(changes: Pick<MemoryChanges, 'messages' | 'shards'>): void;
  /** Drops what is older. Milliseconds since 1970. */
  dropExpired(keptSince: number): void;
}

export interface ScopeReadingOptions {
  readonly store: Pick<MemoryStore, 'read'>;
  readonly scope: MemoryScope;
  /** How much is read at once: the event loop waits for no more than this. */
  readonly pageSize: number;
  readonly holder: ScopeHolder;
}

export class ScopeReading {
  readonly #options: ScopeReadingOptions;
  #version: string | undefined;
  #keptSince = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(options: ScopeReadingOptions) {
    this.#options = options;
  }

  /**
   * Reads what has changed: one round trip when not much has. A reading that is under way may have
   * missed something, so that it is not shared; those who wait for it share the next one. Throws what the
   * store throws.
   */
  update(): Promise<void> {
    this.#next ??= this.#readAfter(this.#running);
    return this.#next;
  }

  async #readAfter(running: Promise<void> | undefined): Promise<void> {
    // Its failure goes to those who awaited it.
    await running?.catch(() => undefined);
    this.#running = this.#next;
    this.#next = undefined;
    await this.#read();
  }

  async #read(): Promise<void> {
    const { store, scope, pageSize, holder } = this.#options;
    let hasMore = true;
    while (hasMore) {
      const since = this.#version;
      const changes = await store.read(scope, {
        limit: pageSize,
        ...(since !== undefined && { since }),
      });
      if (changes.isAnew) {
        holder.clear();
        this.#keptSince = Number.NEGATIVE_INFINITY;
      } else if (changes.keptSince < this.#keptSince) {
        // Things are kept for longer now: what had expired when this was read may be there again.
        this.#version = undefined;
        continue;
      }
      holder.take(changes);
      this.#version = changes.version;
      if (changes.keptSince > this.#keptSince) {
        this.#keptSince = changes.keptSince;
        holder.dropExpired(changes.keptSince);
      }
      ({ hasMore } = changes);
    }
  }
}

/** Reads a store's lists page by page, tolerating deletions in between, and keeps copies of scopes current. */

import { setImmediate as breathe } from 'node:timers/promises';
import {
  type MemoryChanges,
  type MemoryScope,
  type MemoryStore,
  type Message,
  type MessageStore,
  mostForgotten,
  type RememberedMessage,
  type Shard,
  type TurnHeader,
  type TurnStore,
} from '../store/store.ts';

/**
 * Records per page. A page of turns fits into one forgetting step; that of memories limits how long one
 * read blocks the event loop.
 */
const pageSize = { turns: mostForgotten, messages: 500, memories: 250 } as const;

/**
 * Pages through a list that is read newest first.
 *
 * @param read - Returns the newest items created before a moment (ms since 1970), at most `limit`.
 * @returns The new items of each page, newest first, without repeats.
 * @throws {RangeError} If more than one page was created in the same millisecond: paging would skip items.
 */
export async function* pagesOf<Item extends { readonly createdAt: number }>(
  limit: number,
  read: (options: { limit: number; before?: number }) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): AsyncGenerator<readonly Item[]> {
  let known = new Set<string>();
  let page = await read({ limit });
  for (;;) {
    const fresh = page.filter((item) => !known.has(keyOf(item)));
    if (fresh.length > 0) yield fresh;
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < limit) return;
    if (fresh.length === 0) {
      throw new RangeError(
        `More than ${limit} records were made at ${new Date(oldest.createdAt).toISOString()}, and can't be read in pages.`,
      );
    }
    known = new Set(page.map(keyOf));
    // The next page may hold more items of that millisecond, and repeats the known ones.
    page = await read({ limit, before: oldest.createdAt + 1 });
  }
}

/** The turns of a thread, page by page as in {@link pagesOf}. */
export function turnPages(
  turns: Pick<TurnStore, 'list'>,
  threadId: string,
): AsyncGenerator<readonly TurnHeader[]> {
  return pagesOf(
    pageSize.turns,
    (options) => turns.list(threadId, options),
    ({ turnId }) => turnId,
  );
}

/** The messages of a thread, including imported ones, page by page as in {@link pagesOf}. */
export function messagePages(
  messages: Pick<MessageStore, 'page'>,
  threadId: string,
): AsyncGenerator<readonly Message[]> {
  return pagesOf(
    pageSize.messages,
    (options) => messages.page(threadId, options),
    ({ id }) => id,
  );
}

/**
 * The messages of a thread, oldest first, holding at most two pages in memory. The store lists newest
 * first, so this reads the list twice. Messages added in between are left out.
 */
export async function* messagesOldestFirst(
  messages: Pick<MessageStore, 'page'>,
  threadId: string,
): AsyncGenerator<Message> {
  const starts: number[] = [];
  for await (const [newest] of messagePages(messages, threadId)) {
    if (newest) starts.push(newest.createdAt);
  }
  let known = new Set<string>();
  for (const start of starts.reverse()) {
    const options = { limit: pageSize.messages, before: start + 1 };
    const page = await messages.page(threadId, options);
    // Pages may overlap.
    yield* page.toReversed().filter(({ id }) => !known.has(id));
    known = new Set(page.map(({ id }) => id));
  }
}

/** The memories of a scope, each kind in order of completion. */
export interface Remembered {
  readonly messages: readonly RememberedMessage[];
  /** Without superseded ones. */
  readonly shards: readonly Shard[];
}

/** Reads everything remembered in a scope. Throws what the store throws. */
export async function rememberedIn(
  store: Pick<MemoryStore, 'read'>,
  scope: MemoryScope,
): Promise<Remembered> {
  const messages = new Map<string, RememberedMessage>();
  const shards = new Map<string, Shard>();
  const reader = new ScopeReader(store, scope, {
    clear() {
      messages.clear();
      shards.clear();
    },
    apply(changes) {
      for (const one of changes.messages) {
        messages.set(`${one.message.threadId} ${one.message.id}`, one);
      }
      for (const shard of changes.shards) shards.set(`${shard.threadId} ${shard.id}`, shard);
    },
    // What has just been read has not expired.
    dropExpired: () => undefined,
  });
  await reader.update();
  const current = [...shards.values()].filter(({ supersededAt }) => supersededAt === undefined);
  return { messages: [...messages.values()], shards: current };
}

/** A copy of a scope in this process. */
export interface ScopeCopy {
  /** Empties the copy before the whole scope is read again. */
  clear(): void;
  apply(changes: Pick<MemoryChanges, 'messages' | 'shards'>): void;
  /** Drops records with an earlier `agesFrom`; milliseconds since 1970. */
  dropExpired(keptSince: number): void;
}

/** Brings an in-process copy of a scope up to date. */
export class ScopeReader {
  readonly #store: Pick<MemoryStore, 'read'>;
  readonly #scope: MemoryScope;
  readonly #copy: ScopeCopy;
  #version: string | undefined;
  #keptSince = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(store: Pick<MemoryStore, 'read'>, scope: MemoryScope, copy: ScopeCopy) {
    this.#store = store;
    this.#scope = scope;
    this.#copy = copy;
  }

  /**
   * Reads the changes since the last update: one round trip unless there are many. A read in progress
   * may have missed something, so callers that arrive meanwhile share the next one. Throws what the
   * store throws.
   */
  update(): Promise<void> {
    this.#next ??= this.#readAfter(this.#running);
    return this.#next;
  }

  async #readAfter(running: Promise<void> | undefined): Promise<void> {
    // Its own callers get its error.
    await running?.catch(() => undefined);
    this.#running = this.#next;
    this.#next = undefined;
    while (await this.#readPage()) await breathe();
  }

  /** @returns Whether there is more to read. */
  async #readPage(): Promise<boolean> {
    const changes = await this.#store.read(this.#scope, {
      limit: pageSize.memories,
      ...(this.#version !== undefined && { since: this.#version }),
    });
    if (changes.isAnew) {
      this.#copy.clear();
      this.#keptSince = Number.NEGATIVE_INFINITY;
    } else if (changes.keptSince < this.#keptSince) {
      // The retention was raised, which may bring expired records back.
      this.#version = undefined;
      return true;
    }
    this.#copy.apply(changes);
    this.#version = changes.version;
    if (changes.keptSince > this.#keptSince) {
      this.#keptSince = changes.keptSince;
      this.#copy.dropExpired(changes.keptSince);
    }
    return changes.hasMore;
  }
}

/** Splits a list into batches of at most `size` items. */
export function inBatches<Item>(
  items: readonly Item[],
  size: number,
): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/** Reads a store's lists page by page, tolerating deletions in between, and keeps copies of scopes current. */

import { setImmediate as breathe } from 'node:timers/promises';
import {
  type MemoryKey,
  type MemoryScope,
  type MemoryStore,
  type Message,
  type MessageStore,
  mostForgotten,
  mostRemembered,
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
 * @returns New items, newest first, without repeats, at most `limit` at once.
 */
export async function* pagesOf<Item extends { readonly createdAt: number }>(
  limit: number,
  read: (options: { limit: number; before?: number }) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): AsyncGenerator<readonly Item[]> {
  let known = new Set<string>();
  let size = limit;
  let page = await read({ limit });
  for (;;) {
    const fresh = page.filter((item) => !known.has(keyOf(item)));
    yield* inBatches(fresh, limit);
    // A file answers at once, so nothing else would run before the last page of the last of many lists.
    await breathe();
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < size) return;
    // All of the page was made in one millisecond, and more than the page can hold.
    if (fresh.length === 0) size *= 2;
    known = new Set(page.map(keyOf));
    // The next page may hold more items of that millisecond, and repeats the known ones.
    page = await read({ limit: size, before: oldest.createdAt + 1 });
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

/**
 * The messages of a thread, including imported ones, page by page as in {@link pagesOf}.
 *
 * @param before - A moment (ms since 1970); only earlier messages. Default: all.
 */
export function messagePages(
  messages: Pick<MessageStore, 'page'>,
  threadId: string,
  before = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<readonly Message[]> {
  return pagesOf(
    pageSize.messages,
    (options) => messages.page(threadId, { before, ...options }),
    ({ id }) => id,
  );
}

/**
 * The messages of a thread, oldest first, holding at most two pages in memory, or all messages of one
 * millisecond. The store lists newest first, so this reads the list twice. Messages added in between are
 * left out.
 */
export async function* messagesOldestFirst(
  messages: Pick<MessageStore, 'page'>,
  threadId: string,
): AsyncGenerator<Message> {
  const bounds = new Set<number>();
  for await (const page of messagePages(messages, threadId)) {
    const [newest] = page;
    if (newest && bounds.size === 0) bounds.add(newest.createdAt + 1);
    bounds.add(page.at(-1)?.createdAt ?? 0);
  }
  const [first = 0, ...ends] = [...bounds].reverse();
  let since = first;
  for (const end of ends) {
    const found: Message[] = [];
    for await (const page of messagePages(messages, threadId, end)) {
      const within = page.filter(({ createdAt }) => createdAt >= since);
      found.push(...within);
      if (within.length < page.length) break;
    }
    yield* found.reverse();
    since = end;
    await breathe();
  }
}

/** Reads everything remembered in a scope. Throws what the store throws. */
export async function rememberedIn(
  store: Pick<MemoryStore, 'read'>,
  scope: MemoryScope,
): Promise<Pick<ScopeCopy<RememberedMessage, Shard>, 'messages' | 'shards'>> {
  const copy = new ScopeCopy<RememberedMessage, Shard>(store, scope, {
    ofMessage: (remembered) => remembered,
    ofShard: (shard) => shard,
  });
  await copy.update();
  return copy;
}

interface Aged {
  /** Milliseconds since 1970. */
  readonly agesFrom: number;
}

/** What a copy keeps of the records of its scope. */
export interface CopyOptions<OfMessage extends Aged, OfShard extends Aged> {
  /** `undefined` leaves a message out. */
  readonly ofMessage: (remembered: RememberedMessage) => OfMessage | undefined;
  readonly ofShard: (shard: Shard) => OfShard | undefined;
  readonly onAdd?: (item: OfMessage | OfShard) => void;
  readonly onDrop?: (item: OfMessage | OfShard) => void;
  /** Called when everything is dropped at once, in place of `onDrop` for each item. */
  readonly onClear?: () => void;
}

/** A copy of a scope in this process: its newest messages and current shards, as many as a scope remembers. */
export class ScopeCopy<OfMessage extends Aged, OfShard extends Aged = OfMessage> {
  readonly #store: Pick<MemoryStore, 'read'>;
  readonly #scope: MemoryScope;
  readonly #options: CopyOptions<OfMessage, OfShard>;
  readonly #messages = new Map<string, OfMessage>();
  readonly #shards = new Map<string, OfShard>();
  #version: string | undefined;
  #keptSince = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(
    store: Pick<MemoryStore, 'read'>,
    scope: MemoryScope,
    options: CopyOptions<OfMessage, OfShard>,
  ) {
    this.#store = store;
    this.#scope = scope;
    this.#options = options;
  }

  /** In order of completion, like the shards. */
  get messages(): readonly OfMessage[] {
    return [...this.#messages.values()];
  }

  get shards(): readonly OfShard[] {
    return [...this.#shards.values()];
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
      await this.#dropAll();
      this.#keptSince = Number.NEGATIVE_INFINITY;
    } else if (changes.keptSince < this.#keptSince) {
      // The retention was raised, which may bring expired records back.
      this.#version = undefined;
      return true;
    }
    const { ofMessage, ofShard } = this.#options;
    for (const one of changes.messages) {
      this.#replace(this.#messages, one.message, ofMessage(one));
    }
    for (const shard of changes.shards) {
      const item = shard.supersededAt === undefined ? ofShard(shard) : undefined;
      this.#replace(this.#shards, shard, item);
    }
    this.#version = changes.version;
    if (changes.keptSince > this.#keptSince) {
      this.#keptSince = changes.keptSince;
      this.#dropExpired(this.#messages);
      this.#dropExpired(this.#shards);
    }
    return changes.hasMore;
  }

  /** @param item - `undefined` only drops the item of this record. */
  #replace<Item extends OfMessage | OfShard>(
    items: Map<string, Item>,
    { threadId, id }: Pick<MemoryKey, 'threadId' | 'id'>,
    item: Item | undefined,
  ): void {
    const key = `${threadId} ${id}`;
    this.#drop(items, key);
    if (!item) return;
    items.set(key, item);
    this.#options.onAdd?.(item);
    const [oldest] = items.keys();
    if (items.size > mostRemembered && oldest !== undefined) this.#drop(items, oldest);
  }

  async #dropAll(): Promise<void> {
    const { onClear, onDrop } = this.#options;
    const dropped = onClear ? [] : [...this.#messages.values(), ...this.#shards.values()];
    this.#messages.clear();
    this.#shards.clear();
    onClear?.();
    for (const some of inBatches(dropped, pageSize.memories)) {
      for (const item of some) onDrop?.(item);
      await breathe();
    }
  }

  #dropExpired(items: Map<string, OfMessage | OfShard>): void {
    for (const [key, { agesFrom }] of items) {
      if (agesFrom < this.#keptSince) this.#drop(items, key);
    }
  }

  #drop(items: Map<string, OfMessage | OfShard>, key: string): void {
    const item = items.get(key);
    if (item && items.delete(key)) this.#options.onDrop?.(item);
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

/** Reads a store's lists page by page; what is deleted meanwhile does no harm. */

import {
  type MemoryChanges,
  type MemoryScope,
  type MemoryStore,
  type Message,
  type MessageStore,
  mostForgotten,
  type TurnHeader,
  type TurnStore,
} from '../store/store.ts';

/** How many turns and messages of a thread are read at once. A page of turns can be forgotten in one step. */
const pageSize = { turns: mostForgotten, messages: 500 } as const;

/**
 * Goes through a list that comes newest first.
 *
 * @param read - Gives the newest that were created before a moment (ms since 1970), at most `limit`.
 * @returns What is new on each page, newest first, each once. Throws when more than a page was created
 *   in one millisecond: then the store can't tell the pages apart, and a part would be missing.
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
    // Others of the same moment may be on the next page; those that are known come once more.
    page = await read({ limit, before: oldest.createdAt + 1 });
  }
}

/** The turns of a thread, as {@link pagesOf} gives them. */
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

/** The messages of a thread, those of turns and imported ones, as {@link pagesOf} gives them. */
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

/** All that is on pages which come newest first, oldest first. */
export async function oldestFirst<Item>(
  pages: AsyncIterable<readonly Item[]>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const page of pages) found.push(...page);
  return found.reverse();
}

/**
 * The messages of a thread, oldest first, without holding more than two pages: the list comes newest
 * first, so it is gone through twice. What is added meanwhile is not in it.
 */
export async function* messagesOldestFirst(
  messages: Pick<MessageStore, 'page'>,
  threadId: string,
): AsyncGenerator<Message> {
  const begins: number[] = [];
  let newest: number | undefined;
  for await (const page of messagePages(messages, threadId)) {
    newest ??= page[0]?.createdAt;
    begins.push(page.at(-1)?.createdAt ?? 0);
  }
  const ends = [newest ?? 0, ...begins.slice(0, -1)];
  let known = new Set<string>();
  for (const end of ends.toReversed()) {
    const options = { limit: pageSize.messages, before: end + 1 };
    const page = (await messages.page(threadId, options)).toReversed();
    // Of one moment some may be on two pages.
    yield* page.filter(({ id }) => !known.has(id));
    known = new Set(page.map(({ id }) => id));
  }
}

/**
 * All that is remembered in a scope, page by page. One that is `isAnew` voids those before it; what has
 * changed meanwhile comes again. Throws what the store throws.
 *
 * @param limit - How much is read at once.
 */
export async function* changesOf(
  store: Pick<MemoryStore, 'read'>,
  scope: MemoryScope,
  limit: number,
): AsyncGenerator<MemoryChanges> {
  let since: string | undefined;
  for (let hasMore = true; hasMore; ) {
    const changes = await store.read(scope, { limit, ...(since !== undefined && { since }) });
    yield changes;
    ({ version: since, hasMore } = changes);
  }
}

/** A list in pieces of at most `size` items. */
export function inPortions<Item>(
  items: readonly Item[],
  size: number,
): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

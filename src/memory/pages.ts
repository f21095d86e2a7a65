/** Goes through a list that a store gives newest first and in pages, whatever is deleted meanwhile. */

/**
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

/** Reads a list to its end that a store gives newest first and in pages. */

/**
 * @param read - Gives the newest that were created before a moment (ms since 1970), at most `limit`.
 * @returns All of it, oldest first, each once. Throws when more than a page was created in one
 *   millisecond: then the store can't tell the pages apart, and a part would be missing.
 */
export async function readPages<Item extends { readonly createdAt: number }>(
  limit: number,
  read: (options: { limit: number; before?: number }) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
): Promise<readonly Item[]> {
  const found = new Map<string, Item>();
  let page = await read({ limit });
  for (;;) {
    const known = found.size;
    for (const item of page) found.set(keyOf(item), item);
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < limit) return [...found.values()].reverse();
    if (found.size === known) {
      throw new RangeError(
        `More than ${limit} records were made at ${new Date(oldest.createdAt).toISOString()}, and can't be read in pages.`,
      );
    }
    // Others of the same moment may be on the next page; those that are known come once more.
    page = await read({ limit, before: oldest.createdAt + 1 });
  }
}

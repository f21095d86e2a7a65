/** Reads a list to its end that a store gives newest first and in pages. */

import { pagesOf } from '../pages.ts';

/** @returns All of it, oldest first, each once. Takes, and throws, what {@link pagesOf} does. */
export async function readPages<Item extends { readonly createdAt: number }>(
  ...list: Parameters<typeof pagesOf<Item>>
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const page of pagesOf(...list)) found.push(...page);
  return found.reverse();
}

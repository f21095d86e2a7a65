/** The beginning of a Markdown text, for where there is no room for all of it. */

import { leastSplitLimit, splitMarkdown } from './split-markdown.ts';

const ellipsis = '\n…';

/** The least limit of an {@link excerpt}. */
export const leastExcerptLimit = leastSplitLimit + ellipsis.length;

/**
 * @param limit - UTF-16 units, {@link leastExcerptLimit} at least; else a RangeError.
 * @returns The text, trimmed, if it fits; else as much as fits of it, cut and closed as
 *   `splitMarkdown` does, and `…` on a line of its own.
 */
export function excerpt(markdown: string, limit: number): string {
  const [beginning = ''] = splitMarkdown(markdown, limit - ellipsis.length);
  const [whole = '', ...more] = splitMarkdown(markdown, limit);
  return more.length === 0 ? whole : beginning + ellipsis;
}

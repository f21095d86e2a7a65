/** What can be shown of a text that still grows. */

import { inertSlackMarkdown } from '../slack-text.ts';

/**
 * The beginning of a growing Markdown text, made inert, that the rest will most likely leave as it
 * is: up to the last whole word, or the last whole line.
 *
 * What it gives for a text is nearly always a beginning of what it gives for more of it. Where it is
 * not, e.g. because code is closed that looked like prose, the end puts it right.
 */
export function settledMarkdown(text: string, upTo: 'word' | 'line'): string {
  const end = upTo === 'line' ? text.lastIndexOf('\n') + 1 : text.search(/\S*$/);
  const settled = text.slice(0, end);
  // Code that is not closed yet would be taken for prose.
  const isInCode = (settled.match(/`{3,}/g)?.length ?? 0) % 2 === 1;
  if (!isInCode) return inertSlackMarkdown(settled);
  const closing = '\n```';
  return inertSlackMarkdown(`${settled}${closing}`).slice(0, -closing.length);
}

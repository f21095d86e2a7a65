/** Splits long Markdown into pieces that fit into messages and read well one by one. */

import { cutAfter } from './cut-choice.ts';
import { firstStart } from './line-cuts.ts';
import { scanMarkdown } from './markdown-lines.ts';

/** The least limit: below it, a fence that is closed and opened again leaves no room for its code. */
export const leastSplitLimit = 50;

/** One piece, with what was added kept apart from what was written. */
export interface MarkdownPiece {
  /** Added: the fence, quote mark or table header that the piece goes on with. Mostly empty. */
  readonly opening: string;
  /** As it was written. */
  readonly text: string;
  /** Added: the mark that closes the fence. Mostly empty. */
  readonly closing: string;
  /** `text` with what was left out around it. The sources of all pieces, joined, are the whole text. */
  readonly source: string;
}

/**
 * Splits Markdown by its structure: between blocks first, then list items, lines and table rows,
 * sentences, words, characters; a finer cut only where no better one leaves a piece a third full.
 *
 * - A fence that is cut is closed and opened again with the same info string (its first word, or
 *   none, where it is long); a fence that nothing closes is closed at the end. A table goes on under
 *   its header, a quote with its mark.
 * - Links, code, addresses and emphasis are not cut if they fit into a piece.
 * - Left out at a cut: white space and line feeds; inside a fence only one line feed, and the
 *   closing line where the added one stands for it. {@link cutMarkdown} tells what was left out.
 * - A run of backticks or tildes longer than a tenth of the limit is no fence.
 * - The numbers of a list stay as they were written.
 *
 * @param limit - Whole number of UTF-16 units, {@link leastSplitLimit} at least; else a RangeError.
 *   Discord counts code points, which are never more, so a piece always fits.
 * @returns Pieces in order, none of them blank; an empty list for blank text. Takes time in
 *   proportion to the text's length.
 */
export function splitMarkdown(text: string, limit: number): readonly string[] {
  return cutMarkdown(text, limit)
    .filter((piece) => piece.text.trim() !== '')
    .map((piece) => piece.opening + piece.text + piece.closing);
}

/** Splits as {@link splitMarkdown} and tells apart what was written and what was added. */
export function cutMarkdown(text: string, limit: number): readonly MarkdownPiece[] {
  if (!Number.isInteger(limit) || limit < leastSplitLimit) {
    throw new RangeError(`The limit is ${limit}. Give a whole number from ${leastSplitLimit} up.`);
  }
  const markdown = { text, limit, ...scanMarkdown(text, limit) };
  const pieces: MarkdownPiece[] = [];
  let sourceStart = 0;
  let start = firstStart(markdown);
  while (start.at < text.length) {
    const cut = cutAfter(markdown, start);
    pieces.push({
      opening: start.opening,
      text: text.slice(start.at, cut.end),
      closing: cut.closing,
      source: text.slice(sourceStart, cut.next.at),
    });
    sourceStart = cut.next.at;
    start = cut.next;
  }
  const rest = text.slice(sourceStart);
  return rest === '' ? pieces : [...pieces, { opening: '', text: '', closing: '', source: rest }];
}

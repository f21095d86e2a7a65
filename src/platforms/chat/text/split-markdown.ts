/** Splits long Markdown into pieces that fit into messages and read well one by one. */

import {
  type Cut,
  firstStart,
  type LineCut,
  lineCuts,
  type PieceStart,
  type SplitMarkdown,
} from './line-cuts.ts';
import { cutRank, scanMarkdown } from './markdown-lines.ts';
import { OverflowingLine } from './within-line.ts';

/** The least limit: below it, a fence that is closed and opened again leaves no room for its code. */
const leastSplitLimit = 50;

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

/** The beginning of a Markdown text, for where there is no room for all of it. */
const ellipsis = '\n…';

/** How much of a text its excerpt is made of, in lengths of the excerpt. */
const lookedAt = 10;

/** The least limit of an {@link excerpt}. */
export const leastExcerptLimit = leastSplitLimit + ellipsis.length;

/**
 * @param limit - UTF-16 units, {@link leastExcerptLimit} at least; else a RangeError.
 * @returns The text, trimmed, if it fits; else as much as fits of it, cut and closed as
 *   `splitMarkdown` does, and `…` on a line of its own.
 */
export function excerpt(markdown: string, limit: number): string {
  const text = markdown.trim();
  // What stands far behind changes nothing in the first piece.
  const looked = text.slice(0, lookedAt * limit);
  const [beginning = ''] = splitMarkdown(looked, limit - ellipsis.length);
  const [whole = '', ...more] = splitMarkdown(looked, limit);
  const isWhole = more.length === 0 && looked.length === text.length;
  return isWhole ? whole : beginning + ellipsis;
}

/**
 * The best cut for the piece that begins at `start`: the coarsest that leaves the piece a third full,
 * and among those the last; where there is none, the coarsest that leaves it shorter.
 */
function cutAfter(markdown: SplitMarkdown, start: PieceStart): Cut {
  const third = start.at + (markdown.limit - start.opening.length) / 3;
  const isFull = (cut: LineCut) => cut.end >= third || cut.rank === cutRank.end;
  const between = lineCuts(markdown, start);
  const atLines = between.filter(({ rank }) => rank >= cutRank.line);
  const best = coarsest(atLines.filter(isFull));
  if (best) return best;

  const glued = between.filter(({ rank }) => rank < cutRank.line);
  const line = new OverflowingLine(markdown, start);
  return (
    line.good(third) ??
    glued.findLast(isFull) ??
    coarsest(atLines) ??
    line.good(start.at) ??
    glued.at(-1) ??
    line.forced(third)
  );
}

/** The last of those with the highest rank. */
function coarsest(cuts: readonly LineCut[]): LineCut | undefined {
  return cuts.reduce<LineCut | undefined>(
    (best, cut) => (best && best.rank > cut.rank ? best : cut),
    undefined,
  );
}

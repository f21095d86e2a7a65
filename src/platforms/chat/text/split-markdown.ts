/** Splits long Markdown into pieces that fit into messages and read well on their own. */

import { inlineCuts } from './inline-cuts.ts';
import {
  type CutRank,
  cutRank,
  type Fence,
  type MarkdownLine,
  type ScannedMarkdown,
  scanMarkdown,
} from './markdown-lines.ts';

/** A piece, with additions kept apart from the original text. */
export interface MarkdownPiece {
  /** Added: the fence or quote mark that the piece continues. Mostly empty. */
  readonly opening: string;
  /** Original text. */
  readonly text: string;
  /** Added: the line that closes the fence. Mostly empty. */
  readonly closing: string;
  /** `text` with the white space omitted around it. The sources of all pieces, joined, are the whole text. */
  readonly source: string;
}

/**
 * Splits Markdown by its structure: between blocks first, then list items, lines and table rows,
 * sentences, words, characters; a finer cut only where no better one leaves a piece a third full.
 *
 * - A fence that is cut is closed and reopened with the same info string, or if that is long, its first word or none. An
 *   unclosed fence is closed at the end. A quote continues with its mark.
 * - Links, code, addresses, emphasis and spoilers are not cut if they fit into a piece.
 * - Omitted at a cut: white space and line feeds; inside a fence only one line feed, and the closing line if the added
 *   one replaces it. {@link cutMarkdown} returns what was omitted.
 * - A run of backticks or tildes longer than a tenth of the limit is not a fence.
 * - List numbers are not changed.
 *
 * @param limit - UTF-16 units, 50 at least: less leaves no room for code between its fences. Discord counts code
 *   points, which are never more, so a piece always fits.
 * @returns Pieces in order, none of them blank; an empty list for blank text. Takes linear time.
 */
export function splitMarkdown(text: string, limit: number): readonly string[] {
  return cutMarkdown(text, limit)
    .filter((piece) => piece.text.trim() !== '')
    .map((piece) => piece.opening + piece.text + piece.closing);
}

/** Splits like {@link splitMarkdown}, keeping additions apart from the original text. */
export function cutMarkdown(text: string, limit: number): readonly MarkdownPiece[] {
  const markdown = { text, limit, ...scanMarkdown(text, limit) };
  const pieces: MarkdownPiece[] = [];
  let sourceStart = 0;
  let start = startAt(markdown, afterBlanks(markdown, 0), undefined);
  while (start.at < text.length) {
    const cut = bestCut(markdown, start);
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

const ellipsis = '\n…';

/** An excerpt is made from this many times its limit; text further behind doesn't change the first piece. */
const scannedLimits = 10;

/**
 * Shortens Markdown to one piece.
 *
 * @param limit - UTF-16 units, 52 at least.
 * @returns The trimmed text if it fits; else its first piece as in {@link splitMarkdown}, and `…` on its own line.
 */
export function excerpt(markdown: string, limit: number): string {
  const text = markdown.trim();
  const scanned = text.slice(0, scannedLimits * limit);
  const [beginning = ''] = splitMarkdown(scanned, limit - ellipsis.length);
  const [whole = '', ...more] = splitMarkdown(scanned, limit);
  const isWhole = more.length === 0 && scanned.length === text.length;
  return isWhole ? whole : beginning + ellipsis;
}

/** The text being split. */
interface SplitMarkdown extends ScannedMarkdown {
  readonly text: string;
  readonly limit: number;
}

/** Where a piece begins. */
interface PieceStart {
  /** Index into the text. */
  readonly at: number;
  /** Index of the line that `at` is in. */
  readonly line: number;
  /** Added before the piece. */
  readonly opening: string;
  /** The fence that `opening` reopens. */
  readonly fence: Fence | undefined;
}

/** Where a piece ends and the next one begins. */
interface Cut {
  readonly end: number;
  readonly closing: string;
  readonly next: PieceStart;
  readonly rank: CutRank;
}

/**
 * The bonus for a piece that is a third full: more than the difference between ranks, but too little to prefer a
 * forced cut over a short piece.
 */
const fullness = 10;

/** The last of the best cuts for the piece that begins at `start`. */
function bestCut(markdown: SplitMarkdown, start: PieceStart): Cut {
  const { lines, limit, openFence } = markdown;
  const room = limit - start.opening.length;
  const worthOf = ({ end, rank }: Cut) =>
    rank + (end >= start.at + room / 3 || rank === cutRank.end ? fullness : 0);
  let best: Cut | undefined;
  const consider = (cut: Cut) => {
    if (!best || worthOf(cut) >= worthOf(best)) best = cut;
  };
  let textEnd = start.at;
  for (let index = start.line; index <= lines.length; index += 1) {
    const line = lines[index];
    if (line?.kind === 'blank') continue;
    if (index > start.line) {
      const fence = line ? fenceBefore(line) : openFence;
      const end = fence ? Math.max(lines[index - 1]?.end ?? 0, start.at) : textEnd;
      const closing = closingOf(start, fence);
      // The added closing line replaces the original one.
      const target = line?.kind === 'fence_close' ? afterBlanks(markdown, index + 1) : index;
      const next = startAt(markdown, target, target === index ? fence : undefined);
      const rank = lines[target]?.rank ?? cutRank.end;
      if (end - start.at + closing.length <= room) consider({ end, closing, next, rank });
    }
    if (!line) break;
    textEnd = Math.max(textEnd, line.textEnd);
    const length = (line.fence ? line.end : line.textEnd) - start.at;
    const closing = line.kind === 'fence_close' ? '' : closingOf(start, line.fence);
    if (length + closing.length <= room) continue;
    // No cut within a line is as good as one between lines of a piece that is full enough.
    const isGood = best && worthOf(best) >= cutRank.line + fullness;
    if (!isGood) cutsWithin(markdown, start, index).forEach(consider);
    break;
  }
  if (!best) throw new TypeError('There is no line after which or within which a piece could end.');
  return best;
}

/** The cuts inside a line that doesn't fit into the piece; at least one if the piece begins in it. */
function cutsWithin(
  { text, lines, limit }: SplitMarkdown,
  start: PieceStart,
  index: number,
): readonly Cut[] {
  const line = lines[index];
  if (!line) return [];
  const { fence, quote } = line;
  const closing = closingOf(start, fence);
  const to = start.at + limit - start.opening.length - closing.length;
  const from = Math.max(start.at, line.start);
  if (from >= to) return [];
  const opening = fence ? reopened(fence) + fence.quote : quote;
  return inlineCuts({ text, line, from, to, limit }).map(({ end, next: at, rank }) => ({
    end,
    closing,
    rank,
    next: { at, line: index, opening, fence },
  }));
}

/** The start of a piece at a line. @param line - Index; past the last one for the end of the text. */
function startAt(
  { text, lines }: SplitMarkdown,
  line: number,
  fence: Fence | undefined,
): PieceStart {
  const { textStart: at = text.length } = lines[line] ?? {};
  return { at, line, opening: fence ? reopened(fence) : '', fence };
}

function afterBlanks({ lines }: SplitMarkdown, from: number): number {
  let index = from;
  while (lines[index]?.kind === 'blank') index += 1;
  return index;
}

function fenceBefore({ kind, fence }: MarkdownLine): Fence | undefined {
  return kind === 'fence_open' ? undefined : fence;
}

/** The line that reopens a fence, with its line feed. */
function reopened({ quote, marker, info }: Fence): string {
  return `${quote}${marker}${info}\n`;
}

/** The line that closes a fence, with the line feed before it; indented like the opening line in the same piece. */
function closingOf(start: PieceStart, fence: Fence | undefined): string {
  if (!fence) return '';
  return `\n${fence.quote}${start.fence === fence ? '' : fence.indent}${fence.marker}`;
}

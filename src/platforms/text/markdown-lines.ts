/** Reads Markdown line by line: which lines are code, and where a text may be cut. */

import { type Fence, fenceClosedBy, fenceOpenedBy } from './code-fence.ts';

/** How good a place is for a cut, best last. A heading and what follows it part as badly as two words. */
export const cutRank = { word: 1, sentence: 2, line: 3, item: 4, block: 5, end: 6 } as const;
export type CutRank = (typeof cutRank)[keyof typeof cutRank];

export interface MarkdownLine {
  readonly kind: 'text' | 'code' | 'fence_open' | 'fence_close' | 'blank';
  /** Indices into the whole text; the line feed is not part of the line. */
  readonly start: number;
  readonly end: number;
  /** Where the indentation ends. */
  readonly textStart: number;
  /** Where its own text begins, after quote marks, list marks or the marks of a fence. */
  readonly contentStart: number;
  /** As `end`, without white space before it. */
  readonly textEnd: number;
  /** How good a cut just before the line is. */
  readonly rank: CutRank;
  /** The fence that is open where the line begins. */
  readonly fence: Fence | undefined;
  /** The fence that is open within the line; differs from `fence` where one opens. */
  readonly fenceWithin: Fence | undefined;
  /** The quote marks at its start, e.g. `> `. */
  readonly quote: string;
  /** For the body rows of a table: its header and delimiter row. Absent when they are long. */
  readonly tableHeader: string | undefined;
}

export interface ScannedMarkdown {
  readonly lines: readonly MarkdownLine[];
  /** The fence that nothing closes. */
  readonly openFence: Fence | undefined;
}

type Shape =
  | 'heading'
  | 'fence_open'
  | 'fence_close'
  | 'code'
  | 'item'
  | 'quote'
  | 'header_row'
  | 'delimiter_row'
  | 'row'
  | 'paragraph';

const quoteMarks = /^(?: {0,3}>[ \t]?)+/;
const headingMarks = /^ {0,3}#{1,6}(?=[ \t]|$)/;
const listMark = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const delimiterCells = /^[ \t|:-]+$/;

/**
 * @param limit - The longest piece that is wanted, in UTF-16 units. Marks too long to be repeated in
 *   every piece are read as text.
 */
export function scanMarkdown(text: string, limit: number): ScannedMarkdown {
  const lines: MarkdownLine[] = [];
  let fence: Fence | undefined;
  let previous: { readonly shape: Shape; readonly isInList: boolean } | undefined;
  let hasGap = false;
  let tableHeader: string | undefined;
  for (let start = 0, index = 0; start <= text.length; index += 1) {
    const end = endOfLine(text, start);
    const line = text.slice(start, end);
    const quote = shortQuote(line, limit);
    if (fence && fence.quote !== '' && quote === '') fence = undefined; // the quote ended, and the fence with it
    const content = line.slice(quote.length);
    const textEnd = start + line.trimEnd().length;
    const base = { start, end, textEnd, quote, fence } as const;
    const textStart = textEnd === start ? end : start + line.length - line.trimStart().length;
    if (fence) {
      const closes = fenceClosedBy(fence, content);
      lines.push({
        ...base,
        kind: closes ? 'fence_close' : 'code',
        textStart: start,
        contentStart: start + quote.length,
        rank: hasGap
          ? cutRank.item
          : previous?.shape === 'fence_open'
            ? cutRank.word
            : cutRank.line,
        fenceWithin: fence,
        tableHeader: undefined,
      });
      hasGap = textEnd === start;
      previous = { shape: closes ? 'fence_close' : 'code', isInList: previous?.isInList ?? false };
      if (closes) {
        fence = undefined;
        hasGap = false;
      }
    } else if (textEnd === start) {
      lines.push({
        ...base,
        kind: 'blank',
        textStart,
        contentStart: end,
        rank: cutRank.word,
        fenceWithin: undefined,
        tableHeader: undefined,
      });
      hasGap = true;
      tableHeader = undefined;
    } else {
      const opened = fenceOpenedBy(quote, content, limit);
      const shape = opened
        ? 'fence_open'
        : shapeOf(line, quote, previous?.shape, hasGap, text, end);
      if (shape === 'delimiter_row') {
        const header = text.slice(lines[index - 1]?.start ?? start, textEnd);
        tableHeader = header.length <= limit / 3 ? header : undefined;
      } else if (shape !== 'row') tableHeader = undefined;
      const marks = opened ? opened.marksLength : marksLength(content, limit);
      const isIndented = textStart - start >= 2;
      const isInList = shape === 'item' || (isIndented && (previous?.isInList ?? false));
      lines.push({
        ...base,
        kind: opened ? 'fence_open' : 'text',
        textStart: opened ? start : textStart,
        contentStart: start + quote.length + marks,
        rank: rankBetween(previous, { shape, isIndented, isInList }, hasGap),
        fenceWithin: opened?.fence,
        tableHeader: shape === 'row' ? tableHeader : undefined,
      });
      fence = opened?.fence;
      previous = { shape, isInList };
      hasGap = false;
    }
    start = end + 1;
  }
  return { lines, openFence: fence };
}

function endOfLine(text: string, start: number): number {
  const found = text.indexOf('\n', start);
  return found === -1 ? text.length : found;
}

function shortQuote(line: string, limit: number): string {
  const marks = quoteMarks.exec(line)?.[0] ?? '';
  return marks.length <= limit / 10 ? marks : '';
}

function marksLength(content: string, limit: number): number {
  const marks = (listMark.exec(content) ?? headingMarks.exec(content))?.[0] ?? '';
  return marks.length <= limit / 4 ? marks.length : 0;
}

function isDelimiterRow(line: string): boolean {
  return delimiterCells.test(line) && line.includes('-') && line.includes('|');
}

function shapeOf(
  line: string,
  quote: string,
  previous: Shape | undefined,
  hasGap: boolean,
  text: string,
  end: number,
): Shape {
  if (previous === 'header_row' && !hasGap) return 'delimiter_row';
  const isInTable = previous === 'delimiter_row' || previous === 'row';
  if (isInTable && !hasGap && line.includes('|')) return 'row';
  if (quote !== '') return 'quote';
  if (headingMarks.test(line)) return 'heading';
  if (line.includes('|') && end < text.length) {
    if (isDelimiterRow(text.slice(end + 1, endOfLine(text, end + 1)))) return 'header_row';
  }
  return listMark.test(line) ? 'item' : 'paragraph';
}

function rankBetween(
  previous: { readonly shape: Shape; readonly isInList: boolean } | undefined,
  line: { readonly shape: Shape; readonly isIndented: boolean; readonly isInList: boolean },
  hasGap: boolean,
): CutRank {
  if (!previous) return cutRank.word;
  if (previous.shape === 'heading') return cutRank.word;
  switch (line.shape) {
    case 'delimiter_row':
      return cutRank.word;
    case 'row':
      return previous.shape === 'delimiter_row' ? cutRank.word : cutRank.line;
    case 'heading':
    case 'header_row':
      return cutRank.block;
  }
  const staysInList = previous.isInList && line.isInList;
  if (staysInList) return line.isIndented ? cutRank.line : cutRank.item;
  if (hasGap || line.shape === 'fence_open' || previous.shape === 'fence_close')
    return cutRank.block;
  return (line.shape === 'quote') === (previous.shape === 'quote') ? cutRank.line : cutRank.block;
}

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
  /** For lines of a table; the header is the line before the delimiter row. */
  readonly tablePart: 'delimiter' | 'row' | undefined;
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
  const scanner = new LineScanner(text, limit);
  for (let start = 0; start <= text.length; ) {
    const end = endOfLine(text, start);
    scanner.read(start, end);
    start = end + 1;
  }
  return { lines: scanner.lines, openFence: scanner.openFence };
}

/** A line before it is known what it is. */
interface RawLine {
  readonly start: number;
  readonly end: number;
  readonly textStart: number;
  readonly textEnd: number;
  readonly quote: string;
  /** Without its quote marks. */
  readonly content: string;
}

/** What the rank of the next line depends on. */
interface PreviousLine {
  readonly shape: Shape;
  readonly isInList: boolean;
}

class LineScanner {
  readonly #text: string;
  readonly #limit: number;
  readonly #lines: MarkdownLine[] = [];
  #fence: Fence | undefined;
  /** The last one that was not blank. */
  #previous: PreviousLine | undefined;
  #hasGap = false;
  #tableHeader: string | undefined;

  constructor(text: string, limit: number) {
    this.#text = text;
    this.#limit = limit;
  }

  get lines(): readonly MarkdownLine[] {
    return this.#lines;
  }

  get openFence(): Fence | undefined {
    return this.#fence;
  }

  read(start: number, end: number): void {
    const line = this.#text.slice(start, end);
    const quote = shortQuote(line, this.#limit);
    const textEnd = start + line.trimEnd().length;
    const isBlank = textEnd === start;
    const textStart = isBlank ? end : end - line.trimStart().length;
    const raw = { start, end, textStart, textEnd, quote, content: line.slice(quote.length) };
    // Where a quote ends, so does the fence in it.
    if (this.#fence && this.#fence.quote !== '' && quote === '') this.#fence = undefined;
    if (this.#fence) this.#readCode(raw, this.#fence);
    else if (isBlank) this.#readBlank(raw);
    else this.#readText(raw);
  }

  #readCode({ content, ...line }: RawLine, fence: Fence): void {
    const isClosing = fenceClosedBy(fence, content);
    const isFirst = this.#previous?.shape === 'fence_open';
    this.#lines.push({
      ...line,
      kind: isClosing ? 'fence_close' : 'code',
      textStart: line.start,
      contentStart: line.start + line.quote.length,
      rank: this.#hasGap ? cutRank.item : isFirst ? cutRank.word : cutRank.line,
      fence,
      fenceWithin: fence,
      tableHeader: undefined,
      tablePart: undefined,
    });
    this.#hasGap = !isClosing && line.textEnd === line.start;
    this.#previous = {
      shape: isClosing ? 'fence_close' : 'code',
      isInList: this.#previous?.isInList ?? false,
    };
    if (isClosing) this.#fence = undefined;
  }

  #readBlank({ content: _, ...line }: RawLine): void {
    this.#lines.push({
      ...line,
      kind: 'blank',
      contentStart: line.end,
      rank: cutRank.word,
      fence: undefined,
      fenceWithin: undefined,
      tableHeader: undefined,
      tablePart: undefined,
    });
    this.#hasGap = true;
    this.#tableHeader = undefined;
  }

  #readText({ content, ...line }: RawLine): void {
    const opened = fenceOpenedBy(line.quote, content, this.#limit);
    const shape = opened ? 'fence_open' : this.#shapeOf(line);
    if (shape === 'delimiter_row') this.#tableHeader = this.#headerUpTo(line.textEnd);
    else if (shape !== 'row') this.#tableHeader = undefined;
    const marks = opened?.marksLength ?? marksLength(content, this.#limit);
    const isIndented = line.textStart - line.start >= 2;
    const isInList = shape === 'item' || (isIndented && (this.#previous?.isInList ?? false));
    this.#lines.push({
      ...line,
      kind: opened ? 'fence_open' : 'text',
      textStart: opened ? line.start : line.textStart,
      contentStart: line.start + line.quote.length + marks,
      rank: rankBetween(this.#previous, { shape, isIndented, isInList }, this.#hasGap),
      fence: undefined,
      fenceWithin: opened?.fence,
      tableHeader: shape === 'row' ? this.#tableHeader : undefined,
      tablePart: shape === 'row' ? 'row' : shape === 'delimiter_row' ? 'delimiter' : undefined,
    });
    this.#fence = opened?.fence;
    this.#previous = { shape, isInList };
    this.#hasGap = false;
  }

  #shapeOf({ start, end, quote }: Pick<RawLine, 'start' | 'end' | 'quote'>): Shape {
    const line = this.#text.slice(start, end);
    const above = this.#hasGap ? undefined : this.#previous?.shape;
    if (above === 'header_row') return 'delimiter_row';
    const isInTable = above === 'delimiter_row' || above === 'row';
    if (isInTable && line.includes('|')) return 'row';
    if (quote !== '') return 'quote';
    if (headingMarks.test(line)) return 'heading';
    const below = this.#text.slice(end + 1, endOfLine(this.#text, end + 1));
    if (line.includes('|') && isDelimiterRow(below)) return 'header_row';
    return listMark.test(line) ? 'item' : 'paragraph';
  }

  #headerUpTo(end: number): string | undefined {
    const header = this.#text.slice(this.#lines.at(-1)?.start ?? end, end);
    return header.length <= this.#limit / 3 ? header : undefined;
  }
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

function rankBetween(
  previous: PreviousLine | undefined,
  line: PreviousLine & { readonly isIndented: boolean },
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

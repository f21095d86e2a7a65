/**
 * Reads Markdown line by line, as chats do: which lines are code, and how well a text may be cut before
 * each. A fence stays open until its mark comes again, whatever list it began in.
 */

export interface Fence {
  /** Three or more backticks or tildes. */
  readonly marker: string;
  /** What follows the marker, usually the language; shortened where it is too long to be repeated. */
  readonly info: string;
  /** Quote marks before it, e.g. `> `. */
  readonly quote: string;
  /** White space as wide as what stands before it in a list. */
  readonly indent: string;
}

/**
 * How good a place is for a cut, best last. What is negative is forced: it parts what belongs together.
 * A heading is glued to what follows it, a table's header to its rows.
 */
export const cutRank = {
  ...{ character: -12, joint: -11, parted: -10 },
  ...{ glued: 1, space: 2, sentence: 3, line: 4, item: 5, block: 6, end: 7 },
} as const;
export type CutRank = (typeof cutRank)[keyof typeof cutRank];

type LineKind =
  | 'blank'
  | 'fence_open'
  | 'code'
  | 'fence_close'
  | 'heading'
  | 'item'
  | 'quote'
  /** The lines of a table: its header, what parts it from the body, its body. */
  | 'header_row'
  | 'delimiter_row'
  | 'row'
  | 'paragraph';

export interface MarkdownLine {
  readonly kind: LineKind;
  /** Indices into the whole text; the line feed is not part of the line. */
  readonly start: number;
  readonly end: number;
  /** Where the indentation ends; for code and where a fence opens, where the line begins. */
  readonly textStart: number;
  /** As `end`, without white space before it. */
  readonly textEnd: number;
  /** How good a cut just before the line is. */
  readonly rank: CutRank;
  /** The fence that the line opens or closes, or whose code it is. */
  readonly fence: Fence | undefined;
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

const quoteMarks = /^(?: {0,3}>[ \t]?)+/;
const headingMarks = /^ {0,3}#{1,6}(?=[ \t]|$)/;
const listMark = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const delimiterCells = /^(?=.*-)(?=.*\|)[ \t|:-]+$/;
/** Lists indent fences at will, so any indentation is allowed, and list marks before it. */
const fenceMarks =
  /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(?:(`{3,})([^`]*)|(~{3,})(.*))$/s;

/**
 * @param limit - The longest piece that is wanted, in UTF-16 units. Marks too long to be repeated in
 *   every piece are read as text.
 */
export function scanMarkdown(text: string, limit: number): ScannedMarkdown {
  const lines: MarkdownLine[] = [];
  let fence: Fence | undefined;
  /** The last line that was not blank, and whether blank ones came after it. */
  let above: LineKind | undefined;
  let hasGap = false;
  let isInList = false;
  let tableHeader: string | undefined;
  for (let start = 0; start <= text.length; ) {
    const line = lineAt(text, start);
    const end = start + line.length;
    const textStart = end - line.trimStart().length;
    const textEnd = start + line.trimEnd().length;
    const isBlank = textEnd === start;
    const quote = shortQuote(line, limit);
    const content = line.slice(quote.length);
    // Where a quote ends, so does the fence in it.
    if (fence && fence.quote !== '' && quote === '') fence = undefined;
    const opened = fence || isBlank ? undefined : fenceOpenedBy(quote, content, limit);
    const openFence = fence ?? opened;
    let kind: LineKind;
    if (fence) kind = closes(fence, content) ? 'fence_close' : 'code';
    else if (isBlank) kind = 'blank';
    else if (opened) kind = 'fence_open';
    else kind = kindOf(line, quote, hasGap ? undefined : above, () => lineAt(text, end + 1));
    const isIndented = textStart - start >= 2;
    const staysInList: boolean = isInList && (kind === 'item' || isIndented);
    if (kind === 'delimiter_row') {
      const header = text.slice(lines.at(-1)?.start, textEnd);
      tableHeader = header.length <= limit / 3 ? header : undefined;
    } else if (kind !== 'row') tableHeader = undefined;
    lines.push({
      kind,
      start,
      end,
      textStart: openFence ? start : textStart,
      textEnd,
      rank: rankOf(kind, above, { hasGap, isIndented, staysInList }),
      fence: openFence,
      quote,
      tableHeader: kind === 'row' ? tableHeader : undefined,
    });
    if (!fence && !isBlank) isInList = kind === 'item' || staysInList;
    hasGap = isBlank;
    if (kind !== 'blank') above = kind;
    fence = kind === 'fence_close' ? undefined : openFence;
    start = end + 1;
  }
  return { lines, openFence: fence };
}

function lineAt(text: string, start: number): string {
  const found = text.indexOf('\n', start);
  return text.slice(start, found === -1 ? text.length : found);
}

function shortQuote(line: string, limit: number): string {
  const marks = quoteMarks.exec(line)?.[0] ?? '';
  return marks.length <= limit / 10 ? marks : '';
}

/** Marks longer than a share of the limit are no fence, because there would be no room for code beside them. */
function fenceOpenedBy(quote: string, content: string, limit: number): Fence | undefined {
  const [, before = '', backticks, backtickInfo, tildes, tildeInfo] =
    fenceMarks.exec(content) ?? [];
  const marker = backticks ?? tildes;
  if (marker === undefined || Math.max(marker.length, before.length) > limit / 10) return undefined;
  const info = (backtickInfo ?? tildeInfo ?? '').trim();
  const [language = ''] = info.split(/\s/, 1);
  const kept = [info, language].find((text) => text.length <= limit / 4) ?? '';
  return { marker, info: kept, quote, indent: before.replace(/\S/g, ' ') };
}

function closes({ marker }: Fence, content: string): boolean {
  const marks = content.trim();
  return marks.length >= marker.length && marks === marker.charAt(0).repeat(marks.length);
}

/** @param above - The kind of the line right above it, if that is not blank. */
function kindOf(
  line: string,
  quote: string,
  above: LineKind | undefined,
  below: () => string,
): LineKind {
  if (above === 'header_row') return 'delimiter_row';
  if ((above === 'delimiter_row' || above === 'row') && line.includes('|')) return 'row';
  if (quote !== '') return 'quote';
  if (headingMarks.test(line)) return 'heading';
  if (line.includes('|') && delimiterCells.test(below())) return 'header_row';
  return listMark.test(line) ? 'item' : 'paragraph';
}

function rankOf(
  kind: LineKind,
  above: LineKind | undefined,
  where: {
    readonly hasGap: boolean;
    readonly isIndented: boolean;
    readonly staysInList: boolean;
  },
): CutRank {
  if (above === undefined || above === 'heading') return cutRank.glued;
  switch (kind) {
    case 'code':
    case 'fence_close':
      if (where.hasGap) return cutRank.item;
      return above === 'fence_open' ? cutRank.glued : cutRank.line;
    case 'delimiter_row':
      return cutRank.glued;
    case 'row':
      return above === 'delimiter_row' ? cutRank.glued : cutRank.line;
    case 'heading':
    case 'header_row':
      return cutRank.block;
  }
  if (where.staysInList) return where.isIndented ? cutRank.line : cutRank.item;
  const isPart = (kind === 'quote') === (above === 'quote');
  const isApart = where.hasGap || kind === 'fence_open' || above === 'fence_close' || !isPart;
  return isApart ? cutRank.block : cutRank.line;
}

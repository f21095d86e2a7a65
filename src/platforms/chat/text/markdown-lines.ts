/**
 * Scans Markdown line by line as chats do: finds code, and rates how well the text can be cut before each line. A
 * fence stays open until its marker is repeated, even if its list ends.
 */

export interface Fence {
  /** Three or more backticks or tildes. */
  readonly marker: string;
  /** The info string, usually the language; shortened if it is too long to be repeated. */
  readonly info: string;
  /** Quote marks before it, e.g. `> `. */
  readonly quote: string;
  /** White space as wide as what precedes it in a list. */
  readonly indent: string;
}

/**
 * Ranks of cuts, best last. Negative ones are forced: they separate what belongs together. A heading is glued to what
 * follows it, a table's header to its rows.
 */
export const cutRank = {
  character: -11,
  parted: -10,
  glued: 1,
  space: 2,
  sentence: 3,
  line: 4,
  item: 5,
  block: 6,
  end: 7,
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
  /** The lines of a table: header, delimiter, body. */
  | 'header_row'
  | 'delimiter_row'
  | 'row'
  | 'paragraph';

export interface MarkdownLine {
  readonly kind: LineKind;
  /** Indices into the whole text; the line feed is not part of the line. */
  readonly start: number;
  readonly end: number;
  /** End of the indentation; for code and opening fences, the start of the line. */
  readonly textStart: number;
  /** `end` without trailing white space. */
  readonly textEnd: number;
  /** Rank of a cut just before the line. */
  readonly rank: CutRank;
  /** The fence that the line opens, closes or is inside of. */
  readonly fence: Fence | undefined;
  /** The quote marks at its start, e.g. `> `. */
  readonly quote: string;
}

export interface ScannedMarkdown {
  readonly lines: readonly MarkdownLine[];
  /** The fence that is never closed. */
  readonly openFence: Fence | undefined;
}

const quoteMarks = /^(?: {0,3}>[ \t]?)+/;
/** A bold line of its own is a label, which many texts have in place of headings. */
const headingMarks = /^ {0,3}(?:#{1,6}(?=[ \t]|$)|\*\*[^*]{1,80}\*\*:?[ \t]*$)/;
const listMark = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const delimiterCells = /^(?=.*-)(?=.*\|)[ \t|:-]+$/;
/** Any indentation and list marks are allowed before a fence, because lists indent fences. */
const fenceMarks =
  /^((?:[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(?:(`{3,})([^`]*)|(~{3,})(.*))$/s;

/**
 * Scans a text.
 *
 * @param limit - The longest piece wanted, in UTF-16 units. Marks too long to be repeated in every piece are
 *   treated as text.
 */
export function scanMarkdown(text: string, limit: number): ScannedMarkdown {
  const lines: MarkdownLine[] = [];
  let fence: Fence | undefined;
  /** The last line that was not blank, and whether blank ones came after it. */
  let above: LineKind | undefined;
  let hasGap = false;
  let isInList = false;
  for (let start = 0; start <= text.length; ) {
    const line = lineAt(text, start);
    const end = start + line.length;
    const textStart = end - line.trimStart().length;
    const textEnd = start + line.trimEnd().length;
    const isBlank = textEnd === start;
    const quote = shortQuote(line, limit);
    const content = line.slice(quote.length);
    // A fence ends with its quote.
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
    const inList = staysInList ? (isIndented ? cutRank.line : cutRank.item) : undefined;
    lines.push({
      kind,
      start,
      end,
      textStart: openFence ? start : textStart,
      textEnd,
      rank: rankOf(kind, above, hasGap, inList),
      fence: openFence,
      quote,
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

/** The fence that a line opens. Marks longer than a tenth of the limit don't count: they leave no room for code. */
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

/** @param inList - The rank of a line that continues a list. */
function rankOf(
  kind: LineKind,
  above: LineKind | undefined,
  hasGap: boolean,
  inList: CutRank | undefined,
): CutRank {
  if (above === undefined || above === 'heading') return cutRank.glued;
  switch (kind) {
    case 'code':
    case 'fence_close':
      if (hasGap) return cutRank.item;
      return above === 'fence_open' ? cutRank.glued : cutRank.line;
    case 'delimiter_row':
      return cutRank.glued;
    case 'row':
      return above === 'delimiter_row' ? cutRank.glued : cutRank.line;
    case 'heading':
    case 'header_row':
      return cutRank.block;
  }
  if (inList !== undefined) return inList;
  const changesQuote = (kind === 'quote') !== (above === 'quote');
  const beginsBlock = hasGap || kind === 'fence_open' || above === 'fence_close' || changesQuote;
  return beginsBlock ? cutRank.block : cutRank.line;
}

/** Breaks a styled line into lines that fit a width. */

import { graphemes, widthOf } from '../chat/text/text-width.ts';

/** Text of one look. */
export interface Span {
  readonly text: string;
  readonly paint: (text: string) => string;
}

export interface WrapOptions {
  /** Columns; `Infinity` never breaks. */
  readonly width: number;
  /** What the first line begins with, e.g. a bullet. */
  readonly first: string;
  /** What every further line begins with, as wide as `first`. */
  readonly next: string;
  /** For code: every space stays, and a line is broken at the width and nowhere else. */
  readonly isVerbatim?: boolean;
}

/** A character as a reader counts them. */
interface Cell extends Span {
  readonly width: number;
}

/** Leaves text as it is; spaces are always painted so. */
export const unpainted = (text: string) => text;

/** Never begins a line in scripts that are written without spaces. */
const closingMark = /^[、。，．！？：；）」』】〉》…]$/u;
/** A character of several letters, as in Hindi: it may take two columns, but its words have spaces between them. */
const severalLetters = /\p{Mc}|\p{L}.*\p{L}/u;

/**
 * Wraps at spaces, and between wide characters; a word that is wider than a line is cut.
 *
 * @returns At least one line, each without a space at its end unless it is verbatim. As the text grows,
 *   every line but the last stays as it is, if the text always ends between two words.
 */
export function wrap(spans: readonly Span[], options: WrapOptions): readonly string[] {
  const { width, first, next, isVerbatim = false } = options;
  const room = Math.max(1, width - widthOf(first));
  const rows: string[] = [];
  let row: Cell[] = [];
  let column = 0;
  /** Where the row may be broken: what follows this place moves to the next row. */
  let breakAt: number | undefined;
  for (const cell of cellsOf(spans, isVerbatim)) {
    const last = row.at(-1);
    const isSpace = cell.text === ' ' && !isVerbatim;
    if (isSpace && (last === undefined || last.text === ' ')) continue;
    if (last && !isVerbatim && mayBreak(last, cell)) breakAt = row.length;
    while (!isSpace && row.length > 0 && column + cell.width > room) {
      const moved = row.splice(breakAt ?? row.length);
      rows.push(painted(row));
      row = moved;
      column = moved.reduce((sum, one) => sum + one.width, 0);
      breakAt = undefined;
    }
    row.push(cell);
    column += cell.width;
  }
  rows.push(painted(row));
  return rows.map((text, place) => {
    const line = (place === 0 ? first : next) + text;
    return isVerbatim || text === '' ? line : line.trimEnd();
  });
}

function cellsOf(spans: readonly Span[], isVerbatim: boolean): readonly Cell[] {
  // Measuring one character costs much more than knowing it.
  const widths = new Map<string, number>();
  return spans.flatMap(({ text: whole, paint }) =>
    graphemes(whole).map((text) => {
      const width = widths.get(text) ?? widthOf(text);
      widths.set(text, width);
      return { text, width, paint: text === ' ' && !isVerbatim ? unpainted : paint };
    }),
  );
}

/** A script without spaces may be broken between any two of its (wide) characters. */
function mayBreak(before: Cell, after: Cell): boolean {
  if (before.text === ' ') return true;
  return (isWide(before) || isWide(after)) && !closingMark.test(after.text);
}

function isWide({ text, width }: Cell): boolean {
  return width === 2 && !severalLetters.test(text);
}

/** Each run of one look is painted once. */
function painted(row: readonly Cell[]): string {
  let line = '';
  let run = '';
  for (const [place, { text, paint }] of row.entries()) {
    run += text;
    if (row[place + 1]?.paint === paint) continue;
    line += paint(run);
    run = '';
  }
  return line;
}

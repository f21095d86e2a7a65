/** Lays out the line that a person is typing, cursor and all. */

import { graphemes, widthOf } from '../chat/text/text-width.ts';
import type { Palette } from './page.ts';
import { plainText } from './plain-text.ts';

/**
 * Stands for a line break inside the line that is edited: a line editor knows only single lines,
 * and a pasted question may have many.
 */
export const lineBreakMark = '\u2424';

/** What is being typed. */
export interface TypedLine {
  readonly text: string;
  /** Place of the cursor in `text`, in UTF-16 units. */
  readonly cursor: number;
  /** Shown quietly while nothing is typed. */
  readonly placeholder: string;
}

export interface InputLayout {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

const prompt = '› ';
const margin = ' '.repeat(prompt.length);

/**
 * @param columns - At least 4.
 * @param maxRows - At least 1. Of a longer text the rows around the cursor are shown.
 */
export function layOutInput(
  typed: TypedLine,
  palette: Palette,
  columns: number,
  maxRows: number,
): InputLayout {
  if (typed.text === '') {
    const room = columns - prompt.length;
    const shown = typed.placeholder.length <= room ? palette.quiet(typed.placeholder) : '';
    return { rows: [palette.strong(prompt) + shown], cursorRow: 0, cursorColumn: prompt.length };
  }
  const rows: string[] = [''];
  let column = prompt.length;
  let index = 0;
  let cursor = { row: 0, column };
  const newRow = () => {
    rows.push('');
    column = margin.length;
  };
  for (const grapheme of graphemes(typed.text)) {
    const isBreak = grapheme === lineBreakMark;
    const shown = grapheme === '\t' ? ' ' : plainText(grapheme);
    const width = isBreak ? 1 : widthOf(shown);
    if (column + width > columns) newRow();
    if (index <= typed.cursor) cursor = { row: rows.length - 1, column };
    rows.push((rows.pop() ?? '') + (isBreak ? palette.quiet('↵') : shown));
    column += width;
    index += grapheme.length;
    if (isBreak) newRow();
  }
  if (typed.cursor >= index) {
    if (column >= columns) newRow();
    cursor = { row: rows.length - 1, column };
  }
  const first = Math.max(0, Math.min(cursor.row - maxRows + 1, rows.length - maxRows));
  return {
    rows: rows
      .map((row, place) => (place === 0 ? palette.strong(prompt) : margin) + row)
      .slice(first, first + maxRows),
    cursorRow: cursor.row - first,
    cursorColumn: cursor.column,
  };
}

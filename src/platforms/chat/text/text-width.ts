/** How many columns text takes up in a terminal. */

import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The characters as a reader counts them: an emoji made of seven code points is one. */
export function graphemes(text: string): readonly string[] {
  if (/^[ -~]*$/.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Columns of a line; colours count nothing. A tab counts nothing either: replace it before. */
export function widthOf(line: string): number {
  return stringWidth(line);
}

/**
 * Cuts a line to at most `columns`, with `…` in place of what is missing. A line that is cut loses
 * its colours; one that fits is given back as it is.
 */
export function fitLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let kept = '';
  let width = 0;
  for (const grapheme of graphemes(stripVTControlCharacters(line))) {
    width += widthOf(grapheme);
    if (width > columns - 1) break;
    kept += grapheme;
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`;
}

/** Fills a line with spaces up to `columns`. */
export function padLine(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - widthOf(line)));
}

/** How wide each column of a table has to be. */
export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const columns = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
}

/** Rows with their cells below each other, two spaces apart; without white space at their ends. */
export function alignedRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columnWidths(rows);
  return rows.map((cells) =>
    widths
      .map((width, column) => padLine(cells[column] ?? '', width))
      .join('  ')
      .trimEnd(),
  );
}

/** The width of text in terminal columns. */

import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Splits text into characters as readers count them: an emoji of seven code points is one. */
export function graphemes(text: string): readonly string[] {
  if (/^[ -~]*$/.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Width of a line in columns. Colour codes have no width; neither have tabs, so replace them before. */
export function widthOf(line: string): number {
  return stringWidth(line);
}

/**
 * Cuts a line to at most `columns`, ending in `…`. A line that is cut loses its colours; one that fits is returned
 * unchanged.
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

/** The widths of a table's columns. */
export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const columns = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
}

/** Aligns the cells of rows in columns, two spaces apart, without trailing spaces. */
export function alignedRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columnWidths(rows);
  return rows.map((cells) =>
    widths
      .map((width, column) => padLine(cells[column] ?? '', width))
      .join('  ')
      .trimEnd(),
  );
}

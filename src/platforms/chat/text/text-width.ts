/** How many columns text takes up in a terminal. */

import { stripVTControlCharacters } from 'node:util';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const asciiOnly = /^[ -~]*$/;
/** Letters and marks of which each is a character of its own: Latin, Cyrillic, kana, Han, Hangul. */
const oneUnitEach =
  /^[ -~\u00c0-\u024f\u0410-\u044f\u2010-\u2026\u3001-\u3011\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff1f]*$/;
const invisible = /^[\p{M}\p{Cf}\p{Cc}]*$/u;
const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\ufe0f\u20e3/u;
/** The blocks that Unicode's East Asian Width counts as wide or fullwidth. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** The characters as a reader counts them: an emoji made of seven code points is one. */
export function graphemes(text: string): readonly string[] {
  if (oneUnitEach.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Columns of one grapheme: 0, 1 or 2. */
export function graphemeWidth(grapheme: string): number {
  if (asciiOnly.test(grapheme)) return grapheme.length;
  if (invisible.test(grapheme)) return 0;
  return emoji.test(grapheme) || wide.test(grapheme) ? 2 : 1;
}

/** Columns of a line; colours count nothing. A tab counts nothing either: replace it before. */
export function widthOf(line: string): number {
  if (asciiOnly.test(line)) return line.length;
  const visible = line.includes('\u001b') ? stripVTControlCharacters(line) : line;
  return graphemes(visible).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
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
    width += graphemeWidth(grapheme);
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

/** The cells of a row below those of the others, two spaces apart; without white space at its end. */
export function alignedLine(cells: readonly string[], widths: readonly number[]): string {
  return widths
    .map((width, column) => padLine(cells[column] ?? '', width))
    .join('  ')
    .trimEnd();
}

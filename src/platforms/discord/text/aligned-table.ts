/** A table drawn in letters of equal width, for platforms that have none. */

import { padLine, widthOf } from '../../chat/text/text-width.ts';

/** Columns side by side, a rule below the header; without white space at the end of a line. */
export function alignedTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const columns = Math.max(header.length, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...[header, ...rows].map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => padLine(cells[column] ?? '', width))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [line(header), rule, ...rows.map(line)];
}

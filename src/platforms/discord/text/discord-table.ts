/** A Markdown table as Discord can show it: drawn in a code block, or as a list where it is too wide for that. */

import { alignedRows, columnWidths, widthOf } from '../../chat/text/text-width.ts';
import { unseenSpace } from '../../chat/text/visible-text.ts';

/** A wider code block is wrapped on most screens, and a wrapped table is unreadable. */
const mostColumns = 64;
const lineBreak = /\s*<br\s*\/?>\s*/gi;
/** What works in a list and would be shown as it is written in a code block. */
const link = /\]\(|<https?:/;

/**
 * @param header - The line of the header, as it was written.
 * @param rows - The lines below the delimiter row.
 * @returns Lines of Markdown; they hold all that the cells hold.
 */
export function discordTable(header: string, rows: readonly string[]): readonly string[] {
  const names = cellsOf(header);
  const cells = rows.map(cellsOf);
  const plain = [names, ...cells].map((row) => row.map(withoutMarks));
  const drawn = alignedTable(plain[0] ?? [], plain.slice(1));
  const isNarrow = drawn.every((line) => widthOf(line) <= mostColumns);
  if (isNarrow && !cells.flat().some((cell) => link.test(cell))) return ['```', ...drawn, '```'];
  if (cells.length === 0) return [`**${names.join(' · ')}**`];
  return cells.flatMap((row) => listed(names, row));
}

/** One row as an item of a list, with the other cells below its first one. */
function listed(names: readonly string[], row: readonly string[]): readonly string[] {
  return Array.from({ length: Math.max(names.length, row.length) }, (_, column) => {
    const name = names[column] ?? '';
    const cell = row[column] ?? '';
    const label = name === '' ? '' : `${name}: `;
    if (column > 0) return `  - ${label}${cell}`.trimEnd();
    return `- ${label}${cell === '' || cell.includes('*') ? cell : `**${cell}**`}`;
  });
}

/** The cells of a row; `\|` and a `|` in code part none. */
function cellsOf(row: string): readonly string[] {
  const line = row.trim();
  const cells: string[] = [];
  let cell = '';
  let isCode = false;
  for (let index = line.startsWith('|') ? 1 : 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (character === '\\' && line.charAt(index + 1) === '|') {
      cell += '|';
      index += 1;
    } else if (character === '|' && !isCode) {
      cells.push(cell);
      cell = '';
    } else {
      cell += character;
      if (character === '`') isCode = !isCode && line.includes('`', index + 1);
    }
  }
  const all = cell.trim() === '' && cells.length > 0 ? cells : [...cells, cell];
  return all.map((one) => partFences(one.replace(lineBreak, ' / ').trim()));
}

/** A code block shows marks as they are written. */
function withoutMarks(cell: string): string {
  return cell
    .replace(/\*\*(?=\S)([^*]+)\*\*/g, '$1')
    .replace(/`([^`]+)`/g, '$1')
    .replace(/\s+/g, ' ');
}

/** Columns side by side, a rule below the header; without white space at the end of a line. */
export function alignedTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const rule = columnWidths([header, ...rows]).map((width) => '─'.repeat(width));
  return alignedRows([header, rule, ...rows]);
}

/** Parts backticks, of which Discord takes three for the begin or end of a block wherever they stand. */
export function partFences(text: string): string {
  return text.replace(/``(?=`)/g, `\`\`${unseenSpace}`);
}

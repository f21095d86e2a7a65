/** Reads a ranking from a table that has a column of places: `| Response | Score | Rank |`. */

import { readEntry } from './entry.ts';
import type { ListLine } from './lists.ts';
import { isSign } from './mention.ts';
import { type Direction, type Groups, orderEntries, type RankedEntry } from './order.ts';
import type { Token } from './tokens.ts';
import { isPlaceNoun, isRankingNoun } from './vocabulary.ts';

/**
 * @param lines - From the table's header on; what follows the table may follow.
 * @returns `undefined` where the first line is no header with a column of places, or a place is missing.
 */
export function readTable(lines: readonly ListLine[], direction: Direction): Groups | undefined {
  const [header, ...rows] = lines;
  if (header === undefined || header.isBlank) return undefined;
  const placeColumn = cellsOf(header.tokens).findIndex(isPlaceHeader);
  if (placeColumn < 0) return undefined;
  const entries: RankedEntry[] = [];
  for (const row of rows) {
    const cells = cellsOf(row.tokens);
    if (row.isBlank || cells.length < 2) break;
    const [entry] = cells.flatMap((cell, column) => {
      const found = column === placeColumn ? undefined : readEntry(cell, 'brackets');
      return found === undefined || found === 'unclear' || found.tail === 'sentence' ? [] : [found];
    });
    if (entry === undefined) continue;
    const rank = cells[placeColumn]?.flatMap(numberOf)[0];
    if (rank === undefined) return undefined;
    entries.push({ entry, rank });
  }
  return entries.length < 2 ? undefined : orderEntries(entries, direction);
}

/** The cells of a row; none where the line is no row of a table. */
function cellsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const cells: Token[][] = [[]];
  for (const token of tokens) {
    if (isSign(token, 'cell')) cells.push([]);
    else cells.at(-1)?.push(token);
  }
  if (cells.length < 2) return [];
  return isSign(tokens[0], 'cell') ? cells.slice(1) : cells;
}

function isPlaceHeader(cell: readonly Token[]): boolean {
  const isNamed = cell.some(
    (token) => token.kind === 'word' && (isPlaceNoun(token.text) || isRankingNoun(token.text)),
  );
  return isNamed && cell.length <= 3;
}

function numberOf(token: Token): number | readonly number[] {
  if (token.kind === 'number') return token.value;
  return token.kind === 'label' && /^\d+$/.test(token.text) ? Number(token.text) : [];
}

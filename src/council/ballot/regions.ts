/** Reads the ranking after a heading: a table, a row, a chain or a list. */

import { type Chain, isUnfinished, readChain, readRow, readSentence } from './chains.ts';
import { directionIn } from './headings.ts';
import { type List, type ListLine, readList, styleOf } from './lists.ts';
import { readMarker } from './marker.ts';
import { readMention } from './mention.ts';
import type { Direction, Groups } from './order.ts';
import type { Token } from './tokens.ts';
import { refusalWords } from './vocabulary.ts';

/** The most lines of prose between a heading and its ranking. */
const maxLinesBefore = 4;
/** The most lines of a wrapped chain. */
const maxWrappedLines = 40;

/**
 * Reads the ranking after a heading.
 *
 * @param lines - From the heading's end up to the next heading.
 * @returns `undefined` if there is no ranking, or an ambiguous one.
 */
export function readRegion(
  lines: readonly ListLine[],
  shown: readonly string[],
  direction: Direction,
): Groups | undefined {
  const groups = readOrder(lines, shown, direction);
  const isWorstFirst = direction.isReversed || direction.isOneWorst;
  // An incomplete ranking from worst to best lacks the best answers.
  return groups !== undefined && isWorstFirst && !namesAll(groups, shown) ? undefined : groups;
}

function readOrder(
  lines: readonly ListLine[],
  shown: readonly string[],
  direction: Direction,
): Groups | undefined {
  let linesBefore = 0;
  for (const [at, line] of lines.entries()) {
    if (line.isBlank) continue;
    const row = readRow(line.tokens);
    if (row !== undefined && namesAll(row, shown)) return row;
    const style = styleOf(line);
    const chain = readWrapped(lines, at, direction);
    if (chain !== undefined && style !== 'numbered') return chain.groups;
    if (style !== undefined) {
      const list = readList(lines.slice(at), shown, direction);
      if (list === 'unclear' || list === undefined) return undefined;
      const isChain = chain?.groups.length === 0 || namesAll(chain?.groups ?? [], shown);
      if (list.entries.length <= 1 && isChain) return chain?.groups;
      if (list.groups.length > 0) return isWhole(list, lines, at, shown) ? list.groups : undefined;
    }
    const isReversed = direction.isReversed || direction.isOneWorst;
    const stated = isReversed ? undefined : readSentence(line.tokens, shown);
    if (stated !== undefined) return stated;
    if (line.tokens.some((token) => token.kind === 'word' && refusalWords.has(token.text)))
      return undefined;
    linesBefore += 1;
    if (linesBefore > maxLinesBefore) return undefined;
  }
  return undefined;
}

export function namesAll(groups: Groups, shown: readonly string[]): boolean {
  return groups.flat().length >= shown.length;
}

/** Reads a chain that begins in this line and may be wrapped. */
function readWrapped(
  lines: readonly ListLine[],
  at: number,
  direction: Direction,
): Chain | undefined {
  const tokens: Token[] = [];
  const first = readMarker(lines[at]?.tokens ?? [], 0)?.next ?? 0;
  for (const [index, line] of lines.slice(at, at + maxWrappedLines).entries()) {
    if (line.isBlank) continue;
    for (const token of index === 0 ? line.tokens.slice(first) : line.tokens) tokens.push(token);
    if (!isUnfinished(line.tokens)) break;
  }
  const said = directionIn(tokens);
  return readChain(tokens, {
    isReversed: direction.isReversed || said.isReversed,
    isOneWorst: direction.isOneWorst || said.isOneWorst,
  });
}

/** Whether an incomplete list is the reviewer's whole ranking, because no further answers follow it. */
function isWhole(
  list: List,
  lines: readonly ListLine[],
  at: number,
  shown: readonly string[],
): boolean {
  if (list.style === 'numbered' || namesAll(list.groups, shown)) return true;
  const [only, ...others] = list.entries;
  const rest = lines.slice(at + 1);
  if (others.length === 0) {
    const namesMore = rest.some(({ tokens }) =>
      tokens.some(
        (token, index) => token.kind === 'label' && readMention(tokens, index) !== undefined,
      ),
    );
    return only?.tail !== 'sentence' && !namesMore;
  }
  const named = new Set(list.groups.flat());
  return !rest.some(({ tokens }) => {
    const label = readMention(tokens, 0)?.label;
    return label !== undefined && !named.has(label);
  });
}

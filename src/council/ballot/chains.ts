/** Reads an order written in one line: `C > A = D > B`, `C; A; B`, `C, A and B`. */

import { type Entry, readEntry } from './entry.ts';
import { isSign, readMention, skipSigns } from './mention.ts';
import { bestFirst, type Direction, type Groups, orderEntries } from './order.ts';
import type { Sign, Token } from './tokens.ts';

export interface Chain {
  readonly groups: Groups;
  /** Ordered by signs that mean an order (`>`), and not by commas, which may merely enumerate. */
  readonly isExplicit: boolean;
  /** Nothing but brackets follows any of the names. */
  readonly isBare: boolean;
}

const connectors = ['and', 'then', 'finally', 'lastly', 'followed', 'by', 'next', 'und', 'dann'];

/** @returns `undefined` where fewer than two places are set apart, or where the signs contradict each other. */
export function readChain(
  tokens: readonly Token[],
  direction: Direction = bestFirst,
): Chain | undefined {
  const signs = withWordsAsSigns(tokens);
  for (const separators of [['above', 'below'], ['semicolon', 'cell'], ['comma']] as const) {
    const cuts = findCuts(signs, separators);
    const [first] = cuts;
    if (first === undefined) continue;
    const isExplicit = separators[0] === 'above';
    const isRising = isSign(signs[first], 'below');
    if (isExplicit && cuts.some((cut) => isSign(signs[cut], 'below') !== isRising))
      return undefined;
    const entries = readPieces(signs, cuts, separators[0] === 'comma');
    const groups = entries === undefined ? undefined : order(entries, direction, isRising);
    if (groups === undefined || groups.length < 2) return undefined;
    return { groups, isExplicit, isBare: entries?.every(({ tail }) => tail === 'none') === true };
  }
  return undefined;
}

/** `C A B D`: nothing but labels, with nothing between them. */
export function readRow(tokens: readonly Token[]): Groups | undefined {
  const labels = tokens.flatMap((token) =>
    token.kind === 'label' && token.isExact ? token.label : [],
  );
  const isRow = labels.length === tokens.length && new Set(labels).size === labels.length;
  return isRow && labels.length > 1 ? labels.map((label) => [label]) : undefined;
}

/** Whether the line goes on in the next one: it ends with a sign that wants another name. */
export function isUnfinished(tokens: readonly Token[]): boolean {
  return isSign(tokens.at(-1), 'above', 'below', 'comma', 'semicolon', 'tie');
}

function order(
  entries: readonly Entry[],
  direction: Direction,
  isRising: boolean,
): Groups | undefined {
  const ranked = entries.map((entry) => ({ entry, rank: undefined }));
  if (isRising) return orderEntries(ranked, { ...direction, isReversed: true });
  return orderEntries(ranked, direction);
}

/** `C, then A, followed by B` with commas for the words. */
function withWordsAsSigns(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token) =>
    token.kind === 'word' && (token.text === 'then' || token.text === 'followed')
      ? { kind: 'sign', sign: 'comma' }
      : token,
  );
}

/** Where one name ends and the next begins, at the outermost brackets that hold such a sign. */
function findCuts(tokens: readonly Token[], separators: readonly Sign[]): readonly number[] {
  const cuts: { readonly at: number; readonly depth: number }[] = [];
  let depth = 0;
  let outermost = Number.POSITIVE_INFINITY;
  for (const [at, token] of tokens.entries()) {
    if (isSign(token, 'open')) depth += 1;
    if (isSign(token, 'close')) depth = Math.max(0, depth - 1);
    if (!isSign(token, ...separators)) continue;
    if (readMention(tokens, skipConnectors(tokens, at + 1)) === undefined) continue;
    cuts.push({ at, depth });
    outermost = Math.min(outermost, depth);
  }
  return cuts.filter((cut) => cut.depth === outermost).map(({ at }) => at);
}

function skipConnectors(tokens: readonly Token[], at: number): number {
  let next = skipSigns(tokens, at, 'comma');
  for (let count = 0; count < connectors.length; count += 1) {
    const token = tokens[next];
    if (token?.kind !== 'word' || !connectors.includes(token.text)) break;
    next = skipSigns(tokens, next + 1, 'comma', 'colon');
  }
  return next;
}

/** The names between the cuts, up to the first piece that begins with none. */
function readPieces(
  tokens: readonly Token[],
  cuts: readonly number[],
  isByComma: boolean,
): readonly Entry[] | undefined {
  const entries: Entry[] = [];
  for (const [index, start] of [-1, ...cuts].entries()) {
    const piece = tokens.slice(skipConnectors(tokens, start + 1), cuts[index]);
    if (piece.length === 0) continue;
    const entry = readEntry(piece, 'head');
    if (entry === undefined || entry === 'unclear') break;
    entries.push(...(isByComma ? apart(entry, piece) : [entry]));
    const isSentence =
      entry.tail === 'sentence' ||
      (entry.tail === 'remark' && piece.some((token) => isSign(token, 'stop')));
    if (isByComma && isSentence) break;
  }
  if (!isByComma) return entries;
  // `A, B (tie)` ties both; in a longer list it is unclear how many are meant.
  const isTieUnclear = entries.some(({ labels, isTied }) => isTied && labels.length === 1);
  return isTieUnclear ? undefined : entries;
}

/** `B and D` at the end of an enumeration are two places, unless they are said to be tied. */
function apart(entry: Entry, piece: readonly Token[]): readonly Entry[] {
  const isBracketed = isSign(piece[0], 'open');
  if (entry.isTied || entry.joint === 'tie' || (isBracketed && entry.joint === 'comma')) {
    return [{ ...entry, isTied: false }];
  }
  return entry.labels.map((label) => ({ ...entry, labels: [label] }));
}

/** Reads a ranking written in one line: `C > A = D > B`, `C; A; B`, `C, A and B`. */

import { type Entry, readEntry } from './entry.ts';
import { isSign, readMention, skipSigns } from './mention.ts';
import { bestFirst, type Direction, type Groups, orderEntries } from './order.ts';
import type { Sign, Token } from './tokens.ts';
import { bestWords, lastPlace, placeOf, sentenceWords, stepWords } from './vocabulary.ts';

export interface Chain {
  readonly groups: Groups;
  /** Separated by `>` or the like, not by commas, which may only enumerate. */
  readonly isExplicit: boolean;
  /** At most brackets follow the names. */
  readonly isBare: boolean;
}

const connectors = ['and', 'then', 'finally', 'lastly', 'followed', 'by', 'next', 'und', 'dann'];

/** Says that commas put the answers in no order. */
const unordered =
  /\b(?:all (?:tied?|equal)|equally|share (?:the )?first|particular order|distinguish|gleich(?:auf|wertig)?)\b/;

const wordsOf = (tokens: readonly Token[]) =>
  tokens.flatMap((token) => (token.kind === 'word' ? token.text : [])).join(' ');

/** @returns `undefined` with fewer than two places; no groups if `>` and `<` contradict each other. */
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
    if (separators[0] === 'comma' && unordered.test(wordsOf(tokens))) return undefined;
    const isRising = isSign(signs[first], 'below');
    const isContradictory =
      isExplicit && cuts.some((cut) => isSign(signs[cut], 'below') !== isRising);
    if (isContradictory) return { groups: [], isExplicit, isBare: false };
    const entries = readPieces(signs, cuts, separators[0] === 'comma');
    if (entries === undefined) return undefined;
    const groups = orderEntries(
      entries.map((entry) => ({ entry })),
      isRising ? { ...direction, isReversed: true } : direction,
    );
    if (groups === undefined || groups.length < 2) return undefined;
    return { groups, isExplicit, isBare: entries.every(({ tail }) => tail === 'none') };
  }
  return undefined;
}

/** Reads a line of labels only, such as `C A B D`. */
export function readRow(tokens: readonly Token[]): Groups | undefined {
  const labels = tokens.flatMap((token) =>
    token.kind === 'label' && token.isExact ? token.label : [],
  );
  const isRow = labels.length === tokens.length && new Set(labels).size === labels.length;
  return isRow && labels.length > 1 ? labels.map((label) => [label]) : undefined;
}

/**
 * Reads a sentence such as `C is best, followed by A, then B` or `C comes first, A second and B last`. It has to name
 * every answer once, the best one as such, and what follows it as following. A word that may change its meaning
 * makes it unreadable.
 *
 * @returns `undefined` if it isn't such a sentence.
 */
export function readSentence(
  tokens: readonly Token[],
  shown: readonly string[],
): Groups | undefined {
  const named: string[] = [];
  let isNextPlaced = true;
  let namesBest = false;
  /** The last place since the last name. */
  let placed = 0;
  for (let at = 0; at < tokens.length; ) {
    const mention = readMention(tokens, at);
    if (mention !== undefined) {
      if (mention.label === undefined || !isNextPlaced) return undefined;
      named.push(mention.label);
      isNextPlaced = false;
      placed = 0;
      at = mention.next;
      continue;
    }
    const token = tokens[at];
    at += 1;
    if (isSign(token, 'comma', 'colon', 'semicolon', 'stop')) continue;
    if (token?.kind !== 'word') return undefined;
    const said = bestWords.has(token.text) ? 1 : placeOf(token.text);
    const place = said === lastPlace ? shown.length : said;
    if (place === undefined) {
      if (!stepWords.has(token.text) && !sentenceWords.has(token.text)) return undefined;
    } else {
      // It may stand on either side of its name.
      const isNeighbours = place === named.length || place === named.length + 1;
      if (!isNeighbours || place <= placed) return undefined;
      placed = place;
    }
    isNextPlaced ||= place !== undefined || stepWords.has(token.text);
    namesBest ||= place === 1;
  }
  const isWhole = named.length === shown.length && new Set(named).size === named.length;
  return isWhole && namesBest ? named.map((label) => [label]) : undefined;
}

/** Whether a line ends with a separator and so continues in the next line. */
export function isUnfinished(tokens: readonly Token[]): boolean {
  return isSign(tokens.at(-1), 'above', 'below', 'comma', 'semicolon', 'tie');
}

/** Replaces the words in `C, then A, followed by B` with commas. */
function withWordsAsSigns(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token) =>
    token.kind === 'word' && (token.text === 'then' || token.text === 'followed')
      ? { kind: 'sign', sign: 'comma' }
      : token,
  );
}

/** The positions of separators before names, at the outermost bracket level that has any. */
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

/** Reads the names between the cuts, up to the first piece without one. */
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
    // `A, B (tie)` ties both; in a longer chain it's unclear how many are tied.
    if (isByComma && entry.isTied && entry.labels.length === 1) return undefined;
    entries.push(...(isByComma ? splitUntied(entry, piece) : [entry]));
    const isSentence =
      entry.tail === 'sentence' ||
      (entry.tail === 'remark' && piece.some((token) => isSign(token, 'stop')));
    if (isByComma && isSentence) break;
  }
  return entries;
}

/** Splits `B and D` at the end of an enumeration into two places, unless they are tied. */
function splitUntied(entry: Entry, piece: readonly Token[]): readonly Entry[] {
  const isBracketed = isSign(piece[0], 'open');
  if (entry.isTied || entry.joint === 'tie' || (isBracketed && entry.joint === 'comma')) {
    return [{ ...entry, isTied: false }];
  }
  return entry.labels.map((label) => ({ ...entry, labels: [label] }));
}

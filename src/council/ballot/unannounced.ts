/** Reads an order that no heading announces, where its form alone leaves no doubt. */

import { readChain } from './chains.ts';
import { directionIn } from './headings.ts';
import { findJson, readJsonRanking } from './json-rankings.ts';
import type { Labels } from './labels.ts';
import { type ListLine, readList, toListLine } from './lists.ts';
import { readMarker } from './marker.ts';
import { isSign } from './mention.ts';
import { bestFirst, type Groups } from './order.ts';
import { namesAll } from './regions.ts';
import { readTable } from './tables.ts';
import type { Token } from './tokens.ts';
import { isLeadWord } from './vocabulary.ts';

/** Only the end of a review concludes; an order before that may be one of many, by one criterion or other. */
const lastLines = 5;

/**
 * @returns An order of all the labels, written at the end of the text with `>` between them or as a bare
 *   numbered list or JSON array, or anywhere as a list or table of places (`1st`, `Rank 1`).
 */
export function readUnannounced(texts: readonly string[], labels: Labels): Groups | undefined {
  const lines = texts.map((text) => toListLine(text, labels)).filter(({ isBlank }) => !isBlank);
  const found =
    readLastChain(lines) ??
    readLastJson(texts, labels) ??
    readPlaces(lines, labels.shown) ??
    readLastList(lines, labels.shown);
  return found !== undefined && namesAll(found, labels.shown) ? found : undefined;
}

/** `C > A > B`, or `Verdict: C > A > B`, and nothing else in the line. */
function readLastChain(lines: readonly ListLine[]): Groups | undefined {
  for (const { tokens, isHeading } of lines.slice(-lastLines).toReversed()) {
    if (isHeading) continue;
    const chain = readChain(tokens.slice(afterLead(tokens)), directionIn(tokens));
    if (chain?.isExplicit === true && chain.isBare) return chain.groups;
  }
  return undefined;
}

function afterLead(tokens: readonly Token[]): number {
  const isLead = (token: Token | undefined): boolean =>
    (token?.kind === 'word' && isLeadWord(token.text)) || isSign(token, 'comma', 'colon', 'dash');
  let next = 0;
  while (next < lastLines * 2 && isLead(tokens[next])) next += 1;
  return next;
}

function readLastJson(texts: readonly string[], labels: Labels): Groups | undefined {
  const text = texts.join('\n').trimEnd();
  const last = findJson(text).at(-1);
  if (last?.end !== text.length || !Array.isArray(last.value)) return undefined;
  return readJsonRanking(last.value, labels, bestFirst);
}

/** The last list or table that numbers its entries as places. */
function readPlaces(lines: readonly ListLine[], shown: readonly string[]): Groups | undefined {
  let found: Groups | undefined;
  const lastOnes = lines.slice(-maxPlacesLines);
  for (const [at, line] of lastOnes.entries()) {
    const marker = readMarker(line.tokens, 0);
    const mayBegin = marker?.isPlace === true && marker.rank === 1;
    const mayBeTable = line.tokens.filter((token) => isSign(token, 'cell')).length > 1;
    if (!mayBegin && !mayBeTable) continue;
    const following = lastOnes.slice(at, at + maxListLines);
    const list = mayBegin ? readList(following, shown, bestFirst) : undefined;
    const isPlaced = list !== 'unclear' && list?.hasPlaces === true;
    const groups = isPlaced ? list.groups : readTable(following, bestFirst);
    if (groups !== undefined && namesAll(groups, shown)) found = groups;
  }
  return found;
}

/** How many lines from the end a list of places may begin, and how many it is followed for. */
const maxPlacesLines = 200;
const maxListLines = 60;

/** `1. Response C`, `2. Response A`, `3. Response B`, each without a word more, and then the end. */
function readLastList(lines: readonly ListLine[], shown: readonly string[]): Groups | undefined {
  const following = lines.slice(-shown.length);
  const [first] = following;
  if (first === undefined || readMarker(first.tokens, 0) === undefined) return undefined;
  const list = readList(following, shown, bestFirst);
  if (list === 'unclear' || list?.style !== 'numbered') return undefined;
  const isBare = list.entries.every(({ tail }) => tail === 'none');
  return isBare && list.entries.length === following.length ? list.groups : undefined;
}

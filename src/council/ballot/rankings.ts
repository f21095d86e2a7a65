/** Reads the rankings that a heading or a JSON key announces, and unannounced ones whose form is unambiguous. */

import { readChain, readSentence } from './chains.ts';
import { directionIn, findHeadings } from './headings.ts';
import type { Labels } from './labels.ts';
import { type ListLine, readList, toListLine, toRestOfLine } from './lists.ts';
import { readMarker } from './marker.ts';
import { isSign } from './mention.ts';
import { bestFirst, type Direction, type Groups } from './order.ts';
import { namesAll, readRegion } from './regions.ts';
import type { Token } from './tokens.ts';
import { finalWords, leadWords, mayAnnounceRanking } from './vocabulary.ts';

export interface Announcements {
  /** In the order of the text. */
  readonly rankings: readonly Groups[];
  /** The number of headings, with or without a readable ranking. */
  readonly headings: number;
}

/** Finds the announced rankings. Takes linear time: a heading's ranking is searched only up to the next heading. */
export function findAnnounced(texts: readonly string[], labels: Labels): Announcements {
  // Most of a review is the evaluation before the first heading, which needs no parsing.
  const begin = texts.findIndex(mayAnnounceRanking);
  const read = begin < 0 ? [] : texts.slice(begin);
  const lines = read.map((text) => toListLine(text, labels));
  const headings = lines.flatMap(({ tokens }, line) =>
    mayAnnounceRanking(read[line] ?? '')
      ? findHeadings(tokens).map((heading) => ({ ...heading, line, tokens }))
      : [],
  );
  const rankings: Groups[] = [];
  let inherited: Direction | undefined;
  for (const [index, heading] of headings.entries()) {
    const following = headings[index + 1];
    const isSameLine = following?.line === heading.line;
    const content = heading.tokens.slice(
      heading.contentAt,
      isSameLine ? following.contentAt : undefined,
    );
    const rest = isSameLine ? [] : lines.slice(heading.line + 1, following?.line);
    const region = [toRestOfLine(content), ...rest];
    const direction = inherited ?? heading.direction;
    const groups = readRegion(region, labels.shown, direction);
    if (groups !== undefined) rankings.push(groups);
    // After `Ranking (worst to best)`, an immediately following `FINAL RANKING:` has the same direction.
    inherited = region.every(({ isBlank }) => isBlank) ? direction : undefined;
  }
  return { rankings, headings: headings.length };
}

/** Only the last lines can hold a conclusion; an earlier order may be by a single criterion. */
const lastLines = 5;

/**
 * Reads an unannounced ranking of all labels: at the end of the text a chain with `>`, a bare numbered list or a JSON
 * array, or a sentence that begins with `Overall`; or anywhere a list or table of explicit places (`1st`, `Rank 1`).
 */
export function readUnannounced(texts: readonly string[], labels: Labels): Groups | undefined {
  const lines = texts.map((text) => toListLine(text, labels)).filter(({ isBlank }) => !isBlank);
  const found =
    readLastChain(lines) ??
    readPlaces(lines, labels.shown) ??
    readLastList(lines, labels.shown) ??
    readResult(lines.at(-1)?.tokens ?? [], labels.shown);
  return found !== undefined && namesAll(found, labels.shown) ? found : undefined;
}

/** Reads `C > A > B` or `Verdict: C > A > B`, with nothing else in the line. */
function readLastChain(lines: readonly ListLine[]): Groups | undefined {
  for (const { tokens, isHeading } of lines.slice(-lastLines).toReversed()) {
    if (isHeading) continue;
    const chain = readChain(tokens.slice(afterLead(tokens)), directionIn(tokens));
    if (chain?.isExplicit === true && chain.isBare) return chain.groups;
  }
  return undefined;
}

/** Reads a sentence such as `Overall, C is best, followed by A, then B`. */
function readResult(tokens: readonly Token[], shown: readonly string[]): Groups | undefined {
  const [first] = tokens;
  const isOverall = first?.kind === 'word' && finalWords.has(first.text);
  return isOverall ? readSentence(tokens, shown) : undefined;
}

function afterLead(tokens: readonly Token[]): number {
  const isLead = (token: Token | undefined): boolean =>
    (token?.kind === 'word' && leadWords.has(token.text)) ||
    isSign(token, 'comma', 'colon', 'dash');
  let next = 0;
  while (next < lastLines * 2 && isLead(tokens[next])) next += 1;
  return next;
}

/** Reads the last list with explicit places. */
function readPlaces(lines: readonly ListLine[], shown: readonly string[]): Groups | undefined {
  let found: Groups | undefined;
  const lastOnes = lines.slice(-maxPlacesLines);
  for (const [at, line] of lastOnes.entries()) {
    const marker = readMarker(line.tokens, 0);
    if (marker?.isPlace !== true || marker.rank !== 1) continue;
    const list = readList(lastOnes.slice(at, at + maxListLines), shown, bestFirst);
    const isPlaced = list !== 'unclear' && list?.hasPlaces === true;
    if (isPlaced && namesAll(list.groups, shown)) found = list.groups;
  }
  return found;
}

/** How many lines before the end a list of places may begin, and how long it may be. */
const maxPlacesLines = 200;
const maxListLines = 60;

/** Reads a numbered list at the very end whose lines contain only names, such as `1. Response C`. */
function readLastList(lines: readonly ListLine[], shown: readonly string[]): Groups | undefined {
  const following = lines.slice(-shown.length);
  const [first] = following;
  if (first === undefined || readMarker(first.tokens, 0) === undefined) return undefined;
  const list = readList(following, shown, bestFirst);
  if (list === 'unclear' || list?.style !== 'numbered') return undefined;
  const isBare = list.entries.every(({ tail }) => tail === 'none');
  return isBare && list.entries.length === following.length ? list.groups : undefined;
}

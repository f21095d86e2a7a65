/** Reads a ranking written as a list: numbered, bulleted, or one name per line. */

import { type Entry, readEntry } from './entry.ts';
import type { Labels } from './labels.ts';
import { type Marker, readMarker } from './marker.ts';
import { isSign, numberIn, readMention } from './mention.ts';
import { type Direction, type Groups, orderEntries, type RankedEntry } from './order.ts';
import { type Token, tokenize } from './tokens.ts';
import { lastPlace } from './vocabulary.ts';

/** A parsed line that may belong to a list. */
export interface ListLine {
  /** Columns before the first character. */
  readonly indent: number;
  readonly isHeading: boolean;
  readonly hasBullet: boolean;
  readonly isBlank: boolean;
  /** Without the bullet. */
  readonly tokens: readonly Token[];
}

export interface List {
  readonly groups: Groups;
  readonly entries: readonly Entry[];
  readonly style: ListStyle;
  /** All numbers are explicit places, such as `1st` or `Rank 1`. */
  readonly hasPlaces: boolean;
}

export type ListStyle = 'numbered' | 'bulleted' | 'plain';

/** The least additional indent of a sub-list. */
const subListIndent = 2;

/**
 * @param lines - Begins with the list's first line and may extend beyond the list.
 * @param shown - The list ends at the latest when all of these labels are named.
 * @returns `undefined` if the first line isn't part of a list; `unclear` if an entry names several answers, none as
 *   its subject, or if the figures contradict the order.
 */
export function readList(
  lines: readonly ListLine[],
  shown: readonly string[],
  direction: Direction,
): List | 'unclear' | undefined {
  const style = lines[0] && styleOf(lines[0]);
  if (style === undefined) return undefined;
  const entries =
    style === 'numbered' ? readNumbered(lines, shown) : readNamed(lines, style, shown);
  if (entries === 'unclear') return 'unclear';
  const groups = orderEntries(entries, direction);
  const isWhole = groups !== undefined && groups.flat().length >= shown.length;
  if (groups === undefined || lacksPlaces(entries, isWhole)) return 'unclear';
  return {
    groups,
    entries: entries.map(({ entry }) => entry),
    style,
    hasPlaces: entries.length > 0 && entries.every(({ isPlace }) => isPlace),
  };
}

/**
 * Whether places other than the last are missing: the list begins at 3, is a countdown that breaks off, or names
 * the worst answer but not all others.
 */
function lacksPlaces(entries: readonly RankedEntry[], isWhole: boolean): boolean {
  const ranks = entries.flatMap(({ rank }) => rank ?? []);
  if (ranks.length === 0) return false;
  const namesWorst = ranks.includes(lastPlace) && !isWhole;
  return namesWorst || Math.min(...ranks.slice(0, 1), ...ranks.slice(-1)) > 1;
}

export function styleOf(line: ListLine): ListStyle | undefined {
  if (readMarker(line.tokens, 0) !== undefined) return 'numbered';
  const style = line.hasBullet ? 'bulleted' : 'plain';
  return readName(line, style) === undefined ? undefined : style;
}

interface ListEntry extends RankedEntry {
  readonly isPlace: boolean;
}

/** Collects entries, and tracks which of the shown labels are missing. */
function collectEntries(shown: readonly string[]) {
  const entries: ListEntry[] = [];
  const missing = new Set(shown);
  return {
    entries,
    isComplete: () => missing.size === 0,
    add(entry: ListEntry): void {
      entries.push(entry);
      for (const label of entry.entry.labels) missing.delete(label);
    },
  };
}

function readNumbered(
  lines: readonly ListLine[],
  shown: readonly string[],
): readonly ListEntry[] | 'unclear' {
  const list = collectEntries(shown);
  let ranks: readonly number[] = [];
  let pending: Marker | undefined;
  let isAfterBreak = false;
  let isInSubList = false;
  const baseIndent = lines[0]?.indent ?? 0;
  for (const line of lines) {
    if (line.isBlank) continue;
    const marker = readMarker(line.tokens, 0);
    if (marker === undefined) {
      if (pending !== undefined) {
        const entry = readEntry(line.tokens, 'anywhere');
        if (entry === 'unclear') return 'unclear';
        if (entry !== undefined) list.add(toListEntry(entry, pending));
        pending = undefined;
      } else if (line.isHeading && list.entries.length > 0) {
        break;
      }
      isAfterBreak ||= isSign(line.tokens.at(-1), 'colon');
      if (list.isComplete()) break;
      continue;
    }
    const isNested = line.indent >= baseIndent + subListIndent;
    isInSubList = isNested && (isInSubList || marker.rank !== (ranks.at(-1) ?? 0) + 1);
    if (isInSubList) continue;
    if (startsNewList(ranks, marker.rank, isAfterBreak)) break;
    pending = undefined;
    for (const piece of splitAtMarkers(line.tokens, marker)) {
      ranks = [...ranks.slice(-1), piece.marker.rank];
      if (piece.tokens.length === 0) pending = piece.marker;
      const entry = readEntry(piece.tokens, 'anywhere');
      if (entry === 'unclear') return 'unclear';
      if (entry === undefined) continue;
      list.add(toListEntry(entry, piece.marker));
    }
    if (list.isComplete()) break;
  }
  return list.entries;
}

function toListEntry(entry: Entry, marker: Marker): ListEntry {
  const isTied = entry.isTied || marker.isTied;
  return { entry: { ...entry, isTied }, rank: marker.rank, isPlace: marker.isPlace };
}

/** Whether a number belongs to another list: it goes backwards, or repeats after a line that ends with a colon. */
function startsNewList(ranks: readonly number[], rank: number, isAfterBreak: boolean): boolean {
  const last = ranks.at(-1);
  const before = ranks.at(-2);
  if (last === undefined) return false;
  if (rank === last) return isAfterBreak;
  if (rank > last) return before !== undefined && before > last;
  const isCountdown = before === undefined ? last > 1 : before >= last && last - rank <= 2;
  return !isCountdown || (before !== undefined && before < last);
}

interface Piece {
  readonly marker: Marker;
  readonly tokens: readonly Token[];
}

/** The most tied entries in a line; the next number may be higher by as many. */
const maxTiedInLine = 4;

/** Splits `1. C 2. A 3. B` at the numbers before names. */
function splitAtMarkers(tokens: readonly Token[], first: Marker): readonly Piece[] {
  const pieces: Piece[] = [];
  let marker = first;
  for (let at = first.next; at < tokens.length; at += 1) {
    const token = tokens[at];
    // A label right after the number is the entry's.
    if (token?.kind === 'label' && at === marker.next) continue;
    const value = numberIn(token) ?? Number.NaN;
    const isNumber = value >= marker.rank && value <= marker.rank + maxTiedInLine;
    if (!isNumber) continue;
    const found = readMarker(tokens, at);
    if (found === undefined || readMention(tokens, found.next) === undefined) continue;
    const isHashed = isSign(tokens[at - 1], 'hash');
    const isNumbering = isHashed || isSign(tokens[at + 1], 'stop', 'close', 'colon');
    if (!isNumbering && !found.isPlace) continue;
    pieces.push({ marker, tokens: tokens.slice(marker.next, at) });
    marker = found;
    at = found.next - 1;
  }
  return [...pieces, { marker, tokens: tokens.slice(marker.next) }];
}

/** Reads bullets, or one name per line. Other text ends the latter, because sentences may begin with names, too. */
function readNamed(
  lines: readonly ListLine[],
  style: 'bulleted' | 'plain',
  shown: readonly string[],
): readonly ListEntry[] | 'unclear' {
  const list = collectEntries(shown);
  const baseIndent = lines[0]?.indent ?? 0;
  let isAfterBreak = false;
  for (const line of lines) {
    if (line.isBlank) continue;
    const isNested = line.indent >= baseIndent + subListIndent;
    const isOfStyle = line.hasBullet === (style === 'bulleted') && !line.isHeading;
    const name = isOfStyle && !isNested && !isAfterBreak ? readName(line, style) : undefined;
    if (name === undefined) {
      if (line.isHeading) break;
      if (style === 'plain' && line.tokens.some(({ kind }) => kind !== 'sign')) break;
      if (!isNested) isAfterBreak ||= isSign(line.tokens.at(-1), 'colon');
      continue;
    }
    if (name === 'unclear') return 'unclear';
    list.add({ entry: name, isPlace: false });
    if (list.isComplete()) break;
  }
  return list.entries;
}

function readName(line: ListLine, style: 'bulleted' | 'plain'): Entry | 'unclear' | undefined {
  if (line.isHeading) return undefined;
  const entry = readEntry(line.tokens, style === 'bulleted' ? 'brackets' : 'head');
  if (entry === undefined || entry === 'unclear') return entry;
  if (style === 'plain' && entry.tail === 'sentence') return undefined;
  // Of three answers in a line it's unclear how many a tie behind them means.
  const isTied = entry.isTied && (style === 'bulleted' || entry.labels.length < 3);
  return entry.joint === 'comma' && !isTied ? undefined : entry;
}

const headingMark = /^#{1,6}\s{1,4}/;
const bulletMark = /^(?:[-*+•‣▪●○◦·–—►▶➤→✓✔✅★☆⭐]|->|=>)\s{1,8}/u;
const boldLine = /^(?:\*\*|__)[^*_]{1,120}(?:\*\*|__):?$/;

export function toListLine(text: string, labels: Labels): ListLine {
  const written = text.trimStart();
  const indent = text.slice(0, text.length - written.length).replaceAll('\t', '    ').length;
  const content = written.trimEnd();
  const withoutHeading = content.replace(headingMark, '');
  const withoutBullet = withoutHeading.replace(bulletMark, '');
  const tokens = tokenize(withoutBullet, labels);
  const isBold = boldLine.test(content) && readMention(tokens, 0) === undefined;
  return {
    indent,
    isHeading: withoutHeading !== content || isBold,
    hasBullet: withoutBullet !== withoutHeading,
    isBlank: content === '',
    tokens,
  };
}

/** Makes a line from the rest of one, after a part that was read already. */
export function toRestOfLine(tokens: readonly Token[]): ListLine {
  return { indent: 0, isHeading: false, hasBullet: false, isBlank: tokens.length === 0, tokens };
}

/** Lays out JSON and tables as lists, so that a ranking in them is read like any other list. */

import { jsonEnd, tooDeepAt } from '../../domain/json.ts';
import { readEntry } from './entry.ts';
import type { Labels } from './labels.ts';
import { isPlaceWord, numberIn } from './mention.ts';
import { tokenize } from './tokens.ts';
import { isRankingNoun, labelWords, placeNouns, placeOf } from './vocabulary.ts';

/** Deeper nesting is no ranking. */
const maxDepth = 12;

/** An array or object that begins a line or follows a colon. */
const jsonStart = /(?<=(?:^|[\n:=])[\s*_`]{0,40})[[{]/g;
/** How often all of the text may be read for brackets that hold no JSON. */
const mostPasses = 20;

/** Replaces JSON and tables in a text by lists. Takes linear time. */
export function layOut(text: string, labels: Labels): readonly string[] {
  let written = '';
  let writtenTo = 0;
  let readInVain = 0;
  for (const { index: start } of text.matchAll(jsonStart)) {
    if (start < writtenTo) continue;
    const end = jsonEnd(text, start) ?? text.length;
    const value = parse(text.slice(start, end));
    // `[2]` may be the name of an answer.
    const isName = Array.isArray(value) && value.length < 2;
    if (value === undefined || isName) {
      readInVain += end - start;
      if (readInVain > mostPasses * text.length) break;
      continue;
    }
    written += `${text.slice(writtenTo, start)}\n${valueLines(value, labels, true).join('\n')}\n`;
    writtenTo = end;
  }
  return tablesAsLists(`${written}${text.slice(writtenTo)}`.split('\n'), labels);
}

function parse(text: string): unknown {
  try {
    return tooDeepAt(text) === undefined ? JSON.parse(text) : undefined;
  } catch {
    return undefined; // prose in brackets
  }
}

/** Writes a JSON value as lines: `ranking:`, then `- C`, `1. C` with a rank, or `C: 1`. */
function valueLines(value: unknown, labels: Labels, isOutermost = false): readonly string[] {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const isRanking = isOutermost && !items.some(isRecord);
    const written = items.flatMap((item, index) => itemLines(item, labels, isRanking, index + 1));
    return written
      .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
      .map(({ text }) => text);
  }
  if (!isRecord(value)) return [String(value)];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = key.replace(/([a-z])([A-Z])/g, '$1 $2');
    const isPlace = /^\d+$/.test(key) || placeOf(key.toLowerCase()) !== undefined;
    if (isPlace && Array.isArray(inner)) return [`${name}: ${inner.flat(maxDepth).join(' = ')}`];
    if (typeof inner !== 'object' || inner === null) return [`${name}: ${inner}`];
    return [`${name}:`, ...valueLines(inner, labels)];
  });
}

interface ItemLine {
  readonly rank?: number;
  readonly text: string;
}

function itemLines(
  item: unknown,
  labels: Labels,
  isRanking: boolean,
  place: number,
): readonly ItemLine[] {
  const mark = isRanking ? `${place}.` : '-';
  if (Array.isArray(item)) return [{ text: `${mark} ${item.flat(maxDepth).join(' = ')}` }];
  if (!isRecord(item)) return [{ text: `${mark} ${String(item)}` }];
  const fields = Object.entries(item);
  const answer =
    fields.find(([key]) => labelWords.has(key.toLowerCase())) ??
    fields.find(([key, inner]) => !isPlaceKey(key) && isName(String(inner), labels));
  if (answer === undefined) return valueLines(item, labels).map((text) => ({ text }));
  const name = [answer[1]].flat(maxDepth).join(' = ');
  const [rank] = fields.flatMap(([key, inner]) => (isPlaceKey(key) ? (placeIn(inner) ?? []) : []));
  return rank === undefined ? [{ text: `- ${name}` }] : [{ rank, text: `${rank}. ${name}` }];
}

function isPlaceKey(key: string): boolean {
  const word = key.toLowerCase();
  return placeNouns.has(word) || isRankingNoun(word) || word === 'order';
}

function placeIn(value: unknown): number | undefined {
  const [, number] = /^\W*(?:rank\W*)?(\d{1,4}(?:\.\d{1,4})?)\D*$/i.exec(String(value)) ?? [];
  return number === undefined ? undefined : Number(number);
}

function isName(text: string, labels: Labels): boolean {
  const entry = readEntry(tokenize(text, labels), 'brackets');
  return entry !== undefined && entry !== 'unclear' && entry.tail !== 'sentence';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces each table that has a column of places by lines such as `Rank 1: Response C`, sorted. */
function tablesAsLists(lines: readonly string[], labels: Labels): readonly string[] {
  const written: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const column = cellsOf(lines[at] ?? '').findIndex((cell) => isPlaceHeader(cell, labels));
    let end = at + 1;
    if (column >= 0) while (isRow(lines[end])) end += 1;
    const table = lines.slice(at, end);
    written.push(...(rowsAsList(table.slice(1), column, labels) ?? table));
    at = end - 1;
  }
  return written;
}

/** Blank lines may stand between rows. */
function isRow(line: string | undefined): boolean {
  return line !== undefined && (line.trim() === '' || cellsOf(line).length > 1);
}

function cellsOf(line: string): readonly string[] {
  return line.includes('|')
    ? line
        .trim()
        .replace(/^\|+|\|+$/g, '')
        .split(/\|+/)
    : [];
}

function isPlaceHeader(cell: string, labels: Labels): boolean {
  const tokens = tokenize(cell, labels);
  const isNamed = tokens.some(
    (token) => isPlaceWord(token) || (token.kind === 'word' && isRankingNoun(token.text)),
  );
  return isNamed && tokens.length <= 3;
}

/** @returns `undefined` with fewer than two answers, or if one has no place. */
function rowsAsList(
  rows: readonly string[],
  column: number,
  labels: Labels,
): readonly string[] | undefined {
  const placed = rows.flatMap((row) => {
    const cells = cellsOf(row);
    const name = cells.find((cell, at) => at !== column && isName(cell, labels));
    const [rank] = tokenize(cells[column] ?? '', labels).flatMap((token) => numberIn(token) ?? []);
    return name === undefined ? [] : [{ name, rank }];
  });
  if (placed.length < 2 || placed.some(({ rank }) => rank === undefined)) return undefined;
  return placed
    .toSorted(({ rank: one = 0 }, { rank: other = 0 }) => one - other)
    .map(({ name, rank }) => `Rank ${rank}: ${name}`);
}

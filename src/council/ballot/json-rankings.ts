/** Reads rankings written as JSON: `["C", "A"]`, `{"ranking": [["A", "B"], "C"]}`, `[{"rank": 1, "response": "C"}]`. */

import { readChain } from './chains.ts';
import { type Entry, readEntry, unknownEntry } from './entry.ts';
import { findHeadings } from './headings.ts';
import type { Labels } from './labels.ts';
import {
  type Direction,
  type Groups,
  orderEntries,
  type RankedEntry,
  withoutRepeats,
} from './order.ts';
import { tokenize } from './tokens.ts';
import { isLabelWord, isPlaceNoun, isRankingNoun } from './vocabulary.ts';

/** A JSON value in a text. */
export interface JsonRegion {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
}

/** Deeper nesting is no ranking. */
const maxDepth = 12;

/**
 * Finds the outermost JSON arrays and objects that begin a line or follow a colon.
 *
 * Takes linear time: one pass with a stack of open brackets, and the regions don't overlap. Strings end with their
 * line, so a stray quotation mark affects only that line.
 */
export function findJson(text: string): readonly JsonRegion[] {
  if (!/[[{]/.test(text)) return [];
  const spans: { readonly start: number; readonly end: number }[] = [];
  let open: { readonly at: number; readonly mark: string; readonly mayStart: boolean }[] = [];
  let isInString = false;
  let before = '\n';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\n') isInString = false;
    else if (isInString && character === '\\') at += 1;
    else if (character === '"') isInString = open.length > 0 && !isInString;
    else if (isInString) continue;
    else if (character === '[' || character === '{') {
      if (open.length >= maxDepth) open = [];
      open.push({ at, mark: character, mayStart: '\n:='.includes(before) });
    } else if (character === ']' || character === '}') {
      const opened = open.pop();
      if (opened?.mark !== (character === ']' ? '[' : '{')) open = [];
      else if (opened.mayStart) {
        while ((spans.at(-1)?.start ?? -1) > opened.at) spans.pop();
        spans.push({ start: opened.at, end: at + 1 });
      }
    }
    if (character === '\n' || (character.trim() !== '' && !'*_`'.includes(character))) {
      before = character;
    }
  }
  return spans.flatMap(({ start, end }) => {
    const value = parse(text.slice(start, end));
    return value === undefined ? [] : [{ start, end, value }];
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // prose in brackets
  }
}

/** Reads the last ranking under a key that announces one, e.g. `final_ranking`, at any depth. */
export function readKeyedRanking(value: unknown, labels: Labels): Groups | undefined {
  let found: Groups | undefined;
  const waiting: unknown[] = [value];
  for (let next = 0; next < waiting.length; next += 1) {
    const item = waiting[next];
    if (Array.isArray(item)) {
      for (const inner of item) waiting.push(inner);
    } else if (isRecord(item)) {
      for (const [key, inner] of Object.entries(item)) {
        waiting.push(inner);
        const direction = directionOfKey(key, labels);
        if (direction !== undefined) found = readJsonRanking(inner, labels, direction) ?? found;
      }
    }
  }
  return found;
}

function directionOfKey(key: string, labels: Labels): Direction | undefined {
  const words = key.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
  return findHeadings(tokenize(words, labels)).at(-1)?.direction;
}

/** Reads a value as a ranking; `undefined` if it isn't one. */
export function readJsonRanking(
  value: unknown,
  labels: Labels,
  direction: Direction,
): Groups | undefined {
  const entries = readEntries(value, labels);
  if (entries === undefined) {
    if (typeof value !== 'string') return undefined;
    return readChain(tokenize(value, labels), direction)?.groups;
  }
  const isRanked = entries.every(({ rank }) => rank !== undefined);
  const isUnranked = entries.every(({ rank }) => rank === undefined);
  if (!isRanked && !isUnranked) return undefined;
  const groups = withoutRepeats(orderEntries(entries, direction) ?? []);
  return groups.length === 0 ? undefined : groups;
}

function readEntries(value: unknown, labels: Labels): readonly RankedEntry[] | undefined {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return allOf(items.map((item) => readItem(item, labels)));
  }
  if (!isRecord(value)) return undefined;
  return allOf(
    Object.entries(value).map(([key, inner]) => {
      const place = placeIn(key);
      const entry = readNames(place === undefined ? key : inner, labels) ?? readNames(key, labels);
      const rank = place ?? placeIn(inner);
      // `{"A": 2}` maps an answer to its place, `{"2": "A"}` a place to its answer.
      const figure = rank === undefined ? undefined : { value: rank, isPlace: false };
      if (entry === undefined || rank === undefined) return undefined;
      const isPlaceFirst = place !== undefined && readNames(inner, labels) !== undefined;
      return isPlaceFirst ? { entry, rank } : { entry: { ...entry, figure }, rank: undefined };
    }),
  );
}

function readItem(item: unknown, labels: Labels): RankedEntry | undefined {
  if (Array.isArray(item)) {
    const inner: readonly unknown[] = item;
    const entries = allOf(inner.map((name) => readNames(name, labels)));
    if (entries === undefined) return undefined;
    const names = entries.flatMap((entry) => entry.labels);
    return { entry: { ...unknownEntry, labels: names }, rank: undefined };
  }
  if (!isRecord(item)) {
    const entry = readNames(item, labels);
    return entry === undefined ? undefined : { entry, rank: undefined };
  }
  const fields = Object.entries(item);
  const named =
    fields.find(([key]) => isLabelWord(key.toLowerCase())) ??
    fields.find(([key, inner]) => !isPlaceKey(key) && readNames(inner, labels) !== undefined);
  const entry = named === undefined ? undefined : readNames(named[1], labels);
  const rank = fields.flatMap(([key, inner]) => (isPlaceKey(key) ? (placeIn(inner) ?? []) : []))[0];
  return entry === undefined ? undefined : { entry, rank };
}

/** Reads one answer, or several tied ones, from a string, a number or an array of these. */
function readNames(value: unknown, labels: Labels): Entry | undefined {
  if (Array.isArray(value)) return readItem(value, labels)?.entry;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const entry = readEntry(tokenize(String(value), labels), 'brackets');
  return entry === undefined || entry === 'unclear' || entry.tail === 'sentence'
    ? undefined
    : entry;
}

function isPlaceKey(key: string): boolean {
  const word = key.toLowerCase();
  return isPlaceNoun(word) || isRankingNoun(word) || word === 'order';
}

function placeIn(value: unknown): number | undefined {
  const written = /^\s*#?(?:rank[\s_]*)?(\d{1,4}(?:\.\d{1,4})?)(?:st|nd|rd|th)?\s*$/i.exec(
    String(value),
  );
  return typeof value === 'object' || written === null ? undefined : Number(written[1]);
}

function allOf<Item>(items: readonly (Item | undefined)[]): readonly Item[] | undefined {
  const present = items.filter((item) => item !== undefined);
  return present.length === items.length ? present : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

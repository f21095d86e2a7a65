/** Orders a ranking's entries into groups of tied labels, best first. */

import type { Entry } from './entry.ts';

export type Groups = readonly (readonly string[])[];

/** The direction of a ranking, if the review states one. */
export interface Direction {
  /** Listed from worst to best. */
  readonly isReversed: boolean;
  /** Place 1 is the worst. */
  readonly isOneWorst: boolean;
}

export const bestFirst: Direction = { isReversed: false, isOneWorst: false };

/** An entry with its number in the list, if any. */
export interface RankedEntry {
  readonly entry: Entry;
  readonly rank?: number;
}

/**
 * Orders entries by their numbers if all have one, including countdowns; else by the figures after the names if
 * those are places; else as listed.
 *
 * @returns `undefined` if the figures contradict the order of the list, because then neither is reliable.
 */
export function orderEntries(
  entries: readonly RankedEntry[],
  direction: Direction,
): Groups | undefined {
  if (entries.every(({ rank }) => rank !== undefined)) return orderNumbered(entries, direction);
  const figures = entries.flatMap(({ entry }) => entry.figure ?? []);
  const listed = mergeTies(entries.map(({ entry }) => entry));
  const ordered = direction.isReversed ? listed.toReversed() : listed;
  if (entries.length < 2 || figures.length < entries.length) return withoutRepeats(ordered);
  const values = figures.map(({ value }) => value);
  if (figures.some(({ isPlace }) => isPlace) || arePlaces(values)) {
    const ranked = entries.map(({ entry }, index) => ({ entry, rank: values[index] ?? 0 }));
    return orderNumbered(ranked, { ...direction, isReversed: false });
  }
  const fromBest = direction.isReversed ? values.toReversed() : values;
  const isFalling = fromBest.every((value, index) => value <= (fromBest[index - 1] ?? value));
  return isFalling ? withoutRepeats(ordered) : undefined;
}

/** @param entries - All with a number. */
function orderNumbered(entries: readonly RankedEntry[], direction: Direction): Groups {
  const isCountdown = (entries[0]?.rank ?? 0) > (entries.at(-1)?.rank ?? 0);
  const sorted = entries.toSorted(({ rank: first = 0 }, { rank: second = 0 }) => first - second);
  const places = Map.groupBy(sorted, ({ rank }) => rank);
  const merged = mergeTies([...places.values()].flatMap(joined));
  const isOneWorst = direction.isOneWorst || (direction.isReversed && !isCountdown);
  return withoutRepeats(isOneWorst ? merged.toReversed() : merged);
}

/** Makes one entry of those that share a number. */
function joined([first, ...others]: readonly RankedEntry[]): readonly Entry[] {
  if (first === undefined || others.length === 0) return first ? [first.entry] : [];
  const labels = [first, ...others].flatMap(({ entry }) => entry.labels);
  return [{ ...first.entry, labels, isTied: false }];
}

/** Groups neighbours that are marked as tied with each other. */
function mergeTies(entries: readonly Entry[]): Groups {
  const groups: string[][] = [];
  let isOpen = false;
  for (const { labels, isTied, tiedWith } of entries) {
    const last = groups.at(-1);
    const isAlone = labels.length === 1 && isTied && tiedWith === undefined;
    const joins = (isAlone && isOpen) || (tiedWith !== undefined && last?.includes(tiedWith));
    if (last !== undefined && joins === true) last.push(...labels);
    else groups.push([...labels]);
    isOpen = isAlone;
  }
  return groups;
}

/** Whether values are places from 1 to at most n, ties allowed, but not all equal. */
function arePlaces(values: readonly number[]): boolean {
  const distinct = new Set(values);
  return (
    distinct.size > 1 &&
    values.every((value) => Number.isInteger(value) && value >= 1 && value <= values.length) &&
    distinct.has(1)
  );
}

/** Removes repeated labels, and groups that are then empty. */
function withoutRepeats(groups: Groups): Groups {
  const seen = new Set<string>();
  return groups.flatMap((group) => {
    const fresh = [...new Set(group)].filter((label) => !seen.has(label));
    for (const label of fresh) seen.add(label);
    return fresh.length === 0 ? [] : [fresh];
  });
}

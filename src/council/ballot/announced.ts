/** Collects the rankings that a text announces, by a heading or by a key. */

import { findHeadings, type Heading } from './headings.ts';
import { findJson, readJsonRanking, readKeyedRanking } from './json-rankings.ts';
import type { Labels } from './labels.ts';
import { type ListLine, toListLine, toRestOfLine } from './lists.ts';
import type { Direction, Groups } from './order.ts';
import { readRegion } from './regions.ts';
import type { Token } from './tokens.ts';
import { mayNameRanking } from './vocabulary.ts';

/** A ranking and the line in which it begins. */
export interface Announced {
  readonly line: number;
  readonly groups: Groups;
}

export interface Announcements {
  /** In the order of the text. */
  readonly rankings: readonly Announced[];
  /** How many headings there are, with a readable ranking or without. */
  readonly headings: number;
}

/** @returns What the lines announce. Linear: a heading's ranking is looked for up to the next heading alone. */
export function findAnnounced(texts: readonly string[], labels: Labels): Announcements {
  const json = readJson(texts, labels);
  // What comes before the first heading is the evaluation: most of a review, and nothing is read from it.
  const begin = json.rest.findIndex(mayNameRanking);
  const lines = begin < 0 ? [] : json.rest.slice(begin).map((text) => toListLine(text, labels));
  const headings = lines.flatMap((line, at) => findInLine(line, at, json.rest[begin + at] ?? ''));
  const rankings: Announced[] = [...json.rankings];
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
    if (groups !== undefined) rankings.push({ line: begin + heading.line, groups });
    // `Ranking (worst to best)`, then `FINAL RANKING:`: the second one goes the same way.
    inherited = region.every(({ isBlank }) => isBlank) ? direction : undefined;
  }
  return {
    rankings: rankings.toSorted((first, second) => first.line - second.line),
    headings: headings.length,
  };
}

interface LocatedHeading extends Heading {
  readonly line: number;
  readonly tokens: readonly Token[];
}

function findInLine(line: ListLine, at: number, text: string): readonly LocatedHeading[] {
  if (!mayNameRanking(text)) return [];
  return findHeadings(line.tokens).map((heading) => ({
    ...heading,
    line: at,
    tokens: line.tokens,
  }));
}

/** Rankings in JSON, and the lines without them, so that no word of theirs is read twice. */
function readJson(
  texts: readonly string[],
  labels: Labels,
): { readonly rankings: readonly Announced[]; readonly rest: readonly string[] } {
  const text = texts.join('\n');
  const rest: string[] = [];
  const rankings: Announced[] = [];
  let readTo = 0;
  let lookedTo = 0;
  let line = 0;
  for (const { start, end, value } of findJson(text)) {
    line += countBreaks(text.slice(lookedTo, start));
    lookedTo = start;
    const keyed = readKeyedRanking(value, labels);
    const announced = keyed === undefined ? announcedBefore(text, start, labels) : undefined;
    const groups =
      keyed ?? (announced === undefined ? undefined : readJsonRanking(value, labels, announced));
    if (groups === undefined) continue;
    rankings.push({ line, groups });
    rest.push(text.slice(readTo, start), text.slice(start, end).replace(/[^\n]+/g, ''));
    readTo = end;
  }
  rest.push(text.slice(readTo));
  return { rankings, rest: rest.join('').split('\n') };
}

/** How far back a heading is looked for. */
const maxCharsBefore = 120;

/** The direction of the heading that stands right before `start`. */
function announcedBefore(text: string, start: number, labels: Labels): Direction | undefined {
  const before = text.slice(Math.max(0, start - maxCharsBefore), start).trimEnd();
  const tokens = toListLine(before.split('\n').at(-1) ?? '', labels).tokens;
  const heading = findHeadings(tokens).at(-1);
  return heading?.contentAt === tokens.length ? heading.direction : undefined;
}

function countBreaks(text: string): number {
  return text.split('\n').length - 1;
}

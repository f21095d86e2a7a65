/** Reads a reviewer's ballot from its review. */

import type { z } from 'zod';
import type { ballotSchema } from '../domain/turn.ts';
import { readChain, readSentence } from './ballot/chains.ts';
import { directionIn, findHeadings } from './ballot/headings.ts';
import { indexLabels, type Labels } from './ballot/labels.ts';
import { layOut } from './ballot/layout.ts';
import { ownLines } from './ballot/lines.ts';
import { type ListLine, readList, toListLine, toRestOfLine } from './ballot/lists.ts';
import { readMarker } from './ballot/marker.ts';
import { isSign } from './ballot/mention.ts';
import { bestFirst, type Direction, type Groups } from './ballot/order.ts';
import { namesAll, readRegion } from './ballot/regions.ts';
import type { Token } from './ballot/tokens.ts';
import { finalWords, leadWords, mayAnnounceRanking } from './ballot/vocabulary.ts';

/** The ranking read from a review, or the reason for abstaining. */
export type Ballot = z.infer<typeof ballotSchema>;

/** Of a longer review only the end is read, because the ranking concludes it. */
const maxReviewChars = 100_000;

/**
 * Reads the ranking from one reviewer's text.
 *
 * Reads announced rankings (after `FINAL RANKING:` and the like, or under a JSON key), written as a list, a table,
 * a chain such as `C > A` or an enumeration. Of several, the last complete one counts, else the longest, and of
 * equally long ones the last. Quoted rankings don't count. An unannounced order counts only if its form can't mean
 * anything else. Unknown labels are ignored.
 *
 * Never guesses an order from mere mentions: a guessed ballot worsens the winner, a missing one doesn't.
 *
 * @param review - The whole reply; of a longer one the last 100,000 characters are read.
 * @param labels - The labels this reviewer was shown, in its own order, e.g. `['A', 'B', 'C']`.
 * @returns Groups of tied labels, best first, each label at most once and exactly as given; or an abstention
 *   with its reason. Never throws. Takes time linear in the text.
 */
export function readBallot(review: string, labels: readonly string[]): Ballot {
  const known = indexLabels(labels);
  if (known.shown.length === 0) return abstain('No answer was shown to this reviewer.');
  const text = lastPart(review);
  if (text.trim() === '') return abstain('The review is empty.');

  const lines = layOut(ownLines(text, known).join('\n'), known);
  const announced = findAnnounced(lines, known);
  const groups =
    choose(announced.rankings, known.shown) ??
    (announced.headings === 0 ? readUnannounced(lines, known) : undefined);
  if (groups === undefined) {
    return abstain(
      announced.headings > 0
        ? 'A ranking is announced, but no clear order of the answers follows.'
        : 'The review has no ranking of its own; the order is never guessed from how answers are mentioned.',
    );
  }
  return {
    status: 'ranked',
    groups: groups.map((group) => [...group]),
    partial: !namesAll(groups, known.shown),
  };
}

function lastPart(review: string): string {
  if (review.length <= maxReviewChars) return review;
  const part = review.slice(-maxReviewChars);
  // The first line may be cut, and with it the mark of a quotation.
  const lineEnd = part.indexOf('\n');
  return lineEnd < 0 ? part : part.slice(lineEnd + 1);
}

/** The last complete ranking, else the one with the most labels; the later of two with the same number. */
function choose(rankings: readonly Groups[], shown: readonly string[]): Groups | undefined {
  const whole = rankings.findLast((groups) => namesAll(groups, shown));
  if (whole !== undefined) return whole;
  return rankings.reduce<Groups | undefined>(
    (best, groups) => (groups.flat().length >= (best?.flat().length ?? 1) ? groups : best),
    undefined,
  );
}

function abstain(reason: string): Ballot {
  return { status: 'abstained', reason };
}

interface Announcements {
  /** In the order of the text. */
  readonly rankings: readonly Groups[];
  /** The number of headings, with or without a readable ranking. */
  readonly headings: number;
}

/** Finds the announced rankings. Takes linear time: a heading's ranking is searched only up to the next heading. */
function findAnnounced(texts: readonly string[], labels: Labels): Announcements {
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
function readUnannounced(texts: readonly string[], labels: Labels): Groups | undefined {
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

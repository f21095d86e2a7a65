/** Finds the headings that announce a ranking: `FINAL RANKING:`, `**Ranking**`, `My final ranking is:`. */

import { readMarker } from './marker.ts';
import { isSign, readMention, skipBracket, skipSigns } from './mention.ts';
import { bestFirst, type Direction } from './order.ts';
import type { Token } from './tokens.ts';
import {
  afterLabelWords,
  conditionWords,
  disqualifyingWords,
  finalWords,
  isHeadingWord,
  isRankingNoun,
} from './vocabulary.ts';

export interface Heading {
  /** Index of the first token after it; may be the end of the line. */
  readonly contentAt: number;
  readonly direction: Direction;
}

/** With more words it's a sentence, not a heading. */
const maxHeadingWords = 16;
/** How many unknown words a heading with a word such as `final` may have. */
const maxUnknownWords = 2;
/** The most tokens to skip in a heading's bracket. */
const maxBracketTokens = 40;

/** Finds all headings of a line, in order. Takes linear time. */
export function findHeadings(tokens: readonly Token[]): readonly Heading[] {
  const headings: Heading[] = [];
  let sentenceAt = 0;
  let quotes = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isSign(token, 'quote')) quotes += 1;
    if (isSign(token, 'stop', 'semicolon')) sentenceAt = at + 1;
    if (!isNounAt(tokens, at)) continue;
    const start = Math.max(sentenceAt, at - 2 * maxHeadingWords);
    const heading = readHeading(tokens, start, at);
    if (heading === undefined) continue;
    // Skips headings inside a quotation, unless the quotes enclose only the heading, as with a JSON key.
    const isKey = isSign(tokens[heading.contentAt - 2], 'quote');
    if (quotes % 2 === 1 && !isKey) continue;
    headings.push(heading);
    if (quotes % 2 === 1) quotes += 1;
    at = heading.contentAt - 1;
    sentenceAt = heading.contentAt;
  }
  return headings;
}

function textAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at];
  if (token?.kind === 'word') return token.text;
  return token?.kind === 'label' ? token.text.toLowerCase() : undefined;
}

/** Whether a word for a ranking, `order of preference` or `best to worst` begins here. */
function isNounAt(tokens: readonly Token[], at: number): boolean {
  const word = textAt(tokens, at);
  if (word === undefined) return false;
  if (isRankingNoun(word)) {
    // In `Rank 1: C` and `Rank: 1` it numbers an entry.
    const isVerb = word === 'rank' || word === 'ranks' || word === 'ranked';
    const following = tokens[skipSigns(tokens, at + 1, 'colon', 'hash', 'hyphen', 'dash')];
    const isNumbered =
      following?.kind === 'number' || (following?.kind === 'label' && /^\d+$/.test(following.text));
    return !(isVerb && isNumbered);
  }
  const before = textAt(tokens, at - 1) ?? '';
  if (word === 'order') {
    const after = `${textAt(tokens, at + 1) ?? ''} ${textAt(tokens, at + 2) ?? ''}`;
    return finalWords.has(before) || before === 'preference' || after === 'of preference';
  }
  return readDirection(tokens, at) !== undefined;
}

const goodWords = ['best', 'strongest', 'highest', 'top', 'first', 'better'];
const badWords = ['worst', 'weakest', 'lowest', 'bottom', 'last', 'worse'];

/** Reads `best to worst`, or the reverse, at this position. */
function readDirection(
  tokens: readonly Token[],
  at: number,
): 'best_first' | 'worst_first' | undefined {
  const from = textAt(tokens, at) ?? '';
  const isTo = textAt(tokens, at + 1) === 'to' || isSign(tokens[at + 1], 'above');
  const hyphens = isSign(tokens[at + 1], 'hyphen') && textAt(tokens, at + 2) === 'to';
  if (!isTo && !hyphens) return textAt(tokens, at + 1) === 'first' ? firstOf(from) : undefined;
  const to = textAt(tokens, hyphens ? at + 4 : at + 2) ?? '';
  if (goodWords.includes(from) && badWords.includes(to)) return 'best_first';
  return badWords.includes(from) && goodWords.includes(to) ? 'worst_first' : undefined;
}

function firstOf(word: string): 'best_first' | 'worst_first' | undefined {
  if (['best', 'strongest', 'highest'].includes(word)) return 'best_first';
  return ['worst', 'weakest', 'lowest'].includes(word) ? 'worst_first' : undefined;
}

/** The direction of a list, from all hints in these tokens. */
export function directionIn(tokens: readonly Token[]): Direction {
  let direction = bestFirst;
  for (const at of tokens.keys()) {
    if (readDirection(tokens, at) === 'worst_first') direction = { ...direction, isReversed: true };
    const token = tokens[at];
    const isOne =
      (token?.kind === 'number' && token.value === 1) ||
      (token?.kind === 'label' && token.text === '1');
    const named = skipSigns(tokens, at + 1, 'tie', 'dash', 'colon', 'hyphen');
    const words = [textAt(tokens, named), textAt(tokens, named + 1)];
    if (isOne && words.some((word) => word === 'worst' || word === 'weakest')) {
      direction = { ...direction, isOneWorst: true };
    }
  }
  return direction;
}

/** Reads the heading with its noun at `noun`; `undefined` if the words around it rule one out. */
function readHeading(tokens: readonly Token[], start: number, noun: number): Heading | undefined {
  const lead = tokens.slice(start, noun);
  const hasCondition = conditionWords.has(textAt(lead, 0) ?? '');
  if (lead.some((_, at) => rulesOutHeading(lead, at))) return undefined;
  // What stands before a colon or comma, as in `Step 3:`, isn't part of the heading.
  const from = start + 1 + lead.findLastIndex((token) => isSign(token, 'colon', 'comma'));
  let words = 0;
  let unknown = 0;
  let isFinal = false;
  /** @param isSetOff - It ends with a colon or at the end of the line, unlike `I rank them C > A > B`. */
  const ends = (contentAt: number, isSetOff: boolean): Heading | undefined => {
    if (unknown > (isSetOff && isFinal ? maxUnknownWords : 0)) return undefined;
    return { contentAt, direction: directionIn(tokens.slice(from, contentAt)) };
  };
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (at > noun) {
      if (isSign(token, 'colon', 'stop')) return ends(at + 1, true);
      if (isSign(token, 'dash', 'tie', 'hyphen') && readMention(tokens, at + 1) !== undefined)
        return ends(at + 1, true);
      if (isSign(token, 'open') && !startsEntry(tokens, at)) {
        at = skipBracket(tokens, at, maxBracketTokens) - 1;
        continue;
      }
      if (isSign(token, 'above', 'below', 'semicolon', 'cell')) return undefined;
      if (isSign(token, 'hash', 'open') || token?.kind === 'number') return ends(at, false);
      if (startsRanking(tokens, at)) return ends(at, false);
    }
    const word = textAt(tokens, at);
    if (word === undefined) continue;
    if (disqualifyingWords.has(word) && !isAddition(tokens, at)) return undefined;
    if (hasCondition && word === 'would') return undefined;
    isFinal ||= finalWords.has(word);
    if (!isHeadingWord(word) && !disqualifyingWords.has(word)) unknown += 1;
    words += 1;
    if (words > maxHeadingWords || unknown > maxUnknownWords) return undefined;
  }
  return ends(tokens.length, true);
}

/** Whether this token before the noun shows that the sentence isn't a heading: it names an answer, for example. */
function rulesOutHeading(lead: readonly Token[], at: number): boolean {
  const token = lead[at];
  if (disqualifyingWords.has(textAt(lead, at) ?? '')) return true;
  if (token?.kind === 'sign') return isSign(token, 'above', 'below');
  const mention = readMention(lead, at);
  const isArticle = token?.kind === 'label' && /^[ai]$/i.test(token.text);
  return mention?.label !== undefined && !isArticle;
}

/** Whether a bracket begins an entry, as in `(C > A)` or `(1) C`, unlike `(1 = best)`. */
function startsEntry(tokens: readonly Token[], at: number): boolean {
  const marker = readMarker(tokens, at);
  return (
    readMention(tokens, at) !== undefined ||
    (marker !== undefined && readMention(tokens, marker.next) !== undefined)
  );
}

/** Whether an answer's name, rather than an article, stands here. */
function startsRanking(tokens: readonly Token[], at: number): boolean {
  const mention = readMention(tokens, at);
  if (mention === undefined || mention.label === undefined) return false;
  const following = textAt(tokens, mention.next);
  return mention.isWorded || following === undefined || afterLabelWords.has(following);
}

/** Whether `with` or `and` precedes, as in `Ranking with reasons`: the reasons don't replace the ranking. */
function isAddition(tokens: readonly Token[], at: number): boolean {
  const before = [textAt(tokens, at - 1), textAt(tokens, at - 2)];
  return isSign(tokens[at - 1], 'tie') || before.some((word) => word === 'with' || word === 'and');
}

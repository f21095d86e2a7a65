/** Finds the headings that announce a ranking: `FINAL RANKING:`, `**Ranking**`, `My final ranking is:`. */

import { readMarker } from './marker.ts';
import { isSign, readMention, skipBracket, skipSigns } from './mention.ts';
import { bestFirst, type Direction } from './order.ts';
import type { Token } from './tokens.ts';
import {
  canFollowLabel,
  disqualifyingWords,
  finalWords,
  isHeadingWord,
  isLabelWord,
  isRankingNoun,
} from './vocabulary.ts';

export interface Heading {
  /** Index of the first token after it; may be the end of the line. */
  readonly contentAt: number;
  readonly direction: Direction;
  /** It ends with a colon or at the end of the line, unlike `I rank them C > A > B`. */
  readonly isSetOff: boolean;
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
    const lead = readLead(tokens.slice(Math.max(sentenceAt, at - 2 * maxHeadingWords), at));
    const heading = lead === undefined ? undefined : readTail(tokens, at, lead);
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

interface Lead {
  readonly isFinal: boolean;
  readonly words: number;
  readonly unknown: number;
  readonly tokens: readonly Token[];
}

/** Reads the words before the noun; `undefined` if they rule out a heading. */
function readLead(tokens: readonly Token[]): Lead | undefined {
  // Before a colon, as in `Step 3:`, anything but an answer's name may stand; the heading begins after it.
  const own = tokens.slice(tokens.findLastIndex((token) => isSign(token, 'colon')) + 1);
  const words = wordsOf(own);
  if (
    words.length > maxHeadingWords ||
    wordsOf(tokens).some((word) => disqualifyingWords.has(word))
  ) {
    return undefined;
  }
  const namesAnswer = tokens.some((token, at) => {
    const isArticle = token.kind === 'label' && /^[ai]$/i.test(token.text);
    const isNamed = token.kind === 'label' || isWordedAt(tokens, at);
    return isNamed && !isArticle && readMention(tokens, at) !== undefined;
  });
  if (namesAnswer || tokens.some((token) => isSign(token, 'above', 'below'))) return undefined;
  const unknown = words.filter((word) => !isHeadingWord(word)).length;
  const isFinal = words.slice(-2).some((word) => finalWords.has(word));
  return { isFinal, words: words.length, unknown, tokens: own };
}

function wordsOf(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap((_, at) => textAt(tokens, at) ?? []);
}

function isWordedAt(tokens: readonly Token[], at: number): boolean {
  return isLabelWord(textAt(tokens, at) ?? '') && tokens[at + 1]?.kind === 'label';
}

function readTail(tokens: readonly Token[], noun: number, lead: Lead): Heading | undefined {
  let { unknown, words, isFinal } = lead;
  const allowed = () => (isFinal ? maxUnknownWords : 0);
  const ends = (contentAt: number, isSetOff: boolean): Heading | undefined => {
    if (unknown > (isSetOff ? allowed() : 0)) return undefined;
    const said = [...lead.tokens, ...tokens.slice(noun, contentAt)];
    return { contentAt, direction: directionIn(said), isSetOff };
  };
  for (let at = noun + 1; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isSign(token, 'colon', 'stop')) return ends(at + 1, true);
    if (isSign(token, 'dash', 'tie', 'hyphen') && readMention(tokens, at + 1) !== undefined)
      return ends(at + 1, true);
    if (isSign(token, 'open') && !startsEntry(tokens, at)) {
      at = skipBracket(tokens, at, maxBracketTokens) - 1;
      words += 1;
      continue;
    }
    if (isSign(token, 'above', 'below', 'semicolon', 'cell')) return undefined;
    if (isSign(token, 'hash', 'open') || token?.kind === 'number') return ends(at, false);
    if (startsRanking(tokens, at)) return ends(at, false);
    const word = textAt(tokens, at);
    if (word === undefined) continue;
    if (finalWords.has(word)) isFinal = true;
    if (disqualifyingWords.has(word) && !isAddition(tokens, at)) return undefined;
    if (!isHeadingWord(word) && !disqualifyingWords.has(word)) unknown += 1;
    words += 1;
    if (words > maxHeadingWords || unknown > maxUnknownWords) return undefined;
  }
  return ends(tokens.length, true);
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
  return mention.isWorded || following === undefined || canFollowLabel(following);
}

/** Whether `with` or `and` precedes, as in `Ranking with reasons`: the reasons don't replace the ranking. */
function isAddition(tokens: readonly Token[], at: number): boolean {
  const before = [textAt(tokens, at - 1), textAt(tokens, at - 2)];
  return isSign(tokens[at - 1], 'tie') || before.some((word) => word === 'with' || word === 'and');
}

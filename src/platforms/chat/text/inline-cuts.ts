/** Finds places to cut inside a line that doesn't fit into a piece. */

import { Lexer, type Token } from 'marked';
import { type CutRank, cutRank } from './markdown-lines.ts';

/** A piece ends before `end`, the next one begins at `next`; between them is white space. */
export interface InlineCut {
  readonly end: number;
  readonly next: number;
  readonly rank: CutRank;
}

/** The part of a line that may be cut. Indices are into the whole text. */
export interface CutRange {
  readonly text: string;
  /** Cuts are after this index. */
  readonly from: number;
  /** Cuts are at or before this index, which is greater than `from`. */
  readonly to: number;
  /** End of the line's text; greater than `to`. */
  readonly lineEnd: number;
  /** Capacity of a piece in UTF-16 units. */
  readonly longest: number;
  /** `code` keeps its spaces; `mark`, an opening fence, is cut only between characters. */
  readonly kind: 'prose' | 'code' | 'mark';
}

const locale = 'en'; // fixed, so that cuts don't depend on the machine
const sentences = new Intl.Segmenter(locale, { granularity: 'sentence' });
const words = new Intl.Segmenter(locale, { granularity: 'word' });
const graphemes = new Intl.Segmenter(locale, { granularity: 'grapheme' });

/** White space that allows a break; excludes no-break spaces. */
const breakingSpaces = /^[ \t\r\f\v\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]+$/;
/** Block marks at the start of a line. */
const leadingMarks = /^(?:[ \t]*(?:>|(?:#{1,6}|[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*/;
/** Text that would be a heading, list, quote or fence at the start of a message. */
const blockMark = /^(?:#{1,6}[ \t]|-#[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|>|`{3}|~{3})/;
/** Discord's spoilers, which are not part of Markdown. */
const spoiler = /\|\|[^|]+\|\|/g;
/** How much text behind the range the segmenters see. */
const lookAhead = 64;
/** How far around the end of the range inline elements are parsed, which may take quadratic time. */
const farthest = 1000;

/** All cuts in the range, in order; the last one, between two characters, is always there. */
export function inlineCuts(range: CutRange): readonly InlineCut[] {
  const { text, from, to, lineEnd, kind } = range;
  const isProse = kind === 'prose';
  let shownEnd = Math.min(lineEnd - 1, to + lookAhead);
  const isSpace = (index: number) => breakingSpaces.test(text.charAt(index));
  while (isProse && shownEnd < lineEnd - 1 && isSpace(shownEnd)) shownEnd += 1;
  const shown = text.slice(from, shownEnd + 1);
  const forced = characterCut(range, shown);
  if (kind === 'mark') return [forced];

  const isProtected = isProse ? protection(range) : () => false;
  const begins = isProse ? sentences.segment(shown) : [];
  const sentenceStarts = new Set(Array.from(begins, ({ index }) => index));
  const [{ length: marksEnd } = ''] = leadingMarks.exec(shown) ?? [];
  const cuts: InlineCut[] = [];
  let whiteStart: number | undefined;
  for (const { segment, index } of words.segment(shown)) {
    if (breakingSpaces.test(segment)) {
      whiteStart ??= index;
      continue;
    }
    const followsSpace = whiteStart !== undefined;
    const textEnd = whiteStart ?? index;
    whiteStart = undefined;
    const next = from + index;
    const end = isProse ? from + textEnd : next;
    if (end > to) break;
    if (textEnd <= marksEnd) continue;
    const beginsBlock = isProse && blockMark.test(text.slice(next, next + 12));
    const isClean = !isProtected(end) && !isProtected(next) && !beginsBlock;
    if (isClean && sentenceStarts.has(index)) cuts.push({ end, next, rank: cutRank.sentence });
    else if (followsSpace) cuts.push({ end, next, rank: isClean ? cutRank.space : cutRank.parted });
  }
  return [...cuts, forced];
}

/** The last place between two graphemes, or if there is none, between two code points. */
function characterCut({ text, from, to }: CutRange, shown: string): InlineCut {
  const rank = cutRank.character;
  let end = from + (graphemes.segment(shown).containing(to - from)?.index ?? to - from);
  // Cuts before a run of fence characters, not inside it, or the next piece would begin with a fence.
  let beforeMarks = end;
  while (beforeMarks > from && /[`~]/.test(text.charAt(beforeMarks))) beforeMarks -= 1;
  if (beforeMarks > from) end = beforeMarks;
  if (end > from) return { end, next: end, rank };
  const isInPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(to - 1, to + 1));
  end = isInPair && to - 1 > from ? to - 1 : to;
  return { end, next: end, rank };
}

/** Returns whether a cut at an index would split a link, code, an address, emphasis or a spoiler that fits into a piece. */
function protection(range: CutRange): (index: number) => boolean {
  const { text, from, to, lineEnd, longest } = range;
  const reach = Math.min(longest, farthest);
  const start = Math.max(from, to - reach);
  const read = text.slice(start, Math.min(lineEnd, to + reach));
  const inside = new Uint8Array(read.length + 1);
  const protect = (tokens: readonly Token[], first: number): void => {
    let at = first;
    for (const token of tokens) {
      const end = at + token.raw.length;
      const parts = 'tokens' in token ? (token.tokens ?? []) : [];
      if (token.type !== 'text' && token.raw.length <= longest) inside.fill(1, at + 1, end);
      else protect(parts, at + token.raw.indexOf(parts[0]?.raw ?? ''));
      at = end;
    }
  };
  protect(Lexer.lexInline(read), 0);
  for (const { 0: hidden, index } of read.matchAll(spoiler)) {
    if (hidden.length <= longest) inside.fill(1, index + 1, index + hidden.length);
  }
  return (index) => inside[index - start] === 1;
}

/** Places to cut inside one line, for a line that does not fit into a piece as a whole. */

import { Lexer, type Token } from 'marked';
import { type CutRank, cutRank } from './markdown-lines.ts';

/** A piece ends before `end`, the next one begins at `next`; what lies between is white space. */
export interface InlineCut {
  readonly end: number;
  readonly next: number;
  readonly rank: CutRank;
}

/** Where the line may be cut. Indices are into the whole text. */
export interface CutRange {
  readonly text: string;
  /** A cut comes after this index. */
  readonly from: number;
  /** A cut comes at this index at the latest; at least one more than `from`. */
  readonly to: number;
  /** Where the line's text ends; above `to`. */
  readonly lineEnd: number;
  /** What fits into a piece, in UTF-16 units. */
  readonly longest: number;
  /** Code keeps its spaces; the marks of a fence are cut only where there is no other place. */
  readonly kind: 'prose' | 'code' | 'mark';
}

const locale = 'en'; // the same text is cut alike on every machine
const sentences = new Intl.Segmenter(locale, { granularity: 'sentence' });
const words = new Intl.Segmenter(locale, { granularity: 'word' });
const graphemes = new Intl.Segmenter(locale, { granularity: 'grapheme' });

/** White space at which a line may be broken; a no-break space is none. */
const breakingSpaces = /^[ \t\r\f\v\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]+$/;
/** What a line begins with that says what it is. */
const leadingMarks = /^(?:[ \t]*(?:>|(?:#{1,6}|[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*/;
/** What would be read as a heading, a list, a quote or a fence if a message began with it. */
const blockMark = /^(?:#{1,6}[ \t]|-#[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|>|`{3}|~{3})/;
/** Discord's own, which Markdown doesn't know. */
const spoiler = /\|\|[^|]+\|\|/g;
/** Segmenters are shown this much beyond the range, to see what follows its end. */
const lookAhead = 64;
/** So far around the end of the range is looked for what belongs together: reading it may take the square of that. */
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
  for (const { segment, index, isWordLike = false } of words.segment(shown)) {
    if (breakingSpaces.test(segment)) {
      whiteStart ??= index;
      continue;
    }
    const isApart = whiteStart !== undefined;
    const textEnd = whiteStart ?? index;
    whiteStart = undefined;
    const next = from + index;
    const end = isProse ? from + textEnd : next;
    if (end > to) break;
    if (textEnd <= marksEnd) continue;
    const isWhole = !isProtected(end) && !isProtected(next);
    const isClean = isWhole && !(isProse && blockMark.test(text.slice(next, next + 12)));
    if (isClean && sentenceStarts.has(index)) cuts.push({ end, next, rank: cutRank.sentence });
    else if (isApart) cuts.push({ end, next, rank: isClean ? cutRank.space : cutRank.parted });
    else if (isProse && isWordLike && isWhole) cuts.push({ end, next, rank: cutRank.joint });
  }
  return [...cuts, forced];
}

/** The last place between two characters as a reader counts them; failing that, between two code points. */
function characterCut({ text, from, to }: CutRange, shown: string): InlineCut {
  const rank = cutRank.character;
  let end = from + (graphemes.segment(shown).containing(to - from)?.index ?? to - from);
  // The marks of a fence stay behind, or the next piece would begin with one.
  let beforeMarks = end;
  while (beforeMarks > from && /[`~]/.test(text.charAt(beforeMarks))) beforeMarks -= 1;
  if (beforeMarks > from) end = beforeMarks;
  if (end > from) return { end, next: end, rank };
  const isInPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(to - 1, to + 1));
  end = isInPair && to - 1 > from ? to - 1 : to;
  return { end, next: end, rank };
}

/** Whether a cut at an index would part a link, code, an address, emphasis or a spoiler that fits into a piece. */
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

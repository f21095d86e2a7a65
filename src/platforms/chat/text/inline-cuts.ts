/** Finds places to cut inside a line that doesn't fit into a piece. */

import { Lexer, type Token } from 'marked';
import { type CutRank, cutRank, type MarkdownLine } from './markdown-lines.ts';

/** A piece ends before `end`, the next one begins at `next`; between them is white space. */
export interface InlineCut {
  readonly end: number;
  readonly next: number;
  readonly rank: CutRank;
}

/** The part of a line that may be cut. Indices are into the whole text. */
interface CutRange {
  readonly text: string;
  readonly line: MarkdownLine;
  /** Cuts are after this index. */
  readonly from: number;
  /** Cuts are at or before this index, which is greater than `from`. */
  readonly to: number;
  /** The longest piece wanted, in UTF-16 units. */
  readonly limit: number;
}

const locale = 'en'; // fixed, so that cuts don't depend on the machine
const sentences = new Intl.Segmenter(locale, { granularity: 'sentence' });
const graphemes = new Intl.Segmenter(locale, { granularity: 'grapheme' });

/** White space that allows a break; excludes no-break spaces. */
const breakingSpaces = /[ \t\r\f\v\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]+/g;
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
  const { text, line, from, to } = range;
  const isProse = line.fence === undefined;
  const last = (isProse ? line.textEnd : line.end) - 1;
  let shownEnd = Math.min(last, to + lookAhead);
  const isSpace = (index: number) => text.charAt(index).search(breakingSpaces) === 0;
  while (isProse && shownEnd < last && isSpace(shownEnd)) shownEnd += 1;
  const shown = text.slice(from, shownEnd + 1);
  const forced = characterCut(range, shown);
  // The line of an opening fence can't be cut at spaces: its rest would become code.
  if (line.kind === 'fence_open') return [forced];

  const isProtected = isProse ? protection(range) : () => false;
  const begins = isProse ? sentences.segment(shown) : [];
  const sentenceStarts = new Set(Array.from(begins, ({ index }) => index));
  const [{ length: marksEnd } = ''] = leadingMarks.exec(shown) ?? [];
  /** Where white space begins, by where it ends. */
  const gaps = new Map(Array.from(sentenceStarts, (start) => [start, start]));
  for (const {
    0: { length },
    index,
  } of shown.matchAll(breakingSpaces))
    gaps.set(index + length, index);
  const cuts: InlineCut[] = [];
  for (const [start, gap] of [...gaps].sort(([one], [other]) => one - other)) {
    const next = from + start;
    // Code keeps its spaces.
    const end = isProse ? from + gap : next;
    if (end > to || start === shown.length) break;
    if (gap <= marksEnd) continue;
    const beginsBlock = isProse && blockMark.test(text.slice(next, next + 12));
    const isClean = !isProtected(end) && !isProtected(next) && !beginsBlock;
    if (isClean && sentenceStarts.has(start)) cuts.push({ end, next, rank: cutRank.sentence });
    else if (gap < start) cuts.push({ end, next, rank: isClean ? cutRank.space : cutRank.parted });
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
  const { text, line, from, to, limit } = range;
  const longest = limit - line.quote.length;
  const reach = Math.min(longest, farthest);
  const start = Math.max(from, to - reach);
  const read = text.slice(start, Math.min(line.textEnd, to + reach));
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

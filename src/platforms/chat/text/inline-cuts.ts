/** Places to cut inside one line, for a line that does not fit into a piece as a whole. */

import { closersOf } from './outside-code.ts';

/** A piece ends before `end`, the next one begins at `next`; what lies between is white space. */
export interface InlineCut {
  readonly end: number;
  readonly next: number;
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
  /** Whether a cut would part what belongs together, e.g. a link. */
  readonly isProtected: (index: number) => boolean;
}

const locale = 'en'; // the same text is cut alike on every machine
const sentences = new Intl.Segmenter(locale, { granularity: 'sentence' });
const words = new Intl.Segmenter(locale, { granularity: 'word' });
const graphemes = new Intl.Segmenter(locale, { granularity: 'grapheme' });

/** White space at which a line may be broken; a no-break space is none. */
const breakingSpace = /[ \t\r\f\v\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]/;
/** What belongs to the character before it, even if that is a space. */
const joinsBackward = /^[\p{M}\u200d]/u;
/** What would be read as a heading, a list, a quote or a fence if a message began with it. */
const blockMark = /^(?:#{1,6}[ \t]|-#[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|>|`{3}|~{3})/;
/** Segmenters are shown this much beyond the range, to see what follows its end. */
const lookAhead = 64;

/** The last end of a sentence at or after `least`. */
export function sentenceCut(range: CutRange, least: number): InlineCut | undefined {
  const { text, from, to, lineEnd } = range;
  let found: InlineCut | undefined;
  const shown = text.slice(from, Math.min(lineEnd, to + lookAhead));
  for (const { index } of sentences.segment(shown)) {
    const next = from + index;
    let end = next;
    while (end > from && breakingSpace.test(text.charAt(end - 1))) end -= 1;
    if (end > to) break;
    if (end > from && end >= least && isClean(range, { end, next })) found = { end, next };
  }
  return found;
}

/**
 * The last space between words at or after `least`.
 *
 * @param keepsSpace - Leaves the space at the end of the piece, as code needs it.
 */
export function spaceCut(
  range: CutRange,
  least: number,
  options: { readonly mayPartSpans?: boolean; readonly keepsSpace?: boolean } = {},
): InlineCut | undefined {
  const { text, from, to, lineEnd } = range;
  for (let end = to; end > from && end >= least; end -= 1) {
    if (!breakingSpace.test(text.charAt(end)) || breakingSpace.test(text.charAt(end - 1))) continue;
    let next = end;
    while (next < lineEnd && breakingSpace.test(text.charAt(next))) next += 1;
    if (next >= lineEnd) continue;
    if (options.keepsSpace) {
      if (next <= to) return { end: next, next };
    } else if (options.mayPartSpans || isClean(range, { end, next })) {
      if (!joinsBackward.test(text.slice(next, next + 2))) return { end, next };
    }
  }
  return undefined;
}

/** The last place between two words of a script without spaces, or before other characters, at or after `least`. */
export function wordCut(range: CutRange, least: number): InlineCut | undefined {
  const { text, from, to, lineEnd } = range;
  let found: InlineCut | undefined;
  const shown = text.slice(from, Math.min(lineEnd, to + lookAhead));
  for (const { index, isWordLike } of words.segment(shown)) {
    const end = from + index;
    if (end > to) break;
    if (isWordLike && end > from && end >= least && !range.isProtected(end)) {
      found = { end, next: end };
    }
  }
  return found;
}

/** The last place between two characters as a reader counts them; failing that, between two code points. */
export function characterCut(range: CutRange): InlineCut {
  const { text, from, to, lineEnd } = range;
  let end = characterStart(text.slice(from, Math.min(lineEnd, to + lookAhead)), to - from) + from;
  // The marks of a fence stay behind, or the next piece would begin with one.
  let beforeMarks = end;
  while (beforeMarks > from && /[`~]/.test(text.charAt(beforeMarks))) beforeMarks -= 1;
  if (beforeMarks > from) end = beforeMarks;
  if (end > from) return { end, next: end };
  const isInPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(to - 1, to + 1));
  end = isInPair && to - 1 > from ? to - 1 : to;
  return { end, next: end };
}

/** Where the character begins that covers this index. */
function characterStart(text: string, index: number): number {
  return graphemes.segment(text).containing(index)?.index ?? index;
}

function isClean(range: CutRange, { end, next }: InlineCut): boolean {
  const { text, isProtected } = range;
  return !isProtected(end) && !isProtected(next) && !blockMark.test(text.slice(next, next + 12));
}

/** Finds what should not be cut inside one line of Markdown: code, links, addresses, emphasis. */
const token = /\\[^\s]|`+|!?\[|\]|\(|\)|https?:\/\/[^\s<>()[\]]+|<[^\s<>]{1,200}>|\*+|_+|~~|\|\|/g;
const wordCharacter = /[\p{L}\p{N}]/u;

/** Start (of the first character) and end (after the last one). */
type Span = readonly [start: number, end: number];

/**
 * @param line - One line, or the rest of one.
 * @param longest - Spans that are longer, in UTF-16 units, are left out: they must be cut anyway.
 * @returns For each index from 0 to the length of the line, 1 if a cut there would fall inside a
 *   span. Takes time in proportion to the line's length.
 */
export function protectedCuts(line: string, longest: number): Uint8Array {
  const changes = new Int32Array(line.length + 2);
  for (const [start, end] of spansOf(line)) {
    if (end - start > longest || end - start < 2) continue;
    changes[start + 1] = (changes[start + 1] ?? 0) + 1;
    changes[end] = (changes[end] ?? 0) - 1;
  }
  let depth = 0;
  const inside = new Uint8Array(line.length + 1);
  for (let index = 0; index <= line.length; index += 1) {
    depth += changes[index] ?? 0;
    inside[index] = depth > 0 ? 1 : 0;
  }
  return inside;
}

function spansOf(line: string): readonly Span[] {
  const found: Span[] = [];
  const tokens = [...line.matchAll(token)].map((match) => ({ text: match[0], at: match.index }));
  const runs = tokens.filter(({ text }) => text.startsWith('`'));
  // A code span ends at the next run of as many backticks as it begins with.
  const closers = closersOf(runs, ({ text }) => text.length);
  const brackets: number[] = [];
  const parentheses: number[] = [];
  /** Where the label that ends just before this index begins. */
  const labels = new Map<number, number>();
  const emphasis = new Map<string, number>();
  let skippedTo = 0;
  for (const mark of tokens) {
    const { text, at } = mark;
    if (at < skippedTo) continue;
    const end = at + text.length;
    const closer = closers.get(mark);
    if (closer) {
      skippedTo = closer.at + closer.text.length;
      found.push([at, skippedTo]);
    } else if (text.endsWith('[') && !text.startsWith('\\')) brackets.push(at);
    else if (text === ']') {
      const label = brackets.pop();
      if (label !== undefined) labels.set(end, label);
    } else if (text === '(') parentheses.push(at);
    else if (text === ')') {
      const destination = parentheses.pop();
      const label = destination === undefined ? undefined : labels.get(destination);
      if (label !== undefined) found.push([label, end]);
    } else if (text.startsWith('<') || text.startsWith('http')) found.push([at, end]);
    else if (/^[*_~|]/.test(text)) {
      const span = emphasisEndedBy(text, at, line, emphasis);
      if (span) found.push(span);
    }
  }
  return found;
}

/** Notes where emphasis begins; gives the span when the mark ends one that has begun. */
function emphasisEndedBy(
  mark: string,
  at: number,
  line: string,
  begun: Map<string, number>,
): Span | undefined {
  const end = at + mark.length;
  const before = line.charAt(at - 1);
  const after = line.charAt(end);
  const isInWord = mark.startsWith('_') && wordCharacter.test(before) && wordCharacter.test(after);
  const start = begun.get(mark);
  if (start !== undefined && /\S/.test(before) && !isInWord) {
    begun.delete(mark);
    return [start, end];
  }
  if (/\S/.test(after) && !isInWord) begun.set(mark, at);
  return undefined;
}

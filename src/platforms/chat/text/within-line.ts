/** The cuts inside the first line that does not fit into a piece. */

import { reopened } from './code-fence.ts';
import {
  type CutRange,
  characterCut,
  type InlineCut,
  protectedCuts,
  sentenceCut,
  spaceCut,
  wordCut,
} from './inline-cuts.ts';
import { type Cut, closingOf, type PieceStart, type SplitMarkdown } from './line-cuts.ts';
import type { MarkdownLine } from './markdown-lines.ts';

export class OverflowingLine {
  readonly #start: PieceStart;
  readonly #index: number;
  readonly #line: MarkdownLine;
  readonly #range: CutRange;

  constructor(markdown: SplitMarkdown, start: PieceStart) {
    const { index, line } = firstOverflowing(markdown, start);
    const { text, limit } = markdown;
    const fence = line.fenceWithin;
    const added = start.opening.length + closingOf(start, fence).length;
    this.#start = start;
    this.#index = index;
    this.#line = line;
    this.#range = {
      text,
      from: Math.max(start.at, line.contentStart),
      to: start.at + limit - added,
      lineEnd: fence ? line.end : line.textEnd,
      isProtected: fence ? () => false : protection(markdown, line),
    };
  }

  get #isCode(): boolean {
    return this.#line.fenceWithin !== undefined;
  }

  /** Between sentences, else between words, at or after `least`. */
  good(least: number): Cut | undefined {
    const range = this.#range;
    // What follows the marks of a fence would become code if it were cut.
    if (range.to <= range.from || this.#line.kind === 'fence_open') return undefined;
    const sentence = this.#isCode ? undefined : sentenceCut(range, least);
    const cut = sentence ?? spaceCut(range, least, { keepsSpace: this.#isCode });
    return cut && this.#cut(cut);
  }

  /** Where it does least harm. There is always such a cut. */
  forced(least: number): Cut {
    const { from, to } = this.#range;
    const range = to > from ? this.#range : { ...this.#range, from: this.#start.at };
    const parted = this.#isCode
      ? undefined
      : (spaceCut(range, least, { mayPartSpans: true }) ?? wordCut(range, least));
    return this.#cut(parted ?? characterCut(range));
  }

  #cut({ end, next }: InlineCut): Cut {
    const fence = this.#line.fenceWithin;
    const opening = fence ? reopened(fence) + fence.quote : this.#line.quote;
    return {
      end,
      closing: closingOf(this.#start, fence),
      next: { at: next, line: this.#index, opening, fence },
    };
  }
}

function firstOverflowing(
  { lines, limit }: SplitMarkdown,
  start: PieceStart,
): { readonly index: number; readonly line: MarkdownLine } {
  for (let index = start.line; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined || line.kind === 'blank' || line.kind === 'fence_close') continue;
    const end = line.fenceWithin ? line.end : line.textEnd;
    const added = start.opening.length + closingOf(start, line.fenceWithin).length;
    if (end - start.at + added > limit) return { index, line };
  }
  throw new TypeError('Every line fits into the piece, so the piece can end after the last one.');
}

/** A long line is read once, not once for each of its pieces. */
const readLines = new WeakMap<MarkdownLine, Uint8Array>();

function protection({ text, limit }: SplitMarkdown, line: MarkdownLine): CutRange['isProtected'] {
  const inside =
    readLines.get(line) ??
    protectedCuts(text.slice(line.start, line.end), limit - line.quote.length);
  readLines.set(line, inside);
  return (index) => inside[index - line.start] === 1;
}

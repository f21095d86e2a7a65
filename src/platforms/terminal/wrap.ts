/** Breaks a styled line into lines that fit a width. */

import { graphemes, graphemeWidth, widthOf } from '../chat/text/text-width.ts';

/** Text of one look. */
export interface Span {
  readonly text: string;
  readonly paint: (text: string) => string;
}

export interface WrapOptions {
  /** Columns; `Infinity` never breaks. */
  readonly width: number;
  /** What the first line begins with, e.g. a bullet. */
  readonly first: string;
  /** What every further line begins with, as wide as `first`. */
  readonly next: string;
}

/** What is never broken, unless it is wider than a whole line. */
interface Unit {
  readonly spans: Span[];
  width: number;
  readonly hasSpaceBefore: boolean;
}

/** Never begins a line in scripts that are written without spaces. */
const closingMark = /^[、。，．！？：；）」』】〉》…]$/u;

interface Piece {
  readonly text: string;
  readonly width: number;
  /** A wide character: the line may be broken before and after it. */
  readonly isWide: boolean;
}

/** A text in a script without spaces may be broken between any two of its (wide) characters. */
function pieces(word: string): readonly Piece[] {
  const found: Piece[] = [];
  let text = '';
  let width = 0;
  const endNarrow = () => {
    if (text !== '') found.push({ text, width, isWide: false });
    text = '';
    width = 0;
  };
  for (const grapheme of graphemes(word)) {
    const columns = graphemeWidth(grapheme);
    if (columns === 2) {
      endNarrow();
      found.push({ text: grapheme, width: 2, isWide: true });
    } else {
      text += grapheme;
      width += columns;
    }
  }
  endNarrow();
  return found;
}

function unitsOf(spans: readonly Span[]): readonly Unit[] {
  const units: Unit[] = [];
  let hasSpaceBefore = false;
  let mayJoin = false;
  for (const { text, paint } of spans) {
    for (const token of text.match(/ +|[^ ]+/g) ?? []) {
      if (token.startsWith(' ')) {
        hasSpaceBefore = true;
        mayJoin = false;
        continue;
      }
      for (const piece of pieces(token)) {
        const span = { text: piece.text, paint };
        const last = units.at(-1);
        const joins = closingMark.test(piece.text) || (mayJoin && !piece.isWide);
        if (last && !hasSpaceBefore && joins) {
          last.spans.push(span);
          last.width += piece.width;
        } else {
          units.push({ spans: [span], width: piece.width, hasSpaceBefore });
        }
        hasSpaceBefore = false;
        mayJoin = !piece.isWide;
      }
    }
  }
  return units;
}

/**
 * Wraps at spaces, and between wide characters; a word that is wider than a line is cut.
 *
 * @returns At least one line, each without a space at its end. As the text grows, every line but the
 *   last stays as it is, if the text always ends between two words.
 */
export function wrap(spans: readonly Span[], options: WrapOptions): readonly string[] {
  const lines: string[] = [];
  const indent = widthOf(options.first);
  const room = Math.max(1, options.width - indent);
  let line = options.first;
  let column = 0;
  const breakLine = () => {
    lines.push(line);
    line = options.next;
    column = 0;
  };
  for (const unit of unitsOf(spans)) {
    const gap = unit.hasSpaceBefore && column > 0 ? 1 : 0;
    if (column > 0 && column + gap + unit.width > room) breakLine();
    else if (gap === 1) {
      line += ' ';
      column += 1;
    }
    if (unit.width <= room) {
      line += unit.spans.map(({ text, paint }) => paint(text)).join('');
      column += unit.width;
      continue;
    }
    for (const { text, paint } of unit.spans) {
      for (const grapheme of graphemes(text)) {
        const width = graphemeWidth(grapheme);
        if (column > 0 && column + width > room) breakLine();
        line += paint(grapheme);
        column += width;
      }
    }
  }
  return [...lines, line];
}

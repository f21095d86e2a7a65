/**
 * Shows Markdown decently in a terminal: headings, lists, quotes, code and bold. It is read line by
 * line and word by word, so that a text can be shown while it grows.
 */

import { graphemes, graphemeWidth, widthOf } from '../chat/text/text-width.ts';
import { type Page, type Palette, paletteFor } from './page.ts';
import { plainText } from './plain-text.ts';
import { type Span, wrap } from './wrap.ts';

export interface ProseLayout {
  readonly palette: Palette;
  /** Columns; `Infinity` leaves the lines as long as they are. */
  readonly width: number;
}

/** What begins later than this keeps its lines: a long text would take ever longer each time that it grows. */
const mostChars = 30_000;

const fence = /^\s*(?:```|~~~)/;
const heading = /^#{1,6}\s+(.*)$/;
const rule = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const listItem = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/;
const quote = /^\s*>\s?(.*)$/;
/** Whatever a line holds, none of it is lost. */
const indented = /^(\s*)(.*)$/s;

const unpainted = (text: string) => text;

/** Bold and code begin and end at their marks; a mark that is never closed holds to the end of the line. */
function inlineSpans(text: string, palette: Palette): readonly Span[] {
  if (!palette.isColoured) return [{ text, paint: unpainted }];
  const spans: Span[] = [];
  let isStrong = false;
  let isCode = false;
  for (const { 0: piece, index } of text.matchAll(/`|\*\*|[^`*]+|\*/g)) {
    const mayOpen = /\S/.test(text.charAt(index + piece.length));
    if (piece === '`') isCode = !isCode;
    else if (piece === '**' && !isCode && (isStrong || mayOpen)) isStrong = !isStrong;
    else {
      const paint = isCode ? palette.code : isStrong ? palette.strong : unpainted;
      spans.push({ text: piece, paint });
    }
  }
  return spans;
}

function markdownLine(line: string, { palette, width }: ProseLayout): readonly string[] {
  if (palette.isColoured) {
    const title = heading.exec(line)?.[1];
    if (title !== undefined) {
      const text = title.replaceAll('**', '');
      return wrap([{ text, paint: palette.strong }], { width, first: '', next: '' });
    }
    if (rule.test(line)) return [palette.quiet('───')];
    const quoted = quote.exec(line)?.[1];
    if (quoted !== undefined) {
      const bar = palette.quiet('│ ');
      return wrap(inlineSpans(quoted, palette), { width, first: bar, next: bar });
    }
  }
  const [, space = '', mark, item = ''] = listItem.exec(line) ?? [];
  if (mark !== undefined) {
    const bullet = palette.isColoured && /^[-*+]$/.test(mark) ? '•' : mark;
    const first = `${space}${bullet} `;
    return wrap(inlineSpans(item, palette), { width, first, next: ' '.repeat(first.length) });
  }
  const [, indent = '', rest = ''] = indented.exec(line) ?? [];
  return wrap(inlineSpans(rest, palette), { width, first: indent, next: indent });
}

/**
 * Lays out a text that {@link plainText} has made safe. Without colours the Markdown stays as it was
 * written, and without a width so do the lines.
 *
 * As the text grows, every line but the last stays as it is, if each time it ends as
 * {@link wholeWords} leaves it.
 */
export function proseLines(text: string, layout: ProseLayout): readonly string[] {
  const lines = text.replaceAll('\t', '  ').split('\n');
  if (layout.width === Infinity && !layout.palette.isColoured) return lines;
  const { palette, width } = layout;
  const shown: string[] = [];
  let isInFence = false;
  let begunAt = 0;
  for (const line of lines) {
    const isLate = begunAt > mostChars;
    begunAt += line.length + 1;
    if (isLate) {
      shown.push(line);
    } else if (fence.test(line)) {
      isInFence = !isInFence;
      if (!palette.isColoured) shown.push(line);
    } else if (isInFence) {
      const margin = palette.isColoured ? '  ' : '';
      shown.push(
        ...cutLine(line, width - margin.length).map((part) => margin + palette.code(part)),
      );
    } else {
      shown.push(...markdownLine(line.trimEnd(), layout));
    }
  }
  return shown;
}

/** Lays out a notice in one colour, its Markdown as it was written. */
export function paintedProse(
  text: string,
  paint: (line: string) => string,
  width: number,
): readonly string[] {
  return proseLines(text, { palette: paletteFor(false), width }).map((line) => paint(line));
}

/** Code keeps its spaces, so it is cut at the width and nowhere else. */
function cutLine(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width) return [line];
  const parts: string[] = [];
  let part = '';
  let column = 0;
  for (const grapheme of graphemes(line)) {
    const columns = graphemeWidth(grapheme);
    if (column > 0 && column + columns > width) {
      parts.push(part);
      part = '';
      column = 0;
    }
    part += grapheme;
    column += columns;
  }
  return [...parts, part];
}

/** The beginning of a growing text up to where it can be broken: what follows is not yet a whole word. */
export function wholeWords(text: string): string {
  const end = text.search(/(?:[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{M})*$/u);
  return text.slice(0, end);
}

/** What a person has said, as it is repeated above the answers: its words as they were typed. */
export function questionLines(
  question: string,
  { palette, width, isLive }: Page,
): readonly string[] {
  const mark = isLive ? '› ' : '> ';
  const lines = proseLines(plainText(question), {
    palette: paletteFor(false),
    width: width - mark.length,
  });
  return [
    '',
    ...lines.map((line, row) => {
      const margin = row === 0 || !isLive ? mark : ' '.repeat(mark.length);
      return palette.strong(margin + line).trimEnd();
    }),
  ];
}

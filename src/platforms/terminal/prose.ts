/**
 * Shows Markdown decently in a terminal: headings, lists, tables, quotes, code, links, bold and emphasis. It is read line by
 * line and word by word, so that a text can be shown while it grows.
 */

import { alignedRows, widthOf } from '../chat/text/text-width.ts';
import { type Page, type Palette, paletteFor } from './page.ts';
import { plainText, type Span, unpainted, wrap } from './terminal-text.ts';

export interface ProseLayout {
  readonly palette: Palette;
  /** Columns; `Infinity` leaves the lines as long as they are. */
  readonly width: number;
  /** More may follow: a table that stands last is held back, because a row may still widen its columns. */
  readonly isGrowing?: boolean;
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

/** A link, a mark of bold, code or emphasis, or text up to the next of them. */
const inlinePiece =
  /\[([^\][\n]{1,200})\]\(([^()\s]{1,500})\)|`|\*\*|(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])|[^`*_[]+|[*_[]/gu;

/** Bold, emphasis and code begin and end at their marks; a mark that is never closed holds to the end of the line. */
function inlineSpans(text: string, palette: Palette): readonly Span[] {
  if (!palette.isColoured) return [{ text, paint: unpainted }];
  const spans: Span[] = [];
  let isStrong = false;
  let isCode = false;
  let emphasis: string | undefined;
  for (const { 0: piece, 1: label, 2: address, index } of text.matchAll(inlinePiece)) {
    const mayOpen = /\S/.test(text.charAt(index + piece.length));
    if (piece === '`') isCode = !isCode;
    else if (piece === '**' && !isCode && (isStrong || mayOpen)) isStrong = !isStrong;
    else if (!isCode && isEmphasisMark(text, index, piece, emphasis)) {
      emphasis = emphasis === undefined ? piece : undefined;
    } else if (!isCode && label !== undefined && address !== undefined) {
      spans.push({ text: label, paint: palette.link });
      // The address is what a terminal can open, and what tells where a link leads.
      if (label !== address) spans.push({ text: ` (${address})`, paint: palette.quiet });
    } else {
      const emphatic = emphasis === undefined ? unpainted : palette.emphasis;
      const paint = isCode ? palette.code : isStrong ? palette.strong : emphatic;
      spans.push({ text: piece, paint });
    }
  }
  return spans;
}

/** Whether a piece is a mark that opens or closes emphasis where it stands; within a word it is a character. */
function isEmphasisMark(
  text: string,
  at: number,
  piece: string,
  open: string | undefined,
): boolean {
  if (piece !== '*' && piece !== '_') return false;
  const [before, after] = [text.charAt(at - 1), text.charAt(at + 1)];
  if (open !== undefined) return piece === open && /\S/.test(before);
  return !/[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}“"'(]/u.test(after);
}

function markdownLine(line: string, { palette, width }: ProseLayout): readonly string[] {
  if (palette.isColoured) {
    const title = heading.exec(line)?.[1];
    if (title !== undefined) {
      const strong = inlineSpans(title, palette).map(({ text }) => ({
        text,
        paint: palette.strong,
      }));
      return wrap(strong, { width, first: '', next: '' });
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
  let table: string[] = [];
  const endTable = () => {
    if (table.length > 0) shown.push(...tableLines(table, layout));
    table = [];
  };
  for (const [place, line] of lines.entries()) {
    const isLate = begunAt > mostChars;
    begunAt += line.length + 1;
    const isLast = layout.isGrowing === true && place === lines.length - 1;
    const mayBeRow = rowStart.test(line) || (table.length > 0 && line.trim() === '');
    if (!isLate && !isInFence && (isLast ? mayBeRow : tableRow.test(line))) {
      table.push(line);
      continue;
    }
    endTable();
    if (isLate) {
      shown.push(line);
    } else if (fence.test(line)) {
      isInFence = !isInFence;
      if (!palette.isColoured) shown.push(line);
    } else if (isInFence) {
      const margin = palette.isColoured ? '  ' : '';
      const code = [{ text: line, paint: palette.code }];
      shown.push(...wrap(code, { width, first: margin, next: margin, isVerbatim: true }));
    } else {
      shown.push(...markdownLine(line.trimEnd(), layout));
    }
  }
  if (layout.isGrowing && table.length > 0) return [...shown, palette.quiet('│ …')];
  endTable();
  return shown;
}

/** As much of a row as may have come so far. */
const rowStart = /^\s*\|/;
const tableRow = /^\s*\|.*\|\s*$/;
const tableRule = /^[\s|:-]*-[\s|:-]*$/;

/** A table in columns where it fits, else each row as its cells under their headings. What is no table keeps its lines. */
function tableLines(rows: readonly string[], layout: ProseLayout): readonly string[] {
  const { palette, width } = layout;
  const [header, rule, ...body] = rows;
  if (header === undefined || rule === undefined || !tableRule.test(rule)) {
    return rows.flatMap((row) => markdownLine(row, layout));
  }
  const [titles = [], ...cells] = [header, ...body].map((row) => cellsOf(row, palette));
  const [top = [], ...others] = [titles, ...cells].map((row) => row.map(painted));
  const aligned = alignedRows([top.map(palette.strong), ...others]);
  if (aligned.every((line) => widthOf(line) <= width)) return aligned;
  return cells.flatMap((row, place) => [
    ...(place === 0 ? [] : ['']),
    ...row.flatMap((cell, column) => {
      const label = titles[column]?.length
        ? [...titles[column], { text: ': ', paint: unpainted }]
        : [];
      return wrap([...label, ...cell], { width, first: '', next: '  ' });
    }),
  ]);
}

function cellsOf(row: string, palette: Palette): readonly (readonly Span[])[] {
  const inner = row.trim().replace(/^\||\|$/g, '');
  const cells = inner.split(/(?<!\\)\|/);
  return cells.map((cell) => inlineSpans(cell.trim().replaceAll('\\|', '|'), palette));
}

function painted(spans: readonly Span[]): string {
  return spans.map(({ text, paint }) => paint(text)).join('');
}

/** Lays out what models and people wrote, made safe to print. */
export function prose(text: string, layout: ProseLayout): readonly string[] {
  return proseLines(plainText(text), layout);
}

/** Lays out a notice in one look, its Markdown as it was written, made safe to print. */
export function noticeLines(
  text: string,
  look: 'quiet' | 'good' | 'warning' | 'bad',
  { palette, width }: ProseLayout,
): readonly string[] {
  return prose(text, { palette: paletteFor(false), width }).map(palette[look]);
}

/** A heading with a blank line before it. */
export function headingLines(
  text: string,
  { palette }: ProseLayout,
  paint = palette.strong,
): readonly string[] {
  return palette.isColoured ? ['', paint(text)] : ['', `## ${text}`, ''];
}

/** A link that has begun and may still be one. */
const openLink = /\[[^\][\n]{0,200}(?:\](?:\([^()\s]{0,500})?)?$/;

/** The beginning of a growing text up to where it can be broken: what follows is not yet a whole word, or link. */
export function wholeWords(text: string): string {
  const end = text.search(/(?:[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{M})*$/u);
  const link = openLink.exec(text)?.index ?? end;
  return text.slice(0, Math.min(end, link));
}

/** What a person has said, as it is repeated above the answers: its words as they were typed. */
export function questionLines(
  question: string,
  { palette, width, isLive }: Page,
): readonly string[] {
  const mark = isLive ? '› ' : '> ';
  const lines = prose(question, { palette: paletteFor(false), width: width - mark.length });
  return [
    '',
    ...lines.map((line, row) => {
      const margin = row === 0 || !isLive ? mark : ' '.repeat(mark.length);
      return palette.strong(margin + line).trimEnd();
    }),
  ];
}

/**
 * Formats Markdown for a terminal: headings, lists, tables, quotes, code, links, bold and emphasis. It works
 * line by line, so that the whole lines of a growing text can be printed.
 */

import { Marked, type Token } from 'marked';
import { emStrong, formulasAsWritten, missingMarks } from '../../domain/markdown.ts';
import { alignedRows, widthOf } from '../chat/text/text-width.ts';
import { type Page, type Paint, type Palette, paletteFor } from './page.ts';
import { plainText, type Span, unpainted, wrap } from './terminal-text.ts';

export interface ProseLayout {
  readonly palette: Palette;
  /** Columns; `Infinity` never wraps. */
  readonly width: number;
  /** The last line is incomplete: marks that may still be closed are hidden. */
  readonly isGrowing?: true;
}

/** Text after this position is not formatted, which would take longer and longer as the text grows. */
const mostChars = 30_000;

const fence = /^\s*(?:```|~~~)/;
const heading = /^#{1,6}\s+(.*)$/;
const rule = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const listItem = /^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$/;
const quote = /^\s*>\s?(.*)$/;
/** Matches every line. */
const indented = /^(\s*)(.*)$/s;

const marked = new Marked({ extensions: [formulasAsWritten], tokenizer: { emStrong } });
/** The first or last line of a formula of several lines. */
const formulaEdge = /^\s*(?:\\[[\]]|\$\$)\s*$/;
/** A longer line is shown without styles: reading them may take quadratic time. */
const longestStyled = 2000;
/** A link that is still growing: its marks are hidden. */
const openLink = /\[([^[\]]*)(?:\](?:\([^()\s]*)?)?$/;

/** Splits a line into styled spans. Bold that is never closed goes on to the end of the line. */
function inlineSpans(line: string, palette: Palette): readonly Span[] {
  const isStyled = palette.isColoured && line.length <= longestStyled;
  if (!isStyled) return [{ text: line, paint: unpainted }];
  const text = missingMarks(line).includes('**') ? `${line}**` : line;
  const tokens = marked.Lexer.lexInline(text, marked.defaults);
  return spansOf(tokens, palette, unpainted);
}

function spansOf(tokens: readonly Token[], palette: Palette, paint: Paint): readonly Span[] {
  return tokens.flatMap((token) => {
    const parts = 'tokens' in token ? (token.tokens ?? []) : [];
    const painted = (inner: Paint) => spansOf(parts, palette, inner);
    switch (token.type) {
      case 'strong':
        return painted(palette.strong);
      case 'em':
        return painted(palette.emphasis);
      case 'codespan':
        return [{ text: token.text, paint: palette.code }];
      case 'escape':
        return [{ text: token.text, paint }];
      case 'link': {
        const label = painted(palette.link);
        // Terminals can open the address, and readers see where the link leads.
        const isNamed = token.raw.startsWith('[') && token.text !== token.href;
        return isNamed ? [...label, { text: ` (${token.href})`, paint: palette.quiet }] : label;
      }
      default:
        return [{ text: token.raw, paint }];
    }
  });
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
 * Lays out a text that {@link plainText} has made safe. Without colours, the Markdown stays as written;
 * without a width, so do the lines.
 */
export function proseLines(text: string, layout: ProseLayout): readonly string[] {
  const lines = text.replaceAll('\t', '  ').split('\n');
  if (layout.width === Infinity && !layout.palette.isColoured) return lines;
  const { palette, width } = layout;
  const shown: string[] = [];
  let isInFence = false;
  let isInFormula = false;
  let lineStart = 0;
  let table: string[] = [];
  const endTable = () => {
    if (table.length > 0) shown.push(...tableLines(table, layout));
    table = [];
  };
  for (const [index, line] of lines.entries()) {
    const isLate = lineStart > mostChars;
    lineStart += line.length + 1;
    if (!isLate && !isInFence && tableRow.test(line)) {
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
    } else if (isInFormula || formulaEdge.test(line)) {
      if (formulaEdge.test(line)) isInFormula = !isInFormula;
      const formula = [{ text: line, paint: unpainted }];
      shown.push(...wrap(formula, { width, first: '', next: '', isVerbatim: true }));
    } else {
      const isLast = index === lines.length - 1 && line.length <= longestStyled;
      const isOpen = layout.isGrowing && palette.isColoured && isLast;
      const text = isOpen ? line.replace(openLink, '$1') : line.trimEnd();
      shown.push(...markdownLine(isOpen ? text + missingMarks(text) : text, layout));
    }
  }
  endTable();
  return shown;
}

/**
 * The beginning of a growing text that is laid out the same in the end: its whole lines, but no table at their end,
 * because a further row may widen its columns, and no blank lines.
 */
export function wholeLines(text: string): string {
  const lines = text.split('\n');
  let end = lines.length - 1;
  while (end > 0 && rowOrBlank.test(lines[end - 1] ?? '')) end -= 1;
  return lines.slice(0, end).join('\n');
}

const rowOrBlank = /^\s*(?:\|.*\|\s*)?$/;
const tableRow = /^\s*\|.*\|\s*$/;
const tableRule = /^[\s|:-]*-[\s|:-]*$/;

/** Lays out a table in columns if it fits, else each row as a list of labelled cells. Rows without a header stay lines. */
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
  return cells.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
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

/** Makes text from models and people safe to print, and lays it out. */
export function prose(text: string, layout: ProseLayout): readonly string[] {
  return proseLines(plainText(text), layout);
}

/** Lays out a notice in one style, with its Markdown as written, made safe to print. */
export function noticeLines(
  text: string,
  style: 'quiet' | 'good' | 'warning' | 'bad',
  { palette, width }: ProseLayout,
): readonly string[] {
  return prose(text, { palette: paletteFor(false), width }).map(palette[style]);
}

/** A heading with a blank line before it. */
export function headingLines(
  text: string,
  { palette }: ProseLayout,
  paint = palette.strong,
): readonly string[] {
  return palette.isColoured ? ['', paint(text)] : ['', `## ${text}`, ''];
}

/** Formats a person's question, to print it above the answers. */
export function questionLines(
  question: string,
  { palette, width, isLive }: Page,
): readonly string[] {
  const prompt = isLive ? '› ' : '> ';
  const lines = prose(question, { palette: paletteFor(false), width: width - prompt.length });
  return [
    '',
    ...lines.map((line, row) => {
      const margin = row === 0 || !isLive ? prompt : ' '.repeat(prompt.length);
      return palette.strong(margin + line).trimEnd();
    }),
  ];
}

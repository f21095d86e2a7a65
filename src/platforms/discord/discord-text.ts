/**
 * Makes text by models and members safe to post, and replaces Markdown that Discord doesn't render, e.g.
 * tables and HTML.
 */

import { oneLine } from '../../domain/words.ts';
import { type Fence, type MarkdownLine, scanMarkdown } from '../chat/text/markdown-lines.ts';
import { outsideCode } from '../chat/text/outside-code.ts';
import { alignedRows, columnWidths, widthOf } from '../chat/text/text-width.ts';
import { showLinkHosts, unseenSpace, visibleText } from '../chat/text/visible-text.ts';

/** Where a zero-width space breaks up mentions: of everyone, a person, a role, a command, a place of the server. */
export const mention =
  /(?<=@)(?=everyone|here)|(?<=<@)(?=[!&]?\d)|(?<=<)(?=\/[^\n>]{1,100}:\d|id:)/g;

/**
 * Makes Markdown safe to post: no mentions, links that show their host, no invisible characters. Code loses
 * only its invisible characters. (`allowed_mentions` also prevents pings.) Call it before splitting the
 * text, which may become longer. Idempotent.
 */
export function inertDiscordText(markdown: string): string {
  return inert(visibleText(markdown));
}

/**
 * Makes a model's Markdown safe to post like {@link inertDiscordText}, and replaces what Discord doesn't
 * render, e.g. tables. Call it once, before splitting the text.
 */
export function discordMarkdown(markdown: string): string {
  return inert(discordDialect(visibleText(markdown)));
}

function inert(visible: string): string {
  return outsideCode(visible, (prose) => showLinkHosts(prose).replace(mention, unseenSpace));
}

/** {@link inertDiscordText} on a single line. */
export function inertDiscordLine(text: string): string {
  return oneLine(inertDiscordText(text));
}

const fence = '```';
/** Discord shows anything else as the first line of the code. */
const language = /^[\w+\-.#]*$/;
const deepHeading = /^ {0,3}#{4,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const task = /^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\](?=[ \t])/;
const plusMark = /^([ \t]*)\+(?=[ \t])/;
const footnoteText = /^[ \t]*\[\^([^\]\s]{1,40})\]:[ \t]*/;

/**
 * Replaces Markdown that Discord doesn't render: code fenced by tildes or by more than three backticks,
 * tables, headings below level 3, task lists, footnotes, pictures, HTML.
 *
 * @param markdown - The output of `visibleText`: the zero-width characters added here must stay.
 * @returns Markdown with every word of the text in order, except that a wide table's header is repeated
 *   with its cells. Runs in time linear in the text's length.
 */
export function discordDialect(markdown: string): string {
  const { lines, openFence } = scanMarkdown(markdown, Infinity);
  const written: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index];
    if (!line) continue;
    const left = unclosedFence(line, lines[index - 1]);
    if (left) written.push(`${left.quote}${fence}`);
    if (line.kind === 'header_row') {
      const rows = rowsFrom(lines, index + 2);
      const text = (one: MarkdownLine) => markdown.slice(one.start, one.end);
      written.push(...discordTable(text(line), rows.map(text)));
      index += 1 + rows.length;
    } else written.push(lineFor(line, markdown));
  }
  if (openFence) written.push(`${openFence.quote}${fence}`);
  return outsideCode(written.join('\n'), discordInline);
}

/** The fence that a quote ended without closing, if this line follows it. */
function unclosedFence(line: MarkdownLine, previous: MarkdownLine | undefined): Fence | undefined {
  const isClosed = previous?.kind === 'fence_close' || line.fence === previous?.fence;
  return isClosed ? undefined : previous?.fence;
}

function rowsFrom(lines: readonly MarkdownLine[], start: number): readonly MarkdownLine[] {
  let end = start;
  while (lines[end]?.kind === 'row') end += 1;
  return lines.slice(start, end);
}

function lineFor(line: MarkdownLine, markdown: string): string {
  const text = markdown.slice(line.start, line.end);
  const { kind, quote } = line;
  switch (kind) {
    case 'blank':
      return text;
    case 'code':
      return breakFences(text);
    case 'fence_close':
      return text.replace(/[`~]+\s*$/, fence);
    case 'fence_open':
      return line.fence ? openingFor(line.fence, text) : text;
    default:
      return `${quote}${proseFor(text.slice(quote.length))}`;
  }
}

function openingFor({ quote, indent, marker }: Fence, text: string): string {
  const marks = quote.length + indent.length;
  const before = text.slice(0, marks);
  const info = text.slice(marks + marker.length).trim();
  if (language.test(info)) return `${before}${fence}${info}`;
  const [first = ''] = info.split(/\s/, 1);
  const opening = language.test(first) ? `${fence}${first}` : fence;
  // Nothing can go between a list marker and the fence.
  if (before.trim() !== quote.trim()) return `${before}${opening}\n${quote}${indent}${info}`;
  return `${before}-# ${breakFences(info)}\n${before}${opening}`;
}

function proseFor(prose: string): string {
  const [, heading] = deepHeading.exec(prose) ?? [];
  if (heading !== undefined) return heading.includes('*') ? heading : `**${heading}**`;
  const replaced = prose
    .replace(task, (_, mark: string, state: string) => `${mark}${state === ' ' ? '☐' : '☑'}`)
    .replace(plusMark, '$1-')
    .replace(footnoteText, (_, label: string) => `-# ${raisedLabel(label)} `);
  const fences = replaced.match(/`{3,}/g) ?? [];
  return fences.length % 2 === 0 ? replaced : breakFences(replaced);
}

/** Replaces inline HTML, pictures and footnote references. */
const pairs: Readonly<Record<string, string>> = {
  ...{ b: '**', strong: '**', summary: '**', i: '*', em: '*', u: '__', ins: '__' },
  ...{ s: '~~', del: '~~', strike: '~~', code: '`', kbd: '`', samp: '`', tt: '`' },
};
const paired = new RegExp(`<(${Object.keys(pairs).join('|')})>([^<>\\n]+)</\\1>`, 'g');
/** Nested elements are replaced from the inside out, at most this deep. */
const deepest = 4;

const anchor = /<a\s[^<>\n]*?href=(["'])([^"'<>\s]+)\1[^<>\n]*>([^<>\n]+)<\/a>/g;
const picture = /<img\s[^<>\n]*>/g;
const lineEnd = /<(?:br|hr)\s*\/?>|<\/(?:p|div|li|tr|h[1-6]|blockquote|pre|dt|dd)>/g;
const item = /<li(?:\s[^<>\n]*)?>/g;
const cellEnd = /<\/(?:td|th)>/g;
/** Elements that only affect layout. Lower case only: `List<P>` isn't one. */
const layoutElement =
  /<\/?(?:details|summary|p|div|span|sub|sup|small|mark|center|ul|ol|table|thead|tbody|tr|td|th|h[1-6]|blockquote|pre|dl|dt|dd|section|article|font)(?:\s[^<>\n]*)?>/g;

const entities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ' },
  ...{ mdash: '—', ndash: '–', hellip: '…', rarr: '→', times: '×' },
};
const entity = new RegExp(`&(${Object.keys(entities).join('|')});`, 'g');

const markdownPicture = /!\[([^\][\n]{0,500})\](?=\()/g;
const footnote = /\[\^([^\]\s]{1,40})\]/g;
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Replaces HTML, pictures and footnote references. @param prose - Text without code. */
export function discordInline(prose: string): string {
  return withoutHtml(prose)
    .replace(markdownPicture, (_, alt: string) => `[${alt.trim() || 'picture'}]`)
    .replace(footnote, (_, label: string) => raisedLabel(label));
}

/** A footnote's label, in its reference and before its text. */
function raisedLabel(label: string): string {
  if (!/^\d+$/.test(label)) return `(${label})`;
  return Array.from(label, (digit) => raised.charAt(Number(digit))).join('');
}

function withoutHtml(prose: string): string {
  if (!prose.includes('<') && !prose.includes('&')) return prose;
  let text = prose
    .replace(picture, pictureLink)
    .replace(anchor, (_, _quote, address: string, label: string) => `[${label}](${address})`);
  for (let depth = 0; depth < deepest; depth += 1) {
    text = text.replace(paired, (_, name: string, inner: string) => {
      const mark = pairs[name] ?? '';
      return `${mark}${inner}${mark}`;
    });
  }
  return text
    .replace(item, '- ')
    .replace(cellEnd, ' ')
    .replace(lineEnd, '\n')
    .replace(layoutElement, '')
    .replace(entity, (whole, name: string) => entities[name] ?? whole);
}

function pictureLink(element: string): string {
  const attribute = (name: string) =>
    new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(element)?.slice(1).find(Boolean) ?? '';
  const source = attribute('src');
  const alt = attribute('alt');
  if (source === '') return alt;
  return `[${alt || 'picture'}](${source})`;
}

/** In columns: most screens wrap wider code blocks, which makes a table unreadable. */
const maxColumns = 64;
const lineBreak = /\s*<br\s*\/?>\s*/gi;
/** A code block would show links as source. */
const link = /\]\(|<https?:/;

/**
 * @param header - The header line, as written.
 * @param rows - The lines below the delimiter row.
 * @returns Lines of Markdown with the content of every cell.
 */
function discordTable(header: string, rows: readonly string[]): readonly string[] {
  const names = cellsOf(header);
  const cells = rows.map(cellsOf);
  const plain = [names, ...cells].map((row) => row.map(withoutMarks));
  const drawn = alignedTable(plain[0] ?? [], plain.slice(1));
  const isNarrow = drawn.every((line) => widthOf(line) <= maxColumns);
  if (isNarrow && !cells.flat().some((cell) => link.test(cell))) return ['```', ...drawn, '```'];
  if (cells.length === 0) return [`**${names.join(' · ')}**`];
  return cells.flatMap((row) => listed(names, row));
}

/** A row as a list item: the first cell, with the other cells below it. */
function listed(names: readonly string[], row: readonly string[]): readonly string[] {
  return Array.from({ length: Math.max(names.length, row.length) }, (_, column) => {
    const name = names[column] ?? '';
    const cell = row[column] ?? '';
    const label = name === '' ? '' : `${name}: `;
    if (column > 0) return `  - ${label}${cell}`.trimEnd();
    return `- ${label}${cell === '' || cell.includes('*') ? cell : `**${cell}**`}`;
  });
}

/** Splits a row into cells, except at `\|` and at a `|` in code. */
function cellsOf(row: string): readonly string[] {
  const line = row.trim();
  const cells: string[] = [];
  let cell = '';
  let isCode = false;
  for (let index = line.startsWith('|') ? 1 : 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (character === '\\' && line.charAt(index + 1) === '|') {
      cell += '|';
      index += 1;
    } else if (character === '|' && !isCode) {
      cells.push(cell);
      cell = '';
    } else {
      cell += character;
      if (character === '`') isCode = !isCode && line.includes('`', index + 1);
    }
  }
  const all = cell.trim() === '' && cells.length > 0 ? cells : [...cells, cell];
  return all.map((one) => breakFences(one.replace(lineBreak, ' / ').trim()));
}

/** Removes bold and code marks, which a code block would show literally. */
function withoutMarks(cell: string): string {
  return cell
    .replace(/\*\*(?=\S)([^*]+)\*\*/g, '$1')
    .replace(/`([^`]+)`/g, '$1')
    .replace(/\s+/g, ' ');
}

/** Aligned columns with a rule below the header and no trailing white space. */
export function alignedTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const rule = columnWidths([header, ...rows]).map((width) => '─'.repeat(width));
  return alignedRows([header, rule, ...rows]);
}

/** Breaks up runs of three backticks, which Discord reads as a fence even within a line. */
export function breakFences(text: string): string {
  return text.replace(/``(?=`)/g, `\`\`${unseenSpace}`);
}

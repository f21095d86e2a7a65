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

/** What Discord hides until it is clicked. */
export const spoiler = /\|\|.+?\|\|/gs;

/** Whether a text hides words. Bars in code, where they mean “or”, hide nothing. */
export function hidesWords(text: string): boolean {
  const prose: string[] = [];
  outsideCode(text, (one) => {
    prose.push(one);
    return one;
  });
  return prose.join('`').search(spoiler) !== -1;
}

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
const deepHeading = /^ {0,3}#{4,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;

/**
 * Replaces Markdown that Discord doesn't render: code fenced by tildes or by more than three backticks,
 * tables, headings below level 3, pictures, line breaks in HTML.
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
  const { kind, quote, fence: code } = line;
  const written = markdown.slice(line.start, line.end);
  // Discord ends a quote at a mark without a space after it.
  const isBare = /^ {0,3}>$/.test(written) && code?.quote !== '';
  const text = isBare ? `${written} ` : written;
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

/** Discord shows anything but a language as the first line of the code. */
function openingFor({ quote, indent, marker }: Fence, text: string): string {
  const marks = quote.length + indent.length;
  return `${text.slice(0, marks)}${fence}${breakFences(text.slice(marks + marker.length).trim())}`;
}

function proseFor(prose: string): string {
  const [, heading] = deepHeading.exec(prose) ?? [];
  if (heading !== undefined) return heading.includes('*') ? heading : `**${heading}**`;
  const fences = prose.match(/`{3,}/g) ?? [];
  return fences.length % 2 === 0 ? prose : breakFences(prose);
}

const lineBreak = /<br\s*\/?>/g;
const picture = /!\[([^\][\n]{0,500})\](?=\()/g;

/** Replaces what stands within lines. @param prose - Text without code. */
function discordInline(prose: string): string {
  return prose
    .replace(lineBreak, '\n')
    .replace(picture, (_, alt: string) => `[${alt.trim() || 'picture'}]`);
}

/** In columns: phones wrap wider code blocks, which makes a table unreadable. */
const maxColumns = 40;
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
  const drawn = codeTable(plain[0] ?? [], plain.slice(1));
  if (drawn && !cells.flat().some((cell) => link.test(cell))) return drawn;
  if (cells.length === 0) return [`**${names.join(' · ')}**`];
  return cells.flatMap((row) => listed(names, row));
}

/** A row as a list item: the first cell, with the other cells below it; without those that were left empty. */
function listed(names: readonly string[], row: readonly string[]): readonly string[] {
  return Array.from({ length: Math.max(names.length, row.length) }, (_, column) => {
    const name = names[column] ?? '';
    const cell = row[column] ?? '';
    const label = name === '' ? '' : `${name}: `;
    if (column > 0) return row[column] === '' ? '' : `  - ${label}${cell}`.trimEnd();
    return `- ${label}${cell === '' || cell.includes('*') ? cell : `**${cell}**`}`;
  }).filter((line) => line !== '');
}

/** Splits a row into cells at each `|` that no backslash escapes. */
function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').replace(lineBreak, ' / ').trim())
    .map(breakFences);
}

/** Removes bold and code marks, which a code block would show literally. */
function withoutMarks(cell: string): string {
  return cell
    .replace(/\*\*(?=\S)([^*]+)\*\*/g, '$1')
    .replace(/`([^`]+)`/g, '$1')
    .replace(/\s+/g, ' ');
}

const rightToLeft = /[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}]/u;

/**
 * A code block of aligned columns with a rule below the header; `undefined` if a phone would wrap it, or words that
 * run from right to left would swap its columns.
 */
export function codeTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] | undefined {
  const rule = columnWidths([header, ...rows]).map((width) => '─'.repeat(width));
  const lines = alignedRows([header, rule, ...rows]);
  const isClear = (line: string) => widthOf(line) <= maxColumns && !rightToLeft.test(line);
  return lines.every(isClear) ? ['```', ...lines, '```'] : undefined;
}

/** Breaks up runs of three backticks, which Discord reads as a fence even within a line. */
export function breakFences(text: string): string {
  return text.replace(/``(?=`)/g, `\`\`${unseenSpace}`);
}

/**
 * Renders untrusted Markdown as inert HTML: tags are shown as text, links lead only to the web or to a mailbox,
 * and nothing is loaded.
 */

import { Marked, type Token } from 'marked';
import { languageOf } from '../domain/languages/languages.ts';
import { emStrong, formulasAsWritten, missingMarks } from '../domain/markdown.ts';
import { escapeHtml } from '../domain/words.ts';

/** The level of a message's top headings, below the page's own. */
const topHeadingLevel = 4;
/** A paragraph with more marks is shown as plain text: parsing takes quadratic time in their number. */
const maxMarks = 1000;
const marks = /[*_~[\]`!]/g;
/** A longer text is shown as plain text: some lists and blank lines take quadratic time. UTF-16 code units. */
const maxChars = 16_000;
/** A formula in lines of its own. Without blank lines and fences, so that it ends where the code around it does. */
const formulaBlock =
  /^[ \t]*(?:\\\[|\$\$)(?:(?!\\\]|\$\$|\n[ \t]*(?:\n|```|~~~))[\s\S]){1,1000}(?:\\\]|\$\$)/gm;
/** Stands for the line ends of a formula, whose lines may look like lists and headings. */
const lineSeparator = '\u2028';
/** No person nests quotations and lists this deep. */
const nestedTooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){31}/m;

const webAddress: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [formulasAsWritten],
  tokenizer: { html: () => undefined, tag: () => undefined, emStrong },
  renderer: {
    text: function (token) {
      const { tokens } = 'tokens' in token ? token : { tokens: undefined };
      return tokens ? this.parser.parseInline(tokens) : withReferences(token.text);
    },
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
    heading: function ({ tokens, depth }) {
      const name = `h${Math.min(6, depth + topHeadingLevel - 1)}`;
      return `<${name}>${this.parser.parseInline(tokens)}</${name}>\n`;
    },
    checkbox: ({ checked }) => `<span class="task">${checked ? '☑' : '☐'}</span> `,
    link: function ({ raw, href, text, tokens, autolink }) {
      const address = addressOf(href);
      if (!address) return escapeHtml(raw);
      // A picture in a link is a link itself.
      const label = this.parser.parseInline(tokens).replace(/<\/?a\b[^>]*>/g, '');
      return anchor(address, label) + (autolink || text === href ? '' : hostOf(address));
    },
    image: ({ raw, href, text }) => {
      const address = addressOf(href);
      if (!address) return escapeHtml(raw);
      return anchor(address, `Image: ${withReferences(text || 'unnamed')}`) + hostOf(address);
    },
    table: function ({ header, rows }) {
      const rowOf = (cells: typeof header) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>`;
      return `<div class="table" tabindex="0"><table>\n<thead>${rowOf(header)}</thead>\n<tbody>${rows.map(rowOf).join('\n')}</tbody>\n</table></div>\n`;
    },
    tablecell: function ({ tokens, header, align }) {
      const name = header ? 'th' : 'td';
      const side = align ? ` class="${align}"` : '';
      return `<${name}${side}>${this.parser.parseInline(tokens)}</${name}>`;
    },
  },
});

/** Renders block Markdown: paragraphs, lists, tables. Never throws. */
export function saidHtml(text: string): string {
  const written = text.replace(/\r\n?/g, '\n').trim();
  const isUnreadable = written.length > maxChars || nestedTooDeep.test(written);
  if (isUnreadable) return `<p class="written">${escapeHtml(written)}</p>`;
  const lexer = new marked.Lexer(marked.defaults);
  const joined = written.replace(formulaBlock, (all) => all.replaceAll('\n', lineSeparator));
  lexer.blockTokens(joined, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) readInline(lexer, src, tokens);
  const html = marked.Parser.parse(lexer.tokens, marked.defaults).trim();
  return html.replaceAll(lineSeparator, '\n');
}

/** An end whose meaning is still to come: the head of a table, a line that only begins, or marks. */
const unclearEnd =
  /(?:^|\n\n)\|.*(?:\n[-|: ]*)?$|(?:^|\n)[ \t>]*(?:[-+=#]+|[-|:][-|: ]*|\d{1,9}[.)]?)?[ *_~`\\]*$|(?<![\s*_~`\\])[\s*_~`\\]+$/;

/** A longer block is rendered as it is, because the patterns take time in the square of its length. */
const mostGrowing = 2000;

/** Renders block Markdown that still grows as it will look: holds back an unclear end, and closes what is open. Never throws. */
export function growingHtml(text: string): string {
  const end = Math.max(0, text.trimEnd().lastIndexOf('\n\n'));
  const last = text.slice(end).trimEnd();
  const said = last.length > mostGrowing ? text : text.slice(0, end) + last.replace(unclearEnd, '');
  const isInCode = said.split(/^[ \t]*```/m).length % 2 === 0;
  const line = said.slice(said.lastIndexOf('\n') + 1);
  return saidHtml(isInCode || line.length > mostGrowing ? said : said + missingMarks(line));
}

/** What was said, as a block of its own. @param isGrowing - As `growingHtml` takes it. */
export function saidBlock(text: string, isGrowing = false): string {
  const busy = isGrowing ? ' aria-busy="true"' : '';
  const shown = isGrowing ? growingHtml(text) : saidHtml(text);
  return `<div class="said" dir="auto"${langOf(text)}${busy}>${shown}</div>`;
}

/** The attribute that tells a screen reader which voice a text needs, and a browser which letters; empty for English. */
export function langOf(text: string): string {
  const language = languageOf('auto', text) ?? 'en';
  return language === 'en' ? '' : ` lang="${language}"`;
}

/** Renders inline Markdown. Never throws. */
export function saidInline(text: string): string {
  const tokens: Token[] = [];
  readInline(new marked.Lexer(marked.defaults), text.trim(), tokens);
  return marked.Parser.parseInline(tokens, marked.defaults);
}

function readInline(
  lexer: InstanceType<typeof marked.Lexer>,
  source: string,
  tokens: Token[],
): void {
  const isReadable = source.length <= maxChars && (source.match(marks)?.length ?? 0) <= maxMarks;
  if (isReadable) lexer.inlineTokens(source, tokens);
  else tokens.push({ type: 'text', raw: source, text: source, escaped: false });
}

/** @returns `undefined` unless it leads to the web or a mailbox. */
function addressOf(href: string): URL | undefined {
  const address = URL.parse(href.replaceAll('&amp;', '&'));
  return address && webAddress.has(address.protocol) ? address : undefined;
}

/** @param label - HTML. */
function anchor({ href }: URL, label: string): string {
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${label}</a>`;
}

/** Shows a link's host, because its label could pretend to be another address. */
function hostOf({ host }: URL): string {
  return host === '' ? '' : ` <span class="host">(${escapeHtml(host)})</span>`;
}

/** Escapes text, but not character references such as `&amp;`, and decodes those like `&#38;`. */
function withReferences(text: string): string {
  const decoded = text.replace(
    /&#(x?)([\da-f]{1,7});/gi,
    (written, hex: string, digits: string) => {
      const code = Number.parseInt(digits, hex ? 16 : 10);
      return code <= 0x10ffff ? String.fromCodePoint(code) : written;
    },
  );
  return escapeHtml(decoded).replace(/&amp;(?=[a-z][a-z\d]{1,30};)/gi, '&');
}

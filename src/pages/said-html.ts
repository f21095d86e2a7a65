/**
 * Markdown that people or models wrote, as HTML that does nothing: tags are shown as they were written, links lead
 * to the web or to a mailbox, and nothing is loaded.
 */

import { Marked, type Token } from 'marked';
import { escapeHtml } from '../domain/words.ts';

/** Headings of what was said rank below the page's own. */
const outermostHeading = 4;
/** More signs in one paragraph are shown as they are: reading them all takes the square of their number. */
const mostSigns = 1000;
const signs = /[*_~[\]`!]/g;
/** A longer text is shown as it is: some lists and lines of blanks take the square of their length. In UTF-16 code units. */
const mostChars = 16_000;
/** So many quotations and lists within one another are no text of a person. */
const nestedTooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){31}/m;

const webAddress: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

const marked = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: { html: () => undefined, tag: () => undefined },
  renderer: {
    text: function (token) {
      const { tokens } = 'tokens' in token ? token : { tokens: undefined };
      return tokens ? this.parser.parseInline(tokens) : withReferences(token.text);
    },
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
    heading: function ({ tokens, depth }) {
      const name = `h${Math.min(6, depth + outermostHeading - 1)}`;
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

/** Whole paragraphs, lists, tables. Never throws, whatever was written. */
export function saidHtml(text: string): string {
  const written = text.replace(/\r\n?/g, '\n').trim();
  const isUnreadable = written.length > mostChars || nestedTooDeep.test(written);
  if (isUnreadable) return `<p class="written">${escapeHtml(written)}</p>`;
  const lexer = new marked.Lexer(marked.defaults);
  lexer.blockTokens(written, lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) readInline(lexer, src, tokens);
  return marked.Parser.parse(lexer.tokens, marked.defaults).trim();
}

/** The same of what stands on a line with something else. */
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
  const isReadable = source.length <= mostChars && (source.match(signs)?.length ?? 0) <= mostSigns;
  if (isReadable) lexer.inlineTokens(source, tokens);
  else tokens.push({ type: 'text', raw: source, text: source, escaped: false });
}

/** Absent for whatever leads elsewhere than to the web or a mailbox. */
function addressOf(href: string): URL | undefined {
  const address = URL.parse(href.replaceAll('&amp;', '&'));
  return address && webAddress.has(address.protocol) ? address : undefined;
}

/** @param label - HTML. */
function anchor({ href }: URL, label: string): string {
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${label}</a>`;
}

/** Beside a label that could pass for another address. */
function hostOf({ host }: URL): string {
  return host === '' ? '' : ` <span class="host">(${escapeHtml(host)})</span>`;
}

/** Text in which `&amp;` and `&#38;` are read as the signs they stand for. */
function withReferences(text: string): string {
  return text
    .split(/(&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});)/i)
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : referred(part)))
    .join('');
}

function referred(reference: string): string {
  if (!reference.startsWith('&#')) return reference;
  const isHex = /^&#x/i.test(reference);
  const code = Number.parseInt(reference.slice(isHex ? 3 : 2, -1), isHex ? 16 : 10);
  return code <= 0x10ffff ? escapeHtml(String.fromCodePoint(code)) : escapeHtml(reference);
}

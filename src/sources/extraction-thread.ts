/** The worker thread that extracts text from a PDF or a web page; `extraction.ts` starts and ends it. */

import { parentPort, workerData } from 'node:worker_threads';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { z } from 'zod';

type Node = DefaultTreeAdapterTypes.Node;

const taskSchema = z.object({
  /** A PDF, or the text of a web page. */
  data: z.union([z.instanceof(Uint8Array), z.string()]),
  maxChars: z.number(),
});

/** The thread's result. */
export type Extracted =
  | { readonly text: string; readonly title: string; readonly isCut: boolean }
  | { readonly whyNot: string };

const maxPages = 1000;

async function pdfText(data: Uint8Array, maxChars: number): Promise<Extracted> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(data, {
    disableFontFace: true,
    useSystemFonts: false,
    verbosity: 0,
  });
  const { numPages } = document;
  if (numPages > maxPages) {
    return { whyNot: `it has ${numPages} pages, and I read files of at most ${maxPages}` };
  }
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= numPages && length <= maxChars; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items
      .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      .join('')
      .trim();
    pages.push(text);
    length += text.length;
    page.cleanup();
  }
  const text = pages.join('\n\n').trim();
  if (text === '') {
    // Those tables, for old Chinese, Japanese and Korean encodings, do not come with the library.
    const why = 'its pages are pictures, or lack the tables for their characters';
    return { whyNot: `there is no text in it that I can read: ${why}` };
  }
  const isCut = pages.length < numPages || text.length > maxChars;
  return { text: text.slice(0, maxChars), title: '', isCut };
}

/** Elements around the text of a page, or without text. */
const skipped = new Set(
  'head nav footer aside select button noscript svg iframe script style template'.split(' '),
);
const paragraphs = new Set('p h1 h2 h3 h4 h5 h6 ul ol table pre blockquote'.split(' '));
const lines = new Set('div section article main header tr br dt dd figcaption hr'.split(' '));
/** If a page's `article` and `main` elements contain less, the text is elsewhere. */
const minPartChars = 200;

async function htmlText(html: string, maxChars: number): Promise<Extracted> {
  const { parse } = await import('parse5');
  const document = parse(html);
  const parts = topmost(document, (node) => ['article', 'main'].includes(node.nodeName));
  const ofParts = parts.map(wordsIn).join('\n\n');
  const text = ofParts.length < minPartChars ? wordsIn(document) : ofParts;
  if (text === '') return { whyNot: 'there is no text in it' };
  const [title] = topmost(document, ({ nodeName }) => nodeName === 'title');
  return {
    text: text.slice(0, maxChars),
    isCut: text.length > maxChars,
    title: title === undefined ? '' : wordsIn(title),
  };
}

/** The outermost matching elements. Not recursive, because pages may be nested to any depth. */
function topmost(root: Node, isWanted: (node: Node) => boolean): readonly Node[] {
  const found: Node[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isWanted(node)) found.push(node);
    else if ('childNodes' in node)
      for (const child of node.childNodes.toReversed()) open.push(child);
  }
  return found;
}

/** The text of a page, with a line per block and separators between table cells. */
function wordsIn(root: Node): string {
  const pieces: string[] = [];
  const open: { readonly node: Node | string; readonly isRaw: boolean }[] = [
    { node: root, isRaw: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, isRaw } = next;
    if (typeof node === 'string') pieces.push(node);
    else if ('value' in node) pieces.push(isRaw ? node.value : onLine(node.value, pieces.at(-1)));
    else if ('childNodes' in node && !skipped.has(node.nodeName)) {
      const { nodeName: name, childNodes } = node;
      const edge = paragraphs.has(name) ? '\n\n' : lines.has(name) ? '\n' : '';
      const isCell = name === 'td' || name === 'th';
      const end = isCell ? ' | ' : ['tr', 'br'].includes(name) ? '' : edge;
      open.push({ node: end, isRaw });
      for (const child of childNodes.toReversed()) {
        open.push({ node: child, isRaw: isRaw || name === 'pre' });
      }
      open.push({ node: name === 'li' ? '\n- ' : edge, isRaw });
    }
  }
  return pieces
    .join('')
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Collapses white space, and drops it at the start of a line. */
function onLine(text: string, before = '\n'): string {
  const words = text.replace(/\s+/g, ' ');
  return before.endsWith('\n') ? words.trimStart() : words;
}

const { data, maxChars } = taskSchema.parse(workerData);
const extracted =
  typeof data === 'string'
    ? htmlText(data, maxChars)
    : pdfText(data, maxChars).catch((error: unknown): Extracted => {
        const isLocked = error instanceof Error && error.name === 'PasswordException';
        return { whyNot: isLocked ? 'it is locked with a password' : 'the PDF is damaged' };
      });
parentPort?.postMessage(await extracted);

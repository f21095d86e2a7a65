/** Takes the text out of a PDF or a web page, in a thread that can be ended at any time: see `extraction.ts`. */

import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

const taskSchema = z.object({
  /** A PDF, or the text of a web page. */
  data: z.union([z.instanceof(Uint8Array), z.string()]),
  maxChars: z.number(),
});

/** What the thread answers with. */
export type Extracted =
  | { readonly text: string; readonly title: string; readonly isCut: boolean }
  | { readonly whyNot: string };

const mostPages = 1000;

async function pdfText(data: Uint8Array, maxChars: number): Promise<Extracted> {
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(data, {
    ...{ isEvalSupported: false, disableFontFace: true, useSystemFonts: false, verbosity: 0 },
  });
  const { numPages } = document;
  if (numPages > mostPages) {
    return { whyNot: `it has ${numPages} pages, and I read files of at most ${mostPages}` };
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
  if (text === '') return { whyNot: 'there is no text in it, only pictures of it' };
  const isCut = pages.length < numPages || text.length > maxChars;
  return { text: text.slice(0, maxChars), title: '', isCut };
}

/** What stands around the text of a page. */
const around = ['nav', 'footer', 'aside', 'form', 'button', 'noscript', 'svg', 'img', 'iframe'];
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
/** A page whose own parts say less than this has put its text elsewhere. */
const leastChars = 200;

async function htmlText(html: string, maxChars: number): Promise<Extracted> {
  const { convert } = await import('html-to-text');
  const textOf = (selectors: string[], returnDomByDefault: boolean) =>
    convert(html, {
      wordwrap: false,
      baseElements: { selectors, returnDomByDefault },
      limits: { maxInputLength: 2_000_000, maxDepth: 200, maxBaseElements: 5 },
      selectors: [
        { selector: 'a', options: { ignoreHref: true } },
        { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
        ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
        ...around.map((selector) => ({ selector, format: 'skip' })),
      ],
    }).trim();
  const parts = textOf(['article', 'main', '[role=main]'], false);
  const text = parts.length < leastChars ? textOf(['body'], true) : parts;
  if (text === '') return { whyNot: 'there is no text in it' };
  const [, title = ''] = /<title[^>]{0,200}>([^<]{1,300})/i.exec(html) ?? [];
  const words = convert(title, { wordwrap: false });
  return { text: text.slice(0, maxChars), title: words, isCut: text.length > maxChars };
}

const { data, maxChars } = taskSchema.parse(workerData);
const extracted =
  typeof data === 'string'
    ? htmlText(data, maxChars)
    : pdfText(data, maxChars).catch((error: unknown): Extracted => {
        const isLocked = error instanceof Error && error.name === 'PasswordException';
        return { whyNot: isLocked ? 'it is locked with a password' : 'it is no whole PDF' };
      });
parentPort?.postMessage(await extracted);

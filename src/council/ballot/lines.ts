/**
 * Splits a review into lines of plain text, and separates the reviewer’s own lines from quotations: an answer may
 * contain a ranking to manipulate its place.
 */

import { findHeadings } from './headings.ts';
import { type Labels, toPlainWidth } from './labels.ts';
import { isSign, readMention } from './mention.ts';
import { type Token, tokenize } from './tokens.ts';
import { quotingWords } from './vocabulary.ts';

const fenceMark = /^\s{0,8}(`{3,}|~{3,})(?:\s*([\w+-]+))?\s*$/;
const quoteMark = /^\s{0,8}(?:[-*]\s{1,4})?>(?!>)/;
const entities = new Map([
  ['&gt;', '>'],
  ['&lt;', '<'],
  ['&amp;', '&'],
  ['&nbsp;', ' '],
  ['&quot;', '"'],
]);

/**
 * Splits a text into lines of plain text, with blanks in place of quotations: lines after `>`, code fences introduced
 * as quotations, and several lines in quotation marks. Takes linear time.
 */
export function ownLines(text: string, labels: Labels): readonly string[] {
  const written = toPlainCharacters(text, labels).split(/\r\n|[\n\r\u2028\u2029]/);
  const lines = written.map((line) => (isBlank(line) ? '' : line));
  const isOwn = written.map((line) => !quoteMark.test(line));
  const lastAt = written.findLastIndex((line) => !isBlank(line));
  for (const [from, to] of fencesIn(written)) {
    const introduction = written
      .slice(Math.max(0, from - 8), from)
      .findLast((one) => !isBlank(one));
    const firstLine = written.slice(from + 1, to).find((one) => !isBlank(one));
    isOwn.fill(isOwnFence(introduction, firstLine, to >= lastAt, labels), from, to + 1);
    lines.fill('', from, from + 1).fill('', to, to + 1);
  }
  const isInMarks = findMarked(lines);
  return lines.map((line, at) => (isOwn[at] && !isInMarks[at] ? line : ''));
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

/** The lines that open and close each code fence. An unclosed one doesn't count. */
function fencesIn(lines: readonly string[]): readonly (readonly [from: number, to: number])[] {
  const fences: (readonly [number, number])[] = [];
  let opened: { readonly at: number; readonly mark: string } | undefined;
  for (const [at, line] of lines.entries()) {
    const match = fenceMark.exec(line);
    if (match === null) continue;
    const [, mark = '', language = ''] = match;
    if (opened === undefined || language !== '') {
      opened = { at, mark };
    } else if (mark.charAt(0) === opened.mark.charAt(0) && mark.length >= opened.mark.length) {
      fences.push([opened.at, at]);
      opened = undefined;
    }
  }
  return fences;
}

/** Replaces markup, entities, pictures of numbers, LaTeX's signs and full-width forms with plain characters. */
function toPlainCharacters(text: string, labels: Labels): string {
  return toPlainWidth(text)
    .replace(/\ufe0f|[\u200b-\u200d\u2060\ufeff\u00ad]/g, '')
    .replace(/(\d)\u20e3/g, '$1.')
    .replace(/[🥇🥈🥉]/gu, (medal) => ` ${'🥇🥈🥉'.indexOf(medal) / 2 + 1}th `)
    .replace(/[①-⑳]/g, (circled) => ` ${circled.normalize('NFKC')}. `)
    .replace(/\\{1,2}(?:succ(?:eq)?|gt|to|[rR]ightarrow)(?![a-zA-Z])/g, '≻')
    .replace(/\\{1,2}(?:prec|lt)(?![a-zA-Z])/g, '≺')
    .replace(/\\{1,2}(?:sim|approx)(?![a-zA-Z])/g, '≈')
    .replace(/第?([一二三四五六七八九十]|\d{1,2})[名位위등](?!\p{L})/gu, (_, place: string) => {
      return `${'一二三四五六七八九十'.indexOf(place) + 1 || place}.`;
    })
    .replace(/&(?:gt|lt|amp|nbsp|quot);/g, (entity) => entities.get(entity) ?? entity)
    .replace(/<(\/?)\|?([a-z][\w-]{0,40})\s{0,4}[/|]?>/gi, (_tag, slash: string, name: string) => {
      const label = labels.at(name, 0);
      if (slash === '' && label?.isExact === true && label.length === name.length) return name;
      if (/^(?:br|li|p|tr|div)$/i.test(name)) return slash === '' ? '\n' : '';
      if (/rank/i.test(name)) return slash === '' ? `\n${name}:\n` : '\n';
      return '';
    });
}

/**
 * Whether a code fence holds what the reviewer says itself.
 *
 * @param introduction - The last nonblank line before it.
 * @param firstLine - Its first nonblank line.
 * @param isLast - Only blank lines follow it.
 */
function isOwnFence(introduction = '', firstLine = '', isLast: boolean, labels: Labels): boolean {
  const introduced = tokenize(introduction, labels);
  if (introduced.length === 0 || announces(introduced)) return true;
  const isQuoting = introduced.some(
    (token) => token.kind === 'word' && quotingWords.has(token.text),
  );
  if (isQuoting || isSign(introduced.at(-1), 'colon')) return false;
  const namesAnswer = introduced.some(
    (token, at) => token.kind === 'label' && readMention(introduced, at) !== undefined,
  );
  const isRanking = /^\s*[[{]/.test(firstLine) || announces(tokenize(firstLine, labels));
  return !namesAnswer || (isLast && isRanking);
}

function announces(tokens: readonly Token[]): boolean {
  return findHeadings(tokens).length > 0;
}

/** The most lines between two quotation marks; an unclosed mark quotes nothing. */
const maxQuotedLines = 60;
const openingMark = /(?:^|[\s:(])["“„]\S[^"“”„]{0,2000}$/;
const closingMark = /^[^"“”„]{0,2000}[^\s"“”„]["”“](?:$|[\s.,;:!?)])/;

/** Marks the lines inside quotation marks, except for the line with the opening mark. */
function findMarked(texts: readonly string[]): readonly boolean[] {
  const isMarked = texts.map(() => false);
  let openedAt: number | undefined;
  for (const [at, text] of texts.entries()) {
    if (openedAt !== undefined && closingMark.test(text)) {
      isMarked.fill(true, openedAt + 1, at + 1);
      openedAt = undefined;
    }
    if (openedAt !== undefined && at - openedAt > maxQuotedLines) openedAt = undefined;
    const marks = text.match(/["“”„]/g)?.length ?? 0;
    if (marks % 2 === 1 && openedAt === undefined && openingMark.test(text)) openedAt = at;
  }
  return isMarked;
}

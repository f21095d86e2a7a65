/**
 * Splits a review into lines of plain text, and separates the reviewer’s own lines from quotations: an answer may
 * contain a ranking to manipulate its place.
 */

import { findHeadings } from './headings.ts';
import { type Labels, toPlainWidth } from './labels.ts';
import { isSign, readMention } from './mention.ts';
import { type Token, tokenize } from './tokens.ts';
import { quotingWords } from './vocabulary.ts';

export interface Line {
  /** Plain text, without markup. */
  readonly text: string;
  /** `own`: the reviewer's. `quoted`: after `>`. A number: the index of its code fence. */
  readonly source: 'own' | 'quoted' | number;
  readonly isBlank: boolean;
}

/** A closed code fence. */
export interface Fence {
  /** The last nonblank line before it, or empty. */
  readonly introduction: string;
  /** Only blank lines follow it. */
  readonly isLast: boolean;
}

export interface ReviewLines {
  readonly lines: readonly Line[];
  readonly fences: readonly Fence[];
}

const fenceMark = /^\s{0,8}(`{3,}|~{3,})\s*([\w+-]*)\s*$/;
const quoteMark = /^\s{0,8}(?:[-*]\s{1,4})?>(?!>)/;
const entities = new Map([
  ['&gt;', '>'],
  ['&lt;', '<'],
  ['&amp;', '&'],
  ['&nbsp;', ' '],
  ['&quot;', '"'],
]);

/** Splits a text into lines. An unclosed fence doesn't count. Takes linear time. */
export function readLines(text: string, labels: Labels): ReviewLines {
  const texts = toPlainCharacters(text, labels).split(/\r\n|[\n\r\u2028\u2029]/);
  const fences: Fence[] = [];
  const sources = texts.map((line): Line['source'] => (quoteMark.test(line) ? 'quoted' : 'own'));
  const isMark = texts.map(() => false);
  const lastWrittenAt = texts.findLastIndex((line) => line.trim() !== '');
  let opened: { readonly at: number; readonly mark: string } | undefined;
  for (const [at, line] of texts.entries()) {
    const match = fenceMark.exec(line);
    if (match === null) continue;
    const [, mark = '', language = ''] = match;
    if (opened === undefined || language !== '') {
      opened = { at, mark };
    } else if (mark.charAt(0) === opened.mark.charAt(0) && mark.length >= opened.mark.length) {
      sources.fill(fences.length, opened.at, at + 1);
      isMark[opened.at] = true;
      isMark[at] = true;
      fences.push({ introduction: lastWritten(texts, opened.at), isLast: at >= lastWrittenAt });
      opened = undefined;
    }
  }
  const lines = texts.map((line, at): Line => {
    const isBlank = isMark[at] === true || line.trim() === '';
    return { text: isBlank ? '' : line, source: sources[at] ?? 'own', isBlank };
  });
  return { lines, fences };
}

function lastWritten(texts: readonly string[], before: number): string {
  return texts.slice(Math.max(0, before - 8), before).findLast((line) => line.trim() !== '') ?? '';
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

/** The most lines between two quotation marks; an unclosed mark quotes nothing. */
const maxQuotedLines = 60;

/**
 * Returns the lines with blanks in place of quotations: lines after `>`, code fences introduced as quotations, and
 * several lines in quotation marks.
 */
export function withoutQuotations(
  { lines, fences }: ReviewLines,
  labels: Labels,
): readonly string[] {
  const firstLines = new Map<number, string>();
  for (const { source, text, isBlank } of lines) {
    if (typeof source === 'number' && !isBlank && !firstLines.has(source)) {
      firstLines.set(source, text);
    }
  }
  const isOwnFence = fences.map((fence, at) => isOwn(fence, firstLines.get(at) ?? '', labels));
  const isInMarks = findMarked(lines.map(({ text }) => text));
  return lines.map(({ source, text }, at) => {
    const isOwnSource = typeof source === 'number' ? isOwnFence[source] === true : source === 'own';
    return isOwnSource && isInMarks[at] !== true ? text : '';
  });
}

function isOwn(fence: Fence, firstLine: string, labels: Labels): boolean {
  const introduction = tokenize(fence.introduction, labels);
  if (introduction.length === 0 || announces(introduction)) return true;
  const isQuoting = introduction.some(
    (token) => token.kind === 'word' && quotingWords.has(token.text),
  );
  if (isQuoting || isSign(introduction.at(-1), 'colon')) return false;
  const namesAnswer = introduction.some(
    (token, at) => token.kind === 'label' && readMention(introduction, at) !== undefined,
  );
  const isRanking = /^\s*[[{]/.test(firstLine) || announces(tokenize(firstLine, labels));
  return !namesAnswer || (fence.isLast && isRanking);
}

function announces(tokens: readonly Token[]): boolean {
  return findHeadings(tokens).length > 0;
}

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

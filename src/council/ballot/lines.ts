/** Cuts a review into lines in plain characters, and tells the reviewer's own from what it quotes. */

import { type Labels, toPlainWidth } from './labels.ts';

export interface Line {
  /** Without decoration that would stand in the way of words and signs. */
  readonly text: string;
  /** `own`: the reviewer's. `quoted`: marked as a quotation by `>`. Else the number of its code fence. */
  readonly source: 'own' | 'quoted' | number;
  readonly isBlank: boolean;
}

/** A code fence that is opened and closed. */
export interface Fence {
  /** The last line before it that is not blank; empty where there is none. */
  readonly introduction: string;
  /** Nothing but blank lines follows it. */
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

/** @returns The lines in order; a fence that is never closed is none. Linear in the text. */
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

/** Markup, entities, keycaps and full-width forms as the characters that they stand for. */
function toPlainCharacters(text: string, labels: Labels): string {
  return toPlainWidth(text)
    .replace(/\ufe0f|[\u200b-\u200d\u2060\ufeff\u00ad]/g, '')
    .replace(/(\d)\u20e3/g, '$1.')
    .replace(/&(?:gt|lt|amp|nbsp|quot);/g, (entity) => entities.get(entity) ?? entity)
    .replace(/<(\/?)([a-z][\w-]{0,40})\s{0,4}\/?>/gi, (tag, slash: string, name: string) => {
      if (slash === '' && labels.at(name, 0)?.length === name.length) return tag;
      if (/^(?:br|li|p|tr|div)$/i.test(name)) return slash === '' ? '\n' : '';
      if (/rank/i.test(name)) return slash === '' ? `\n${name}:\n` : '\n';
      return '';
    });
}

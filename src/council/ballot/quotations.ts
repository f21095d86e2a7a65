/** Tells what a reviewer says from what it quotes: an answer may hold a ranking of its own to move its place. */

import { findHeadings } from './headings.ts';
import type { Labels } from './labels.ts';
import type { Fence, ReviewLines } from './lines.ts';
import { isSign, readMention } from './mention.ts';
import { type Token, tokenize } from './tokens.ts';
import { foreignWords } from './vocabulary.ts';

/** Two texts of the same number of lines; what belongs to the other one is blank. */
export interface Voices {
  readonly own: readonly string[];
  readonly quoted: readonly string[];
}

/** Lines marked by `>` are quoted, and so is a code fence that is introduced as something quoted. */
export function tellVoices({ lines, fences }: ReviewLines, labels: Labels): Voices {
  const firstLines = new Map<number, string>();
  for (const { source, text, isBlank } of lines) {
    if (typeof source === 'number' && !isBlank && !firstLines.has(source)) {
      firstLines.set(source, text);
    }
  }
  const isOwnFence = fences.map((fence, at) => isOwn(fence, firstLines.get(at) ?? '', labels));
  const isOwnLine = lines.map(({ source }) =>
    typeof source === 'number' ? isOwnFence[source] === true : source === 'own',
  );
  return {
    own: lines.map(({ text }, at) => (isOwnLine[at] === true ? text : '')),
    quoted: lines.map(({ text }, at) =>
      isOwnLine[at] === true ? '' : text.replace(/^[\s>]+/, ''),
    ),
  };
}

function isOwn(fence: Fence, firstLine: string, labels: Labels): boolean {
  const introduction = tokenize(fence.introduction, labels);
  if (introduction.length === 0 || announces(introduction)) return true;
  const isQuoting = introduction.some(
    (token) => token.kind === 'word' && foreignWords.has(token.text),
  );
  if (isQuoting || isSign(introduction.at(-1), 'colon') || !fence.isLast) return false;
  const namesAnswer = introduction.some(
    (token, at) => token.kind === 'label' && readMention(introduction, at) !== undefined,
  );
  return !namesAnswer || announces(tokenize(firstLine, labels));
}

function announces(tokens: readonly Token[]): boolean {
  return findHeadings(tokens).length > 0;
}

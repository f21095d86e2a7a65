/** Tells what a reviewer says from what it quotes: an answer may hold a ranking of its own to move its place. */

import { findHeadings } from './headings.ts';
import type { Labels } from './labels.ts';
import type { Fence, ReviewLines } from './lines.ts';
import { isSign, readMention } from './mention.ts';
import { type Token, tokenize } from './tokens.ts';
import { quotingWords } from './vocabulary.ts';

/** Two texts of the same number of lines; what belongs to the other one is blank. */
export interface Voices {
  readonly own: readonly string[];
  readonly quoted: readonly string[];
}

/** How many lines a quotation in quotation marks may go on for; a mark left open quotes nothing. */
const maxQuotedLines = 60;

/**
 * Lines marked by `>` are quoted, and so is a code fence that is introduced as something quoted, and what
 * stands in quotation marks over several lines.
 */
export function tellVoices({ lines, fences }: ReviewLines, labels: Labels): Voices {
  const firstLines = new Map<number, string>();
  for (const { source, text, isBlank } of lines) {
    if (typeof source === 'number' && !isBlank && !firstLines.has(source)) {
      firstLines.set(source, text);
    }
  }
  const isOwnFence = fences.map((fence, at) => isOwn(fence, firstLines.get(at) ?? '', labels));
  const isInMarks = findMarked(lines.map(({ text }) => text));
  const isOwnLine = lines.map(({ source }, at) => {
    const isOwnSource = typeof source === 'number' ? isOwnFence[source] === true : source === 'own';
    return isOwnSource && isInMarks[at] !== true;
  });
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

/** Which lines lie in quotation marks that were opened in an earlier line and are closed in or after them. */
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

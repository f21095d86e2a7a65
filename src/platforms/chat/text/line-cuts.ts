/** The places to cut between the lines of a Markdown text, for one piece. */

import { closing, type Fence, reopened } from './code-fence.ts';
import { type CutRank, cutRank, type ScannedMarkdown } from './markdown-lines.ts';

/** A text that is being split. */
export interface SplitMarkdown extends ScannedMarkdown {
  readonly text: string;
  /** Of a piece, in UTF-16 units. */
  readonly limit: number;
}

/** Where a piece begins. */
export interface PieceStart {
  /** Index into the text. */
  readonly at: number;
  /** Index of the line that `at` is in. */
  readonly line: number;
  /** What is put before the piece. */
  readonly opening: string;
  /** The fence that `opening` opens again. */
  readonly fence: Fence | undefined;
}

/** Where a piece ends and the next one begins. */
export interface Cut {
  readonly end: number;
  readonly closing: string;
  readonly next: PieceStart;
}

export interface LineCut extends Cut {
  readonly rank: CutRank;
}

export function firstStart({ text, lines }: SplitMarkdown): PieceStart {
  const line = lines.findIndex(({ kind }) => kind !== 'blank');
  return { at: lines[line]?.textStart ?? text.length, line, opening: '', fence: undefined };
}

/** Units of a piece besides its own text, when it ends inside `fence`. */
export function closingOf(start: PieceStart, fence: Fence | undefined): string {
  return fence ? closing(fence, start.fence === fence) : '';
}

/** All cuts before a line, after the one in which the piece begins, that keep the piece within the limit. */
export function lineCuts(markdown: SplitMarkdown, start: PieceStart): readonly LineCut[] {
  const { lines, limit, openFence } = markdown;
  const cuts: LineCut[] = [];
  let textEnd = start.at;
  for (let index = start.line + 1; index <= lines.length; index += 1) {
    const before = lines[index - 1];
    if (before && before.textEnd > before.start) textEnd = Math.max(textEnd, before.textEnd);
    const line = lines[index];
    if (line?.kind === 'blank') continue;
    const fence = line ? line.fence : openFence;
    const end = fence && before ? Math.max(before.end, start.at) : textEnd;
    if (start.opening.length + end - start.at > limit) break;
    const added = closingOf(start, fence);
    if (start.opening.length + end - start.at + added.length > limit) continue;
    const isClosed = line?.kind === 'fence_close'; // by the added line, so the written one is left out
    const target = isClosed ? afterBlanks(markdown, index + 1) : index;
    cuts.push({
      end,
      closing: added,
      rank: lines[target]?.rank ?? cutRank.end,
      next: startOfLine(markdown, target, isClosed ? undefined : fence),
    });
  }
  return cuts;
}

function afterBlanks({ lines }: SplitMarkdown, from: number): number {
  let index = from;
  while (lines[index]?.kind === 'blank') index += 1;
  return index;
}

function startOfLine(
  { text, lines }: SplitMarkdown,
  index: number,
  fence: Fence | undefined,
): PieceStart {
  const line = lines[index];
  const header = line?.tableHeader === undefined ? '' : `${line.tableHeader}\n`;
  return {
    at: line?.textStart ?? text.length,
    line: index,
    opening: fence ? reopened(fence) : header,
    fence,
  };
}

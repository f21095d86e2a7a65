/** Chooses where one piece of a Markdown text ends. */

import {
  type Cut,
  type LineCut,
  lineCuts,
  type PieceStart,
  type SplitMarkdown,
} from './line-cuts.ts';
import { cutRank } from './markdown-lines.ts';
import { OverflowingLine } from './within-line.ts';

/**
 * The best cut for the piece that begins at `start`: the coarsest that leaves the piece a third full,
 * and among those the last; where there is none, the coarsest that leaves it shorter.
 */
export function cutAfter(markdown: SplitMarkdown, start: PieceStart): Cut {
  const third = start.at + (markdown.limit - start.opening.length) / 3;
  const isFull = (cut: LineCut) => cut.end >= third || cut.rank === cutRank.end;
  const between = lineCuts(markdown, start);
  const atLines = between.filter(({ rank }) => rank >= cutRank.line);
  const best = coarsest(atLines.filter(isFull));
  if (best) return best;

  const glued = between.filter(({ rank }) => rank < cutRank.line);
  const line = new OverflowingLine(markdown, start);
  return (
    line.good(third) ??
    glued.findLast(isFull) ??
    coarsest(atLines) ??
    line.good(start.at) ??
    glued.at(-1) ??
    line.forced(third)
  );
}

/** The last of those with the highest rank. */
function coarsest(cuts: readonly LineCut[]): LineCut | undefined {
  return cuts.reduce<LineCut | undefined>(
    (best, cut) => (best && best.rank > cut.rank ? best : cut),
    undefined,
  );
}

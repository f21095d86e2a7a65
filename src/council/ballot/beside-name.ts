/** Reads what stands right beside an answer's name: that it is tied, and the figure it is given. */

import { isSign, readMention, skipBracket, skipSigns } from './mention.ts';
import type { Token } from './tokens.ts';
import { isPlaceNoun, isTieWord } from './vocabulary.ts';

/** A number that an entry gives its answer: `(9/10)`, `: 2`, `– 3rd`. */
export interface Figure {
  readonly value: number;
  /** Said to be a place, by its form or the word beside it; else it may as well be a score. */
  readonly isPlace: boolean;
}

/** `(tie)`, `are tied`, `– tied with B` right after the names. */
export function readTie(
  tokens: readonly Token[],
  at: number,
): { readonly isTied: boolean; readonly tiedWith: string | undefined } {
  let next = at;
  if (isSign(tokens[next], 'open') && !startsTie(tokens, next)) next = skipBracket(tokens, next);
  next = skipSigns(tokens, next, 'open', 'dash', 'comma', 'colon', 'close', 'quote');
  for (;;) {
    const token = tokens[next];
    if (token?.kind !== 'word') break;
    if (isTieWord(token.text)) {
      const isBreaker = isSign(tokens[next + 1], 'hyphen');
      const following = tokens[next + 1];
      const isWith = following?.kind === 'word' && ['with', 'to'].includes(following.text);
      const tiedWith = isWith ? readMention(tokens, next + 2)?.label : undefined;
      return { isTied: !isBreaker, tiedWith };
    }
    if (!['are', 'is', 'both', 'a', 'in'].includes(token.text)) break;
    next += 1;
  }
  return { isTied: false, tiedWith: undefined };
}

function startsTie(tokens: readonly Token[], at: number): boolean {
  const first = tokens[skipSigns(tokens, at, 'open', 'quote', 'tie')];
  return first?.kind === 'word' && (isTieWord(first.text) || first.text === 'a');
}

/** The figure right after the names; `undefined` where there is none. */
export function readFigure(tokens: readonly Token[], at: number): Figure | undefined {
  const afterName = skipNameBracket(tokens, at);
  let next = skipSigns(tokens, afterName, 'colon', 'dash', 'open', 'tie', 'comma', 'cell');
  if (next === afterName) return undefined;
  let isPlace = false;
  while (isPlaceWord(tokens[next]) || (isPlace && isSign(tokens[next], 'colon'))) {
    isPlace = true;
    next += 1;
  }
  if (isSign(tokens[next], 'hash')) {
    isPlace = true;
    next += 1;
  }
  const token = tokens[next];
  const value =
    token?.kind === 'label'
      ? numberIn(token.text)
      : token?.kind === 'number'
        ? token.value
        : undefined;
  if (value === undefined) return undefined;
  const following = tokens[next + 1];
  if (following?.kind === 'word' && !isPlaceNoun(following.text) && !isTieWord(following.text)) {
    const isScoreWord = ['points', 'point', 'pts', 'out', 'of'].includes(following.text);
    if (!isScoreWord && !isPlace) return undefined;
  }
  const isOrdinal = token?.kind === 'number' && token.isOrdinal;
  return { value, isPlace: isPlace || isOrdinal };
}

function isPlaceWord(token: Token | undefined): boolean {
  return token?.kind === 'word' && isPlaceNoun(token.text);
}

/** Past `(Scientist)`, but not past `(2nd)`. */
function skipNameBracket(tokens: readonly Token[], at: number): number {
  if (!isSign(tokens[at], 'open')) return at;
  const inner = tokens[skipSigns(tokens, at, 'open')];
  const isFigure = inner?.kind === 'number' || isSign(inner, 'hash') || isPlaceWord(inner);
  return isFigure ? at : skipBracket(tokens, at);
}

function numberIn(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Reads an answer’s name, as in `Response C`, `[C]` or `option-c`, and the tie or figure right after it. */

import type { Sign, Token } from './tokens.ts';
import { afterLabelWords, labelWords, placeNouns, tieWords } from './vocabulary.ts';

export interface Mention {
  /** `undefined`: it looks like an answer's name, but wasn't shown to this reviewer. */
  readonly label: string | undefined;
  /** Preceded by a word such as `Response`, so it's unambiguous. */
  readonly isWorded: boolean;
  /** Index of the token after it. */
  readonly next: number;
}

export function isSign(token: Token | undefined, ...signs: readonly Sign[]): boolean {
  return token?.kind === 'sign' && signs.includes(token.sign);
}

/** More signs in a row don't decorate a name; the limit bounds every lookahead. */
const longestDecoration = 8;

/** Skips these signs, at most eight, and returns the next index. */
export function skipSigns(tokens: readonly Token[], at: number, ...signs: readonly Sign[]): number {
  let next = at;
  while (next < at + longestDecoration && isSign(tokens[next], ...signs)) next += 1;
  return next;
}

/** Returns the index after the bracket that opens at `at`; if it's unclosed, the end, or `most` tokens further. */
export function skipBracket(
  tokens: readonly Token[],
  at: number,
  most = Number.POSITIVE_INFINITY,
): number {
  const end = Math.min(tokens.length, at + most);
  let depth = 0;
  for (let next = at; next < end; next += 1) {
    if (isSign(tokens[next], 'open')) depth += 1;
    if (isSign(tokens[next], 'close')) depth -= 1;
    if (depth <= 0) return next + 1;
  }
  return end;
}

/** Reads the mention at `at`, ignoring opening brackets and quotes; `undefined` if there is none. */
export function readMention(tokens: readonly Token[], at: number): Mention | undefined {
  const start = skipSigns(tokens, at, 'open', 'quote', 'hash');
  const first = tokens[start];
  if (first?.kind === 'word' && labelWords.has(first.text)) {
    const named = skipSigns(tokens, start + 1, 'open', 'quote', 'hash', 'hyphen', 'colon');
    const name = tokens[named];
    const next = skipSigns(tokens, named + 1, 'close', 'quote');
    if (name?.kind === 'label') return { label: name.label, isWorded: true, next };
    const isOther =
      name?.kind === 'number' ||
      (name?.kind === 'word' && (name.isLabelLike || name.text.length === 1));
    return isOther ? { label: undefined, isWorded: true, next } : undefined;
  }
  const next = skipSigns(tokens, start + 1, 'close', 'quote');
  if (first?.kind === 'label') {
    if (isOrdinaryWord(tokens, start)) return undefined;
    return { label: first.label, isWorded: false, next };
  }
  if (first?.kind === 'word' && first.isLabelLike && tokens[next]?.kind !== 'word') {
    return { label: undefined, isWorded: false, next };
  }
  return undefined;
}

/** Whether a label is an ordinary word, as in `A clear winner` or `a-level`. */
function isOrdinaryWord(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  const following = tokens[at + 1];
  if (token?.kind !== 'label') return false;
  if (isSign(following, 'hyphen')) return tokens[at + 2]?.kind === 'word';
  if (following?.kind !== 'word') return false;
  const couldBeArticle = !token.isExact || /^[aeiouy]$/i.test(token.text);
  return couldBeArticle && !(token.isExact && afterLabelWords.has(following.text));
}

/** A number after an answer's name: `(9/10)`, `: 2`, `– 3rd`. */
export interface Figure {
  readonly value: number;
  /** Marked as a place by its form or a word; else it may be a score. */
  readonly isPlace: boolean;
}

/** Reads `(tie)`, `are tied` or `– tied with B` right after the names. */
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
    if (tieWords.has(token.text)) {
      const isBreaker = isSign(tokens[next + 1], 'hyphen');
      const following = tokens[next + 1];
      const isWith = following?.kind === 'word' && ['with', 'to'].includes(following.text);
      const tiedWith = isWith ? readMention(tokens, next + 2)?.label : undefined;
      return { isTied: !isBreaker, tiedWith };
    }
    if (!['all', 'are', 'is', 'both', 'a', 'in'].includes(token.text)) break;
    next += 1;
  }
  return { isTied: false, tiedWith: undefined };
}

function startsTie(tokens: readonly Token[], at: number): boolean {
  const first = tokens[skipSigns(tokens, at, 'open', 'quote', 'tie')];
  return first?.kind === 'word' && (tieWords.has(first.text) || ['a', 'all'].includes(first.text));
}

/** Reads the figure right after the names; `undefined` if there is none. */
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
  const value = numberIn(token);
  if (value === undefined) return undefined;
  const following = tokens[next + 1];
  if (
    following?.kind === 'word' &&
    !placeNouns.has(following.text) &&
    !tieWords.has(following.text)
  ) {
    const isScoreWord = ['points', 'point', 'pts', 'out', 'of'].includes(following.text);
    if (!isScoreWord && !isPlace) return undefined;
  }
  const isOrdinal = token?.kind === 'number' && token.isOrdinal;
  return { value, isPlace: isPlace || isOrdinal };
}

export function isPlaceWord(token: Token | undefined): boolean {
  return token?.kind === 'word' && placeNouns.has(token.text);
}

/** Skips `(Scientist)`, but not `(2nd)`. */
function skipNameBracket(tokens: readonly Token[], at: number): number {
  if (!isSign(tokens[at], 'open')) return at;
  const inner = tokens[skipSigns(tokens, at, 'open')];
  const isFigure = inner?.kind === 'number' || isSign(inner, 'hash') || isPlaceWord(inner);
  return isFigure ? at : skipBracket(tokens, at);
}

/** The value of a number, or of a label that consists of digits. */
export function numberIn(token: Token | undefined): number | undefined {
  if (token?.kind === 'number') return token.value;
  return token?.kind === 'label' && /^\d+$/.test(token.text) ? Number(token.text) : undefined;
}

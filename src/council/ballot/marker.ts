/** Reads the number of a list's entry: `1.`, `#1`, `(1)`, `1st place:`, `Rank 1 –`, `🥇`. */

import { isPlaceWord, isSign, numberIn, readMention, skipBracket, skipSigns } from './mention.ts';
import type { Token } from './tokens.ts';
import { counters, placeNouns, placeOf, tieWords } from './vocabulary.ts';

export interface Marker {
  readonly rank: number;
  /** Explicitly a place, as `1st` and `Rank 1` are and `1.` isn't. */
  readonly isPlace: boolean;
  /** `1 (tie):`, `T-1.`, `1=`. */
  readonly isTied: boolean;
  /** Index of the token after it and its punctuation. */
  readonly next: number;
}

const punctuation = ['stop', 'close', 'colon', 'dash', 'hyphen', 'cell', 'quote'] as const;

/** @returns `undefined` if there is no entry's number at `at`. */
export function readMarker(tokens: readonly Token[], at: number): Marker | undefined {
  let next = skipSigns(tokens, at, 'open', 'hash', 'quote', 'tie', 'cell');
  let isPlace = false;
  let isTied = false;
  for (let token = tokens[next]; token?.kind === 'word'; token = tokens[next]) {
    if (tieWords.has(token.text) || (token.text === 't' && isSign(tokens[next + 1], 'hyphen'))) {
      isTied = true;
    } else if (placeNouns.has(token.text)) {
      isPlace = true;
    } else if (!counters.has(token.text)) {
      break;
    }
    next = skipSigns(tokens, next + 1, 'hash', 'hyphen', 'stop', 'colon');
  }
  const number = readNumber(tokens, next);
  if (number === undefined) return undefined;
  const isHashed = isSign(tokens[next - 1], 'hash');
  isPlace ||= number.form === 'ordinal';
  next = number.next;
  // In `1=`, equal numbers say what is tied.
  if (isSign(tokens[next], 'tie')) next += 1;
  while (isPlaceWord(tokens[next])) {
    isPlace = true;
    next += 1;
  }
  if (isSign(tokens[next], 'open') && isTieBracket(tokens, next)) {
    isTied = true;
    next = skipBracket(tokens, next);
  }
  const afterPunctuation = skipSigns(tokens, next, ...punctuation);
  const isPunctuated = afterPunctuation > next;
  const isNamed = readMention(tokens, afterPunctuation) !== undefined;
  if (number.form === 'word' && !isPunctuated) return undefined;
  // A label may be a number, too: `2: thorough` is about answer 2, `2: Response 1` is the second place.
  if (number.form === 'label' && !(isNamed && (isPunctuated || isPlace || isHashed)))
    return undefined;
  if (!isPunctuated && !isPlace && !isHashed && !isNamed) return undefined;
  return { rank: number.rank, isPlace, isTied, next: afterPunctuation };
}

interface PlaceNumber {
  readonly rank: number;
  readonly form: 'digits' | 'ordinal' | 'word' | 'letter' | 'label';
  readonly next: number;
}

function readNumber(tokens: readonly Token[], at: number): PlaceNumber | undefined {
  const letter = readLetter(tokens, at);
  if (letter !== undefined) return { rank: letter, form: 'letter', next: at + 1 };
  const token = tokens[at];
  if (token?.kind === 'word') {
    const isRunnerUp = token.text === 'runner' && isSign(tokens[at + 1], 'hyphen');
    const rank = isRunnerUp ? 2 : placeOf(token.text);
    if (rank === undefined) return undefined;
    const next = isRunnerUp ? at + 3 : at + 1;
    const following = tokens[next];
    const isBest = following?.kind === 'word' && following.text === 'best';
    return { rank, form: 'word', next: isBest ? next + 1 : next };
  }
  const rank = numberIn(token);
  if (rank === undefined || !Number.isInteger(rank)) return undefined;
  const isOrdinal = token?.kind === 'number' && token.isOrdinal;
  const form = token?.kind === 'label' ? 'label' : isOrdinal ? 'ordinal' : 'digits';
  const isRange =
    isSign(tokens[at + 1], 'dash', 'hyphen', 'slash') && tokens[at + 2]?.kind === 'number';
  return { rank, form, next: isRange ? at + 3 : at + 1 };
}

const romanNumbers = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];

/** Reads `a)` or `II.` before a name such as `Response C`, which rules out that the letter is a label. */
function readLetter(tokens: readonly Token[], at: number): number | undefined {
  const token = tokens[at];
  if (token?.kind !== 'word' && token?.kind !== 'label') return undefined;
  const text = token.text.toLowerCase();
  const roman = romanNumbers.indexOf(text);
  const letter = /^[a-h]$/.test(text) ? text.charCodeAt(0) - 'a'.charCodeAt(0) : -1;
  const tied = /^t(\d{1,3})$/.exec(text)?.[1];
  const isPunctuated = isSign(tokens[at + 1], 'close', 'stop');
  if (!isPunctuated || readMention(tokens, at + 2)?.isWorded !== true) return undefined;
  if (tied !== undefined) return Number(tied);
  const index = Math.max(roman, letter);
  return index < 0 ? undefined : index + 1;
}

function isTieBracket(tokens: readonly Token[], at: number): boolean {
  const inner = tokens[at + 1];
  return inner?.kind === 'word' && tieWords.has(inner.text);
}

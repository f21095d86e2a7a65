/** Splits a line of a review into labels, words, numbers and signs. */

import type { Labels } from './labels.ts';
import { labelWords } from './vocabulary.ts';

/** `above`: `>`, `→`, `≻`; `below`: `<`; `tie`: `=`, `≈`, `&`; `cell`: `|`. */
export type Sign =
  | 'above'
  | 'below'
  | 'tie'
  | 'slash'
  | 'comma'
  | 'semicolon'
  | 'colon'
  | 'stop'
  | 'dash'
  | 'hyphen'
  | 'open'
  | 'close'
  | 'quote'
  | 'hash'
  | 'cell';

export type Token =
  | {
      readonly kind: 'label';
      readonly label: string;
      readonly text: string;
      readonly isExact: boolean;
    }
  /** In lower case. `isLabelLike`: short, of capitals or digits. */
  | { readonly kind: 'word'; readonly text: string; readonly isLabelLike: boolean }
  | {
      readonly kind: 'number';
      readonly value: number;
      readonly isOrdinal: boolean;
    }
  | { readonly kind: 'sign'; readonly sign: Sign };

const wordRun =
  /[[\p{L}\p{M}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]]+(?:['’][\p{L}]+)*/vy;
const spacelessRun = /[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]&&\p{L}]+/vy;
const decimal = /\d+[.,]\d+/y;
const ordinal = /^(\d{1,4})(?:st|nd|rd|th|er|e|ère|º|ª)$/;
const wholeNumber = /^\d{1,6}$/;
const gluedLabelWord = /^(response|answer|option|candidate|model|reply)(.{1,24})$/i;

/** The first match wins. */
const signPatterns: readonly (readonly [RegExp, Sign | undefined])[] = [
  [/\\[a-zA-Z]{1,20}/y, undefined], // LaTeX
  [/[-=–—~|]{0,3}>{1,6}=?/y, 'above'],
  [/[→⟶➔➜➡⇒⟹≻≽≫»›▶►⪰≥⩾↓⬇⇓]/y, 'above'],
  [/<{1,6}[-=–—]{0,3}/y, 'below'],
  [/[≺≼≪←⇐≤⪯]/y, 'below'],
  [/={3,}|~{2,}/y, undefined],
  [/={1,2}|[~≈≃≅∼≡&]/y, 'tie'],
  [/\//y, 'slash'],
  [/[,、،]/y, 'comma'],
  [/[;；]/y, 'semicolon'],
  [/[:∶]+/y, 'colon'],
  [/[.!?。…]+/y, 'stop'],
  [/-{2,}|[–—―]+/y, 'dash'],
  [/[([{（【「『〈《]/y, 'open'],
  [/[)\]}）】」』〉》]/y, 'close'],
  [/["“”„«″]/y, 'quote'],
  [/[#№]/y, 'hash'],
  [/\|+/y, 'cell'],
];

/**
 * Splits a line into tokens, and drops characters without a meaning here. Takes linear time.
 *
 * @param text - One line, without full-width forms.
 */
export function tokenize(text: string, labels: Labels): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    if (isBlankAt(text, position)) {
      position += 1;
      continue;
    }
    const found = labels.at(text, position);
    if (found !== undefined && !isContracted(text, position + found.length)) {
      const written = text.slice(position, position + found.length);
      tokens.push({ kind: 'label', label: found.label, text: written, isExact: found.isExact });
      position += found.length;
      position += /^['’]s(?!\w)/.exec(text.slice(position, position + 3))?.[0].length ?? 0;
      continue;
    }
    const word = readWord(text, position, labels);
    if (word !== undefined) {
      tokens.push(...word.tokens);
      position = word.end;
      continue;
    }
    const sign = readSign(text, position);
    if (sign.token !== undefined) tokens.push(sign.token);
    position = sign.end;
  }
  return tokens;
}

/** A shortcut: every sixth character is blank, and matches no pattern. */
function isBlankAt(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code === 0x20 || code === 0x09;
}

function isDigitAt(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code >= 0x30 && code <= 0x39;
}

/** `I'd` and `I've` don't mention an answer I. */
function isContracted(text: string, end: number): boolean {
  return /^['’](?:d|ll|m|ve)(?!\w)/i.test(text.slice(end, end + 4));
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

interface Reading {
  readonly tokens: readonly Token[];
  readonly end: number;
}

function readWord(text: string, position: number, labels: Labels): Reading | undefined {
  const fraction = isDigitAt(text, position) ? matchAt(decimal, text, position) : null;
  if (fraction !== null) {
    const value = Number(fraction[0].replace(',', '.'));
    return {
      tokens: [{ kind: 'number', value, isOrdinal: false }],
      end: position + fraction[0].length,
    };
  }
  const run = matchAt(wordRun, text, position) ?? matchAt(spacelessRun, text, position);
  if (run === null) return undefined;
  const written = run[0];
  const end = position + written.length;
  const place = ordinal.exec(written.toLowerCase())?.[1];
  if (place !== undefined || wholeNumber.test(written)) {
    const value = Number(place ?? written);
    return { tokens: [{ kind: 'number', value, isOrdinal: place !== undefined }], end };
  }
  const glued = gluedLabelWord.exec(written);
  const suffix = glued?.[2] ?? '';
  const label = suffix === '' ? undefined : labels.at(suffix, 0);
  if (label?.isExact === true && label.length === suffix.length) {
    return {
      tokens: [
        { kind: 'word', text: 'response', isLabelLike: false },
        { kind: 'label', label: label.label, text: suffix, isExact: true },
      ],
      end,
    };
  }
  return { tokens: [toWord(written)], end };
}

function toWord(written: string): Token {
  const text = written.toLowerCase();
  const isLabelLike = /^[\p{Lu}\p{N}]{1,3}$/u.test(written) && !labelWords.has(text);
  return { kind: 'word', text, isLabelLike };
}

function readSign(
  text: string,
  position: number,
): { readonly token: Token | undefined; readonly end: number } {
  for (const [pattern, sign] of signPatterns) {
    const match = matchAt(pattern, text, position);
    if (match === null) continue;
    return {
      token: sign === undefined ? undefined : { kind: 'sign', sign },
      end: position + match[0].length,
    };
  }
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0x20);
  const end = position + character.length;
  if (character === '-') {
    const isInWord = /^\S-\S$/.test(text.slice(Math.max(0, position - 1), end + 1));
    return { token: { kind: 'sign', sign: isInWord ? 'hyphen' : 'dash' }, end };
  }
  return { token: undefined, end };
}

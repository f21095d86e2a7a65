/**
 * Takes everything out of foreign text that a terminal would obey or that a reader can't see.
 *
 * Both functions are stable while a text grows: what they give for a beginning is a beginning of
 * what they give for more of it, so an escape that arrives in two parts never leaks.
 */

import type { Writable } from 'node:stream';
import { oneLine, withMoments } from '../../domain/words.ts';
import { graphemes, widthOf } from '../chat/text/text-width.ts';

/**
 * What a terminal obeys: operating-system commands, device strings and their kin, up to their end or
 * the end of the line; cursor movements, colours and the like; every other escape, e.g. a reset. In
 * the 7-bit and the 8-bit form, finished or not. Looked for in one pass, so that nothing that is
 * taken out joins its neighbours to something new.
 */
const controlSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
/** Control characters but line feed and tab; half characters; what reorders the text around it. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Surrogate}|[\u202a-\u202e\u2066-\u2069]/gu;
const lineSeparator = /[\u2028\u2029]/g;
/** A joiner between two emoji makes one picture of them; anywhere else nothing is seen of it. */
const invisible =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Presentation}\p{Emoji_Modifier}]\ufe0f?)\u200d|\u200d(?![\p{Extended_Pictographic}\p{Emoji_Presentation}])|[^\P{Cf}\u200d]|[\u115f\u1160\u3164\uffa0]/gu;

/**
 * Makes text from models and people safe to print.
 *
 * @returns The text with line feeds, tabs and emoji, without any other control character, terminal
 *   sequence (whole, cut off or nested), half surrogate or override of the writing direction.
 */
export function plainText(text: string): string {
  return text.replace(controlSequence, '').replace(lineSeparator, '\n').replace(unprintable, '');
}

/**
 * Makes a name safe to print: as {@link plainText}, on one line, without invisible characters that
 * could make two different names look the same.
 */
export function plainName(name: string): string {
  return oneLine(plainText(name).replace(invisible, ''));
}

/** Shows the moments of a text as the clock of this machine has them, e.g. `2026-11-21 22:19`. */
export function localTimes(text: string): string {
  return withMoments(text, (at) => clock.format(at));
}

const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' });

/** What an error says, safe to print, on one line. */
export function plainReason(error: unknown): string {
  return error instanceof Error ? plainName(error.message) : 'the reason is unknown';
}

/**
 * Writes one JSON object and a line feed. Characters that a terminal would obey are escaped, so that
 * it can be looked at as well as parsed.
 */
export function writeJson(output: Writable, value: unknown): void {
  const json = JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  output.write(`${json}\n`);
}

/** Text of one look. */
export interface Span {
  readonly text: string;
  readonly paint: (text: string) => string;
}

export interface WrapOptions {
  /** Columns; `Infinity` never breaks. */
  readonly width: number;
  /** What the first line begins with, e.g. a bullet. */
  readonly first: string;
  /** What every further line begins with, as wide as `first`. */
  readonly next: string;
  /** For code: every space stays, and a line is broken at the width and nowhere else. */
  readonly isVerbatim?: boolean;
}

/** A character as a reader counts them. */
interface Cell extends Span {
  readonly width: number;
}

/** Leaves text as it is; spaces are always painted so. */
export const unpainted = (text: string) => text;

/** Never begins a line in scripts that are written without spaces. */
const closingMark = /^[、。，．！？：；）」』】〉》…]$/u;
/** A character of several letters, as in Hindi: it may take two columns, but its words have spaces between them. */
const severalLetters = /\p{Mc}|\p{L}.*\p{L}/u;

/**
 * Wraps at spaces, and between wide characters; a word that is wider than a line is cut.
 *
 * @returns At least one line, each without a space at its end unless it is verbatim. As the text grows,
 *   every line but the last stays as it is, if the text always ends between two words.
 */
export function wrap(spans: readonly Span[], options: WrapOptions): readonly string[] {
  const { width, first, next, isVerbatim = false } = options;
  const room = Math.max(1, width - widthOf(first));
  const rows: string[] = [];
  let row: Cell[] = [];
  let column = 0;
  /** Where the row may be broken: what follows this place moves to the next row. */
  let breakAt: number | undefined;
  for (const cell of cellsOf(spans, isVerbatim)) {
    const last = row.at(-1);
    const isSpace = cell.text === ' ' && !isVerbatim;
    if (isSpace && (last === undefined || last.text === ' ')) continue;
    if (last && !isVerbatim && mayBreak(last, cell)) breakAt = row.length;
    while (!isSpace && row.length > 0 && column + cell.width > room) {
      const moved = row.splice(breakAt ?? row.length);
      rows.push(painted(row));
      row = moved;
      column = moved.reduce((sum, one) => sum + one.width, 0);
      breakAt = undefined;
    }
    row.push(cell);
    column += cell.width;
  }
  rows.push(painted(row));
  return rows.map((text, place) => {
    const line = (place === 0 ? first : next) + text;
    return isVerbatim || text === '' ? line : line.trimEnd();
  });
}

function cellsOf(spans: readonly Span[], isVerbatim: boolean): readonly Cell[] {
  // Measuring one character costs much more than knowing it.
  const widths = new Map<string, number>();
  return spans.flatMap(({ text: whole, paint }) =>
    graphemes(whole).map((text) => {
      const width = widths.get(text) ?? widthOf(text);
      widths.set(text, width);
      return { text, width, paint: text === ' ' && !isVerbatim ? unpainted : paint };
    }),
  );
}

/** A script without spaces may be broken between any two of its (wide) characters. */
function mayBreak(before: Cell, after: Cell): boolean {
  if (before.text === ' ') return true;
  return (isWide(before) || isWide(after)) && !closingMark.test(after.text);
}

function isWide({ text, width }: Cell): boolean {
  return width === 2 && !severalLetters.test(text);
}

/** Each run of one look is painted once. */
function painted(row: readonly Cell[]): string {
  let line = '';
  let run = '';
  for (const [place, { text, paint }] of row.entries()) {
    run += text;
    if (row[place + 1]?.paint === paint) continue;
    line += paint(run);
    run = '';
  }
  return line;
}

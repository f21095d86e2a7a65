/**
 * Makes foreign text safe to print in a terminal, and wraps styled lines.
 *
 * `plainText` is stable while a text grows: the result for a prefix is a prefix of the result for the whole, so
 * an escape sequence that arrives in two parts never leaks.
 */

import type { Writable } from 'node:stream';
import { printable, withMoments } from '../../domain/words.ts';
import { graphemes, widthOf } from '../chat/text/text-width.ts';
import { visibleName } from '../chat/text/visible-text.ts';
import type { Paint } from './page.ts';

/**
 * Terminal control sequences, 7-bit or 8-bit, complete or cut off: OSC, DCS and other strings up to their
 * terminator or the end of the line; CSI sequences (cursor, colours); all other escapes, e.g. a reset. One
 * pass removes them all, so that no removal joins its neighbours into a new sequence.
 */
const controlSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;
const lineSeparator = /[\u2028\u2029]/g;
/**
 * Makes text from models and people safe to print.
 *
 * @returns The text without terminal sequences (complete, cut off or nested), lone surrogates, direction
 *   overrides, or control characters other than line feed and tab.
 */
export function plainText(text: string): string {
  return printable(text.replace(controlSequence, '').replace(lineSeparator, '\n'));
}

/**
 * Makes a name safe to print: like {@link plainText}, but on one line, and without invisible characters, which
 * could make two names look the same.
 */
export function plainName(name: string): string {
  return visibleName(plainText(name));
}

/** Formats the moments in a text in this machine's time zone, e.g. `2026-11-21 22:19`. */
export function localTimes(text: string): string {
  return withMoments(text, (at) => clock.format(at));
}

const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' });

/** An error's message, safe to print, on one line. */
export function plainReason(error: unknown): string {
  return error instanceof Error ? plainName(error.message) : 'the reason is unknown';
}

/**
 * Writes one JSON object and a line feed. Terminal control characters are escaped, so that the output is
 * safe to print as well as to parse.
 */
export function writeJson(output: Writable, value: unknown): void {
  const json = JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  output.write(`${json}\n`);
}

/** Text in one style. */
export interface Span {
  readonly text: string;
  readonly paint: Paint;
}

export interface WrapOptions {
  /** Columns; `Infinity` never wraps. */
  readonly width: number;
  /** Prefix of the first line, e.g. a bullet. */
  readonly first: string;
  /** Prefix of every further line, as wide as `first`. */
  readonly next: string;
  /** For code: keeps all spaces, and breaks only at the width. */
  readonly isVerbatim?: boolean;
}

/** A grapheme. */
interface Cell extends Span {
  readonly width: number;
}

/** Leaves text as it is. Spaces outside code always get this style. */
export const unpainted = (text: string) => text;

/** Punctuation that must not begin a line in scripts without spaces. */
const closingMark = /^[、。，．！？：；）」』】〉》…]$/u;
/** A grapheme of several letters, as in Hindi: it may take two columns, but the script puts spaces between words. */
const severalLetters = /\p{Mc}|\p{L}.*\p{L}/u;

/**
 * Wraps at spaces and between wide characters; cuts words that are wider than a line.
 *
 * @returns At least one line, without trailing spaces unless verbatim.
 */
export function wrap(spans: readonly Span[], options: WrapOptions): readonly string[] {
  const { width, first, next, isVerbatim = false } = options;
  const room = Math.max(1, width - widthOf(first));
  const rows: string[] = [];
  let row: Cell[] = [];
  let column = 0;
  /** Index in the row from which cells move to the next row. */
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
  return rows.map((text, index) => {
    const line = (index === 0 ? first : next) + text;
    return isVerbatim || text === '' ? line : line.trimEnd();
  });
}

function cellsOf(spans: readonly Span[], isVerbatim: boolean): readonly Cell[] {
  // Cached, because measuring a character is expensive.
  const widths = new Map<string, number>();
  return spans.flatMap(({ text: whole, paint }) =>
    graphemes(whole).map((text) => {
      const width = widths.get(text) ?? widthOf(text);
      widths.set(text, width);
      return { text, width, paint: text === ' ' && !isVerbatim ? unpainted : paint };
    }),
  );
}

/** Scripts without spaces may be broken between any two of their (wide) characters. */
function mayBreak(before: Cell, after: Cell): boolean {
  if (before.text === ' ') return true;
  return (isWide(before) || isWide(after)) && !closingMark.test(after.text);
}

function isWide({ text, width }: Cell): boolean {
  return width === 2 && !severalLetters.test(text);
}

/** Paints each run of the same style once. */
function painted(row: readonly Cell[]): string {
  let line = '';
  let run = '';
  for (const [index, { text, paint }] of row.entries()) {
    run += text;
    if (row[index + 1]?.paint === paint) continue;
    line += paint(run);
    run = '';
  }
  return line;
}

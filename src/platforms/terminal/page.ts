/** What a turn is written on: a stream of lines, or a terminal whose last lines are drawn anew. */

import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** The same status in several lengths, longest first: the first one that fits is shown. */
export type StatusForms = () => readonly string[];

export interface Page {
  /** Text may be shown while it grows. */
  readonly isLive: boolean;
  /** Columns for text; `Infinity` where lines may be as long as they like. */
  readonly width: number;
  readonly palette: Palette;
  /** Adds lines below those added before; they stay. */
  print(lines: readonly string[]): void;
  /** Shows a line that is not finished yet below them; an empty one shows nothing. */
  setTail(line: string): void;
  /** Shows who is doing what, at the bottom; asked again as time goes by. `undefined` ends it. */
  setStatus(status: StatusForms | undefined): void;
}

/** A page for pipes and files: what is printed and nothing else. */
export function createPlainPage(output: Writable, palette: Palette): Page {
  return {
    isLive: false,
    width: Infinity,
    palette,
    print(lines) {
      output.write(lines.map((line) => `${line}\n`).join(''));
    },
    setTail() {},
    setStatus() {},
  };
}

/**
 * Decides whether a stream gets colours.
 *
 * `NO_COLOR` (any value but an empty one) forbids them, see https://no-color.org; then `FORCE_COLOR`
 * asks for them, or forbids them as `0` or `false`; without either a terminal gets them, unless it
 * calls itself `dumb`.
 */
export function wantsColour(
  environment: Readonly<Record<string, string | undefined>>,
  stream: { readonly isTTY?: boolean },
): boolean {
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && environment.TERM !== 'dumb';
}

type Paint = (text: string) => string;

/** What text may look like. Without colours each of them gives the text back as it is. */
export interface Palette {
  readonly isColoured: boolean;
  readonly strong: Paint;
  readonly quiet: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
  readonly code: Paint;
  /** The colour of a seat, by its place in the seating from 0 on; neighbours differ. */
  readonly seat: (place: number) => Paint;
}

const seatColours = ['cyan', 'magenta', 'yellow', 'blue', 'green', 'redBright'] as const;

/** Decided before, by {@link wantsColour}; `styleText` must not decide again. */
const decided = { validateStream: false } as const;
const unchanged: Paint = (text) => text;

const coloured: Palette = {
  isColoured: true,
  strong: (text) => styleText('bold', text, decided),
  quiet: (text) => styleText('dim', text, decided),
  good: (text) => styleText('green', text, decided),
  warning: (text) => styleText('yellow', text, decided),
  bad: (text) => styleText('red', text, decided),
  code: (text) => styleText('cyan', text, decided),
  seat: (place) => (text) =>
    styleText(['bold', seatColours[place % seatColours.length] ?? 'cyan'], text, decided),
};

const uncoloured: Palette = {
  isColoured: false,
  strong: unchanged,
  quiet: unchanged,
  good: unchanged,
  warning: unchanged,
  bad: unchanged,
  code: unchanged,
  seat: () => unchanged,
};

/** The one of the two palettes. */
export function paletteFor(colour: boolean): Palette {
  return colour ? coloured : uncoloured;
}

/** Whoever read the output has gone, e.g. `head`: there is nobody left to write for, and nothing is wrong. */
export function isReaderGone(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE';
}

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

/**
 * A page for pipes and files: what is printed and nothing else.
 *
 * @param width - Columns, where a person reads the pipe in a terminal; else lines stay as long as they are.
 * @param output - Absent: nothing is written at all, e.g. where something else is printed in the end.
 */
export function createPlainPage(
  output: Writable | undefined,
  palette: Palette,
  width = Number.POSITIVE_INFINITY,
): Page {
  return {
    isLive: false,
    width,
    palette,
    print(lines) {
      output?.write(lines.map((line) => `${line}\n`).join(''));
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
  readonly emphasis: Paint;
  readonly link: Paint;
  readonly quiet: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
  readonly code: Paint;
  /** The colour of a seat, by its place in the seating from 0 on; neighbours differ. */
  readonly seat: (place: number) => Paint;
}

const seatColours = ['cyan', 'magenta', 'yellow', 'blue', 'green', 'redBright'] as const;

/**
 * The look of text, with colours or without.
 *
 * @param colour - As {@link wantsColour} decided; `styleText` must not decide again.
 */
export function paletteFor(colour: boolean): Palette {
  const paint =
    (format: Parameters<typeof styleText>[0]): Paint =>
    (text) =>
      colour ? styleText(format, text, { validateStream: false }) : text;
  return {
    isColoured: colour,
    strong: paint('bold'),
    emphasis: paint('italic'),
    link: paint('underline'),
    quiet: paint('dim'),
    good: paint('green'),
    warning: paint('yellow'),
    bad: paint('red'),
    code: paint('cyan'),
    seat: (place) => paint(['bold', seatColours[place % seatColours.length] ?? 'cyan']),
  };
}

/** The reader of the output has gone, e.g. `head`: there is nothing left to write for, and nothing is wrong. */
export function isReaderGone(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE';
}

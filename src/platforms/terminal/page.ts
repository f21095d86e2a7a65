/** The page on which turns are printed, its plain form for pipes, and its colours. */

import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** Returns a line about what goes on. */
export type Status = () => string;

export interface Page {
  /** Whether text can be shown while it grows. */
  readonly isLive: boolean;
  /** Whether each stage of a turn is printed, where a person watches a terminal that has no status. */
  readonly printsStages: boolean;
  /** Whether a person can type a command below what is printed. */
  readonly takesCommands: boolean;
  /** Columns for text; `Infinity` for no limit. */
  readonly width: number;
  readonly palette: Palette;
  /** Appends lines permanently. */
  print(lines: readonly string[]): void;
  /** Shows unfinished lines below the printed ones. */
  setTail(lines: readonly string[]): void;
  /** Shows a status at the bottom, called again as time passes. `undefined` removes it. */
  setStatus(status: Status | undefined): void;
}

/**
 * A page for pipes, files and terminals that can't redraw, which shows only the printed lines.
 *
 * @param width - In columns. Default: lines are not wrapped.
 * @param output - Without it, nothing is written, e.g. if the caller prints the result.
 */
export function createPlainPage(
  output: Writable | undefined,
  palette: Palette,
  width = Number.POSITIVE_INFINITY,
  printsStages = false,
): Page {
  return {
    isLive: false,
    printsStages,
    takesCommands: false,
    width,
    palette,
    print(lines) {
      output?.write(lines.map((line) => `${line}\n`).join(''));
    },
    setTail() {},
    setStatus() {},
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a stream is a terminal that can redraw lines. `TERM=dumb`, as in Emacs, can't: it is written to like a pipe. */
export function canRedraw(environment: Environment, stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && environment.TERM !== 'dumb';
}

/**
 * Decides whether to colour a stream.
 *
 * A non-empty `NO_COLOR` disables colours, see https://no-color.org. Otherwise `FORCE_COLOR` enables them,
 * or disables them if `0` or `false`. Without either, terminals that {@link canRedraw} get colours.
 */
export function wantsColour(
  environment: Environment,
  stream: { readonly isTTY?: boolean },
): boolean {
  if (environment.NO_COLOR) return false;
  const forced = environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return canRedraw(environment, stream);
}

export type Paint = (text: string) => string;

/** Text styles. Without colours, each returns the text unchanged. */
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
  /** The colour of a seat by its index; neighbours differ. */
  readonly seat: (index: number) => Paint;
}

const seatColours = ['cyan', 'magenta', 'yellow', 'blue', 'green', 'redBright'] as const;

/** @param colour - As decided by {@link wantsColour}; `styleText` does not check the stream again. */
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
    seat: (index) => paint(['bold', seatColours[index % seatColours.length] ?? 'cyan']),
  };
}

/** Whether the other end has closed the stream, as `head` does, or the window of a terminal. This is no error. */
export function isReaderGone(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'EIO');
}

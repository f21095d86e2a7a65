/** What a turn is written on: a stream of lines, or a terminal whose last lines are drawn anew. */

import type { Writable } from 'node:stream';
import type { Palette } from './colour.ts';

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

/** Whether there are colours, and which. */

import { styleText } from 'node:util';

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

/** What sages are called in charts. */

import { spelledOut } from '../domain/words.ts';
import type { Medium } from './drawing.ts';
import type { Faced } from './face.ts';

/** A sage as its turn shows it; its name is its own there. */
export type ChartedSage = Faced;

/** Its name, or where the letters of that can't be drawn its key in words, or its number among those that sat. */
export function labelIn(medium: Medium, sage: ChartedSage, sages: readonly ChartedSage[]): string {
  if (medium.canWrite(sage.name)) return sage.name;
  return sage.source === 'predefined' ? spelledOut(sage.key) : `Sage ${sages.indexOf(sage) + 1}`;
}

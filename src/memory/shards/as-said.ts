/** Messages as a shard that no model has compressed: who said what, one after the other. */

import type { ShardSource } from './source.ts';

const lineBreaks = /\r\n|[\r\n\u2028\u2029]/;

/** Each message begins a line with its speaker; its further lines are quoted, so that none looks like another speaker's. */
export function asSaid(sources: readonly ShardSource[]): string {
  return sources
    .map(({ by, shown }) => {
      const name = by.split(lineBreaks).join(' ');
      return `${name}: ${shown.trim().split(lineBreaks).join('\n> ')}`;
    })
    .join('\n');
}

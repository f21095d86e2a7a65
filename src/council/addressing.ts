/** "Taleb: what would break this?" asks one sage by name. */

import type { Sage } from '../domain/turn.ts';

/** A name at the very beginning, with an `@` or bold around it if need be, up to a colon. */
const address = /^\s*[@*_]*([\p{L}\p{N}][\p{L}\p{N} .'’_-]{0,79}?)[*_]*\s*[:：][*_]*\s*(?=\S)/u;

/**
 * Finds whom a text addresses.
 *
 * @returns The one sage of the bench whose key, whole name or a whole word of whose name (of at
 *   least three letters) stands before the first colon; `undefined` when none or several fit.
 */
export function addressedSage(text: string, bench: readonly Sage[]): Sage | undefined {
  const named = address.exec(text)?.[1]?.toLowerCase().replaceAll('_', ' ').trim();
  if (!named) return undefined;
  const whole = bench.filter((sage) => namesOf(sage).includes(named));
  if (whole.length > 0) return whole.length === 1 ? whole[0] : undefined;
  if (named.length < 3) return undefined;
  const partly = bench.filter((sage) => sage.name.toLowerCase().split(/\s+/).includes(named));
  return partly.length === 1 ? partly[0] : undefined;
}

/** Whether a text begins as if it addressed a person or a sage, known or not. */
export function addressesSomebody(text: string): boolean {
  return address.test(text);
}

function namesOf(sage: Sage): readonly string[] {
  return [sage.name.toLowerCase(), sage.key.toLowerCase().replaceAll('_', ' ')];
}

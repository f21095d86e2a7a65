/**
 * A shuffle that gives the same order for the same seed, so that a resumed turn shows a reviewer
 * the labels that it was shown before the crash.
 */

import { createHash } from 'node:crypto';

/**
 * Puts items in an order that only the seed decides: each item is sorted by a hash of seed and place.
 *
 * @param seed - E.g. turn id and reviewer. Others can't foresee the order as long as they don't know it.
 * @returns A new list with the same items.
 */
export function shuffle<Item>(items: readonly Item[], seed: string): Item[] {
  return items
    .map((item, index) => ({ item, weight: weightOf(seed, index) }))
    .sort((left, right) => (left.weight < right.weight ? -1 : 1))
    .map(({ item }) => item);
}

function weightOf(seed: string, index: number): string {
  return createHash('sha256').update(`${seed}\n${index}`).digest('hex');
}

import type { Sage } from '../../council/council.ts';

/**
 * Gives the names of sages by their keys.
 *
 * @param sages - Those that are known; of several with one key the last counts.
 * @returns Also for one that nobody knows any more, e.g. of an imported conversation.
 */
export function namesOf(sages: Iterable<Pick<Sage, 'key' | 'name'>>): (key: string) => string {
  const names = new Map(Array.from(sages, ({ key, name }) => [key, name]));
  return (key) => names.get(key) ?? spelledOut(key);
}

function spelledOut(key: string): string {
  return key
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

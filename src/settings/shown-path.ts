import { isAbsolute, relative } from 'node:path';

/**
 * A path as a person at the prompt would type it: seen from the current folder, or whole where it
 * lies outside of that.
 */
export function shownPath(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? path : fromHere;
}

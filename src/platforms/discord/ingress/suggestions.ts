import type { Sage } from '../../../council/council.ts';

/** Discord's own bounds. */
const mostSuggestions = 25;
const longest = 100;

export interface Suggestion {
  readonly name: string;
  readonly value: string;
}

/**
 * Sages that fit what is being typed: by key, name or description.
 *
 * @param isList - Several may be named, with commas between them; what stands before the last comma stays.
 */
export function suggestions(
  typed: string,
  bench: readonly Sage[],
  isList: boolean,
): readonly Suggestion[] {
  const comma = isList ? typed.lastIndexOf(',') : -1;
  const before = typed.slice(0, comma + 1);
  const word = typed
    .slice(comma + 1)
    .trim()
    .toLowerCase();
  const named = new Set(before.split(',').map((key) => key.trim()));
  const fits = (text: string) => text.toLowerCase().includes(word);
  return bench
    .filter(({ key }) => !named.has(key))
    .filter(({ key, name, description }) => [key, name, description].some(fits))
    .toSorted((one, other) => Number(fits(other.name)) - Number(fits(one.name)))
    .map((sage) => ({
      name: `${before}${sage.name}: ${sage.description}`.slice(0, longest),
      value: `${before}${sage.key}`,
    }))
    .filter(({ value }) => value.length <= longest)
    .slice(0, mostSuggestions);
}

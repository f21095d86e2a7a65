import type { Sage } from '../../../domain/turn.ts';
import { shortName } from '../../chat/text/visible-text.ts';
import type { Suggestion } from '../../platform.ts';

/** Discord's own bounds. */
const mostSuggestions = 25;
const longest = 100;

/** As Discord takes it. */
interface Choice {
  readonly name: string;
  readonly value: string;
}

/** A suggestion as Discord takes it; none where what is to be typed is too long for it. */
export function choiceFor({ label, value }: Suggestion): readonly Choice[] {
  return value.length > longest ? [] : [{ name: shortName(label, longest) || value, value }];
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
): readonly Choice[] {
  const comma = isList ? typed.lastIndexOf(',') : -1;
  const before = typed.slice(0, comma + 1);
  const word = typed
    .slice(comma + 1)
    .trim()
    .toLowerCase();
  const named = new Set(before.split(',').map((key) => key.trim()));
  return bench
    .filter(({ key }) => !named.has(key))
    .map((sage) => ({ sage, fit: fitOf(sage, word) }))
    .filter(({ fit }) => fit < noFit)
    .toSorted((one, other) => one.fit - other.fit)
    .map(({ sage }) => sage)
    .flatMap((sage) =>
      choiceFor({
        label: `${before}${sage.name}: ${sage.description}`,
        value: `${before}${sage.key}`,
      }),
    )
    .slice(0, mostSuggestions);
}

const noFit = 4;

/** The best match first: once a whole name is typed, its sage is on top, however many share a part of it. */
function fitOf({ key, name, description }: Sage, word: string): number {
  const names = [name.toLowerCase(), key];
  if (names.includes(word)) return 0;
  if (names.some((one) => one.startsWith(word))) return 1;
  if (names.some((one) => one.includes(word))) return 2;
  return description.toLowerCase().includes(word) ? 3 : noFit;
}

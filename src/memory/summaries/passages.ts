/** Finds what a text says of whom, by the names in it. */

import { bare, mostReadChars, sentencesOf } from './sentences.ts';

const word = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}'’&.-]*[\p{L}\p{M}\p{N}])?/gu;
const capitalised = /^\p{Lu}/u;
const genitive = /['’]s$/u;
/** A line may begin with this instead of a name. */
export const openLabel = 'Open';
/** A name stands at the beginning of its line, maybe after an article. */
const mostOpeningChars = 60;

/**
 * What is said of each of these people: the sentences that name them, and those after them that name
 * none of the others. Who is absent is not named. At most 20,000 characters are read.
 */
export function passagesAbout(names: readonly string[], text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let subjects: readonly string[] = [];
  for (const sentence of sentencesOf(bare(text.slice(0, mostReadChars)))) {
    const isNamed = namedIn(sentence);
    const named = names.filter(isNamed);
    if (named.length > 0) subjects = named;
    for (const name of subjects) found.set(name, `${found.get(name) ?? ''}\n${sentence}`);
  }
  return found;
}

/** How those lines begin that name none of these people, and are not about what is open. */
export function strangeLines(names: readonly string[], text: string): readonly string[] {
  return text
    .slice(0, mostReadChars)
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => bare(line).trim())
    .filter(
      (line) => /\p{L}/u.test(line) && !flattened(line).startsWith(` ${openLabel.toLowerCase()} `),
    )
    .map((line) => line.slice(0, mostOpeningChars).split(/[:：]/u, 1).join())
    .filter((opening) => !names.some(namedIn(opening)));
}

/**
 * Tells whether a text mentions a person or a sage: by the whole name, or by a part of it that is written as a
 * name, which is the last one of a sage's key.
 */
export function namedIn(text: string): (name: string) => boolean {
  const flat = flattened(text);
  const written = new Set(
    wordsOf(text)
      .filter((one) => capitalised.test(one))
      .map(flattened),
  );
  return (name) => {
    const wanted = flattened(name);
    if (wanted.trim() === '') return true;
    // Writing without spaces has no borders to a name.
    if (/[^\p{Script=Latin}\p{N}\s]/u.test(wanted)) return flat.includes(wanted.trim());
    const words = wordsOf(name.replaceAll('_', ' '));
    // Will and May are words, too.
    const isWord = words.length === 1 && capitalised.test(name);
    if (!isWord && flat.includes(wanted)) return true;
    const enough = name.includes('_') ? words.slice(-1) : words;
    return enough.some((one) => written.has(flattened(one)));
  };
}

function wordsOf(text: string): readonly string[] {
  return (spaced(text).match(word) ?? []).map((one) => one.replace(genitive, ''));
}

/** Words alone, in lower case, with a space around each. */
function flattened(text: string): string {
  const words = spaced(text).toLowerCase().replaceAll('_', ' ').replace(/['’]/gu, '');
  return ` ${(words.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? []).join(' ')} `;
}

/** With a space where writing with and without spaces meets. */
function spaced(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/(?<=\p{Script=Latin})(?=\p{L})(?!\p{Script=Latin})/gu, ' ')
    .replace(/(?<=\p{L})(?<!\p{Script=Latin})(?=\p{Script=Latin})/gu, ' ');
}

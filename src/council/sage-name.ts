/** The rules for a new sage's name: one line, and not to be mistaken for another sage or an authority. */

import { createHash } from 'node:crypto';
import type { Sage } from '../domain/turn.ts';
import { likeness, oneLine, wordLikenesses } from '../domain/words.ts';

type NamedSage = Pick<Sage, 'key' | 'name'>;

export const mostNameChars = 50;
/** Longer runs of combining marks overlap the neighbouring lines. */
const stackedMarks = /\p{M}{3,}/u;
/** Also the names by which addressing.ts finds a sage. */
const plainName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’・·-]*$/u;
/** Scripts that must not be mixed in one name. */
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** The likenesses of names that are separated by blanks; a hyphen stands for a blank within one. */
function listed(words: string): readonly string[] {
  return words.trim().split(/\s+/).map(likeness);
}

/** Words that suggest authority or the platform itself, refused anywhere in a name. */
const wordsOfOffice = listed(`
  admin admins administrator administrators moderator moderators mod mods staff owner official
  discord slack slackbot clyde bot everyone webhook
  админ администратор модератор`);

/** Names reserved by a platform, refused even as part of a word. */
const reservedParts = listed('discord clyde slackbot everyone');

/** Names reserved for the council, or that mean everyone. */
const reservedNames = listed(`
  council the-council chair the-chair verdict system support here channel you`);

/** Normalizes a name for storage: one line, single spaces, composed letters. */
export function tidyName(name: string): string {
  return oneLine(name.normalize('NFKC'));
}

/** Removed without leaving a space, e.g. soft hyphens. */
const invisibleCharacters = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu;
const forbiddenCharacters = /[^\p{L}\p{M}\p{N} .'’・·-]+/gu;
const beforeName = /^[^\p{L}\p{N}]+/u;

/**
 * Removes forbidden characters from a name and shortens it, after a whole word if possible. A trade loses its word of
 * office: `Bakery owner` becomes `Bakery expert`. {@link nameProblem} may still refuse the name.
 */
export function repairName(name: string): string {
  const spaced = tidyName(name).replace(invisibleCharacters, '').replace(forbiddenCharacters, ' ');
  const words = tidyName(spaced).replace(beforeName, '').split(' ');
  const isOffice = (word: string) => wordsOfOffice.includes(likeness(word));
  const trade = words.map((word) => (isOffice(word) ? 'expert' : word)).join(' ');
  const repaired = words.every(isOffice) ? words.join(' ') : trade.replace(/^expert/, 'Expert');
  if (repaired.length <= mostNameChars) return repaired;
  const cut = repaired.slice(0, mostNameChars + 1);
  const lastSpace = cut.lastIndexOf(' ');
  return cut.slice(0, lastSpace > 0 ? lastSpace : mostNameChars).trim();
}

/**
 * Checks the name of a new sage.
 *
 * @param name - As it was written.
 * @param bench - All sages that may be seated here; no new sage may be mistaken for one of them.
 * @returns For people: the problem; `undefined` if the name is fine.
 */
export function nameProblem(name: string, bench: readonly NamedSage[]): string | undefined {
  if (/[\r\n\u2028\u2029]/.test(name.trim())) return 'The name has more than one line.';
  const tidy = tidyName(name);
  if (tidy === '' || likeness(tidy) === '') return 'The name is empty.';
  if (tidy.length > mostNameChars) return `The name has ${tidy.length} characters.`;
  if (!plainName.test(tidy) || stackedMarks.test(tidy)) {
    return 'The name may contain only letters, digits, spaces, dots, hyphens and apostrophes.';
  }
  if (scripts.filter((script) => script.test(tidy)).length > 1) {
    return 'The name mixes letters of different scripts, which look alike.';
  }
  if (suggestsAuthority(tidy)) {
    return 'People could mistake the name for a person in charge here, the platform or the council itself.';
  }
  const twin = bench.find((sage) => isAlike(tidy, sage));
  return twin && `The name could be mistaken for ${twin.name}, another sage here.`;
}

/** Whether one name could be mistaken for a sage's. A part of a name counts, because people address sages by it; so does a longer name. */
function isAlike(name: string, sage: NamedSage): boolean {
  const whole = likeness(name);
  if ([sage.key, sage.key.replace(/^custom_/, '')].map(likeness).includes(whole)) return true;
  const words = wordLikenesses(name);
  const theirs = wordLikenesses(sage.name);
  return (
    whole === theirs.join('') ||
    words.every((word) => theirs.includes(word)) ||
    (theirs.length > 1 && theirs.every((word) => words.includes(word)))
  );
}

/** Whether a name suggests authority, even if such a word is split as in `Ad min`. */
function suggestsAuthority(name: string): boolean {
  const words = wordLikenesses(name);
  const whole = words.join('');
  if (reservedNames.includes(whole) || reservedParts.some((part) => whole.includes(part))) {
    return true;
  }
  return words.some((_, start) =>
    words.some((_, end) => wordsOfOffice.includes(words.slice(start, end + 1).join(''))),
  );
}

/** The key of a custom sage: `custom_` and its name, or a hash if the name isn't in Latin letters. */
export function customKey(name: string): string {
  const unmarked = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const isSpelled = /^[\p{ASCII}’]*$/u.test(unmarked);
  const spelled = unmarked.match(/[a-z0-9]+/g)?.join('_');
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `custom_${isSpelled && spelled ? spelled : digest}`;
}

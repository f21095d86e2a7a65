/** What members and the moderator may call a new sage: a name of one line that can't be mistaken for another's. */

import { createHash } from 'node:crypto';
import type { Sage } from '../domain/turn.ts';
import { likeness, oneLine, wordLikenesses } from '../domain/words.ts';

type NamedSage = Pick<Sage, 'key' | 'name'>;

const mostChars = 50;
/** Longer runs of combining marks climb over the neighbouring lines. */
const stackedMarks = /\p{M}{3,}/u;
/** Also what can address a sage: see addressing.ts. */
const plainName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’-]*$/u;
/** Scripts that are not written together in one name. */
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Words that speak for people in charge, or for the platform itself, wherever they stand in a name. */
const wordsOfOffice = [
  'admin',
  'admins',
  'administrator',
  'administrators',
  'moderator',
  'moderators',
  'mod',
  'mods',
  'staff',
  'owner',
  'official',
  'discord',
  'slack',
  'slackbot',
  'clyde',
  'bot',
  'everyone',
  'webhook',
  'админ',
  'администратор',
  'модератор',
].map(likeness);

/** Names that a platform keeps for itself, refused there as part of any other one. */
const partsTaken = ['discord', 'clyde', 'slackbot', 'everyone'].map(likeness);

/** Names that are the council's own, or mean everybody. */
const namesTaken = [
  'council',
  'the council',
  'chair',
  'the chair',
  'verdict',
  'system',
  'support',
  'here',
  'channel',
  'you',
].map(likeness);

/** A name as it is kept: one line, single spaces, composed letters. */
export function tidyName(name: string): string {
  return oneLine(name.normalize('NFKC'));
}

/** Signs that no name has; soft hyphens and their kind leave no gap behind. */
const unseenSigns = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu;
const otherSigns = /[^\p{L}\p{M}\p{N} .'’-]+/gu;
const beforeName = /^[^\p{L}\p{N}]+/u;

/**
 * The nearest name of the right form: other signs are taken out, and a long one ends after a whole word
 * where it can. Only the form is fixed, so {@link wrongWithName} may still refuse it.
 */
export function mendName(name: string): string {
  const spaced = tidyName(name).replace(unseenSigns, '').replace(otherSigns, ' ');
  const repaired = tidyName(spaced).replace(beforeName, '');
  if (repaired.length <= mostChars) return repaired;
  const cut = repaired.slice(0, mostChars + 1);
  const lastSpace = cut.lastIndexOf(' ');
  return cut.slice(0, lastSpace > 0 ? lastSpace : mostChars).trim();
}

/**
 * Says what is wrong with a name that a member wants to give a sage.
 *
 * @param name - As it was written.
 * @param bench - Everybody who could sit here; no new sage may be taken for one of them.
 * @returns Why not, for people, with what is expected; `undefined` when the name will do.
 */
export function complaintAboutName(name: string, bench: readonly NamedSage[]): string | undefined {
  const wrong = wrongWithName(name, bench);
  return (
    wrong &&
    `${wrong} Give it a name of one line and at most ${mostChars} letters, e.g. The Gardener.`
  );
}

/** As {@link complaintAboutName}, without what is expected instead. */
export function wrongWithName(name: string, bench: readonly NamedSage[]): string | undefined {
  if (/[\r\n\u2028\u2029]/.test(name.trim())) return 'The name has more than one line.';
  const tidy = tidyName(name);
  if (tidy === '' || likeness(tidy) === '') return 'The name is empty.';
  if (tidy.length > mostChars) return `The name has ${tidy.length} characters.`;
  if (!plainName.test(tidy) || stackedMarks.test(tidy)) {
    return 'The name has signs in it that no name has; letters, digits, spaces, dots, hyphens and apostrophes are taken.';
  }
  if (scripts.filter((script) => script.test(tidy)).length > 1) {
    return 'The name mixes letters of different scripts, which look alike.';
  }
  if (speaksForOffice(tidy)) {
    return 'People could take the name for a person in charge here, for the platform or for the council itself.';
  }
  const twin = bench.find((sage) => isAlike(tidy, sage));
  return twin && `The name could be taken for ${twin.name}, who sits here already.`;
}

/** Also by a part of the name, which is how people address a sage, and by a longer name around a whole one. */
function isAlike(name: string, sage: NamedSage): boolean {
  const wanted = likeness(name);
  if ([sage.key, sage.key.replace(/^custom_/, '')].map(likeness).includes(wanted)) return true;
  const words = wordLikenesses(name);
  const theirs = wordLikenesses(sage.name);
  return (
    wanted === theirs.join('') ||
    words.every((word) => theirs.includes(word)) ||
    (theirs.length > 1 && theirs.every((word) => words.includes(word)))
  );
}

/** Also where such a word is drawn out over several, as in `Ad min`. */
function speaksForOffice(name: string): boolean {
  const words = wordLikenesses(name);
  const whole = words.join('');
  if (namesTaken.includes(whole) || partsTaken.some((part) => whole.includes(part))) return true;
  return words.some((_, start) =>
    words.some((_, end) => wordsOfOffice.includes(words.slice(start, end + 1).join(''))),
  );
}

/** The key of a custom sage: `custom_` and its name, or a digest of a name that Latin letters don't spell. */
export function customKey(name: string): string {
  const unmarked = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const isSpelled = /^[\p{ASCII}’]*$/u.test(unmarked);
  const spelled = unmarked.match(/[a-z0-9]+/g)?.join('_');
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `custom_${isSpelled && spelled ? spelled : digest}`;
}

/** What a member may call a sage: a name of one line that nobody takes for somebody else's. */

import { createHash } from 'node:crypto';
import { likeness, wordsAlike } from '../domain/likeness.ts';
import type { Sage } from './council.ts';

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
  return name.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/**
 * Says what is wrong with a name that a member wants to give a sage.
 *
 * @param name - As it was written.
 * @param bench - Everybody who could sit here; no new sage may be taken for one of them.
 * @returns Why not, for people, with what is expected; `undefined` when the name will do.
 */
export function complaintAboutName(name: string, bench: readonly Sage[]): string | undefined {
  const expected = `Give it a name of one line and at most ${mostChars} letters, e.g. The Gardener.`;
  if (/[\r\n\u2028\u2029]/.test(name.trim())) return `The name has more than one line. ${expected}`;
  const tidy = tidyName(name);
  if (tidy === '' || likeness(tidy) === '') return `The name is empty. ${expected}`;
  if (tidy.length > mostChars) return `The name has ${tidy.length} characters. ${expected}`;
  if (!plainName.test(tidy) || stackedMarks.test(tidy)) {
    return `The name has signs in it that no name has; letters, digits, spaces, dots, hyphens and apostrophes are taken. ${expected}`;
  }
  if (scripts.filter((script) => script.test(tidy)).length > 1) {
    return `The name mixes letters of different scripts, which look alike. ${expected}`;
  }
  if (speaksForOffice(tidy)) {
    return `The name could be taken for somebody in charge here, for the platform or for the council itself. ${expected}`;
  }
  const twin = bench.find((sage) => isAlike(tidy, sage));
  return twin && `The name could be taken for ${twin.name}, who sits here already. ${expected}`;
}

/** Also by a part of the name, which is how people address a sage, and by a longer name around a whole one. */
function isAlike(name: string, sage: Sage): boolean {
  const wanted = likeness(name);
  if ([sage.key, sage.key.replace(/^custom_/, '')].map(likeness).includes(wanted)) return true;
  const words = wordsAlike(name);
  const theirs = wordsAlike(sage.name);
  return (
    wanted === theirs.join('') ||
    words.every((word) => theirs.includes(word)) ||
    (theirs.length > 1 && theirs.every((word) => words.includes(word)))
  );
}

/** Also where such a word is drawn out over several, as in `Ad min`. */
function speaksForOffice(name: string): boolean {
  const words = wordsAlike(name);
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

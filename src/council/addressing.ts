/** "Taleb: what would break this?", "Taleb, …" and "@taleb …" ask one sage by name; "Council, …" asks all. */

import type { Sage } from '../domain/turn.ts';

/** Names are no longer than this. */
const name = String.raw`[\p{L}\p{N}][\p{L}\p{N} .'’_-]{0,79}?`;
const marks = '[*_]*';
/** Whom a text may greet first, e.g. `hey Taleb, …`. */
const greeting = String.raw`(?:(?:hey|hi|hello|dear|ok|okay|hallo|liebe[r]?|salut|cher|hola|olá|oi|ciao)\s+)?`;
/** A name at the very beginning, with an `@` or bold around it if need be, up to a colon or a comma. */
const address = new RegExp(
  String.raw`^\s*${greeting}[@*_]*(${name})${marks}\s*[:：,，、][*_]*\s*(?=\S)`,
  'iu',
);
/** `@taleb`, wherever it stands; it goes on as a name of two or three words may. */
const atNames = /(?:^|[\s(])@([\p{L}\p{N}][\p{L}\p{N}'’_-]{1,79}(?: [\p{L}\p{N}'’-]{1,40}){0,2})/gu;
/** Beyond them no sage is addressed. */
const mostAtNames = 10;
const council = /^(?:council|sages)$/;

/**
 * Finds whom a text addresses.
 *
 * @returns The one sage of the bench whose key, whole name or a whole word of whose name (of at
 *   least three letters) stands before the first colon or comma, or after an `@`; `undefined` when none
 *   or several fit.
 */
export function addressedSage(text: string, bench: readonly Sage[]): Sage | undefined {
  const first = address.exec(text)?.[1];
  const named = first === undefined ? undefined : sageNamed(first, bench);
  if (named) return named;
  const called = atNamesIn(text).map((one) => sageAtStart(one, bench));
  // What begins with another person's name is theirs.
  if (/^\s*@/.test(text) && called[0] === undefined) return undefined;
  const [only, ...more] = new Set(called.filter((sage) => sage !== undefined));
  return more.length === 0 ? only : undefined;
}

/** Whether a text begins by addressing the council as a whole. */
export function addressesCouncil(text: string): boolean {
  const first = address.exec(text)?.[1] ?? /^\s*@(\S+)\s+\S/.exec(text)?.[1];
  return first !== undefined && council.test(first.toLowerCase());
}

/** Whether a text begins as if it addressed a person or a sage, known or not, or names one with an `@`. */
export function addressesSomebody(text: string): boolean {
  return address.test(text) || atNamesIn(text).length > 0;
}

function atNamesIn(text: string): readonly string[] {
  return [...text.matchAll(atNames)].slice(0, mostAtNames).map(([, named = '']) => named);
}

/** `taleb what would` begins with a name; the longest that fits is meant. */
function sageAtStart(words: string, bench: readonly Sage[]): Sage | undefined {
  const parts = words.split(' ');
  for (let length = parts.length; length > 0; length -= 1) {
    const sage = sageNamed(parts.slice(0, length).join(' '), bench);
    if (sage) return sage;
  }
  return undefined;
}

function sageNamed(given: string, bench: readonly Sage[]): Sage | undefined {
  const named = given.toLowerCase().replaceAll('_', ' ').trim();
  const whole = bench.filter((sage) => namesOf(sage).includes(named));
  if (whole.length > 0) return whole.length === 1 ? whole[0] : undefined;
  if (named.length < 3) return undefined;
  const partly = bench.filter((sage) => sage.name.toLowerCase().split(/\s+/).includes(named));
  return partly.length === 1 ? partly[0] : undefined;
}

function namesOf(sage: Sage): readonly string[] {
  return [sage.name.toLowerCase(), sage.key.toLowerCase().replaceAll('_', ' ')];
}

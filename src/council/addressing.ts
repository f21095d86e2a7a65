/** Finds out whom a text addresses: "Taleb: what would break this?", "Taleb, …", "@taleb …" or "Council, …". */

import type { Sage } from '../domain/turn.ts';
import { folded, sageNamed } from '../domain/words.ts';

/** Up to 80 characters. */
const name = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’_・·-]{0,79}?`;
const marks = '[*_]*';
/** A greeting before the name, e.g. `hey Taleb, …`. */
const greeting = String.raw`(?:(?:hey|hi|hello|dear|ok|okay|hallo|moin|liebe[r]?|salut|bonjour|coucou|chère?|hola|querid[ao]|olá|oi|ciao|buongiorno|car[ao]|hoi|beste|cześć|hej|drog[ia]|merhaba|selam|sayın|sevgili|привет|привіт|مرحبا|नमस्ते)\s+)?`;
/** A name at the very beginning, optionally bold or with an `@`, up to a colon or a comma. */
const address = new RegExp(
  String.raw`^\s*${greeting}[@*_]*(${name})${marks}\s*[:：,，、،][*_]*\s*(?=\S)`,
  'iu',
);
/** `@taleb` anywhere, with up to two more words that may belong to the name; never a call to all people. */
const atNames =
  /(?:^|[\s(])@(?!(?:everyone|here|channel)\b)([\p{L}\p{N}][\p{L}\p{M}\p{N}'’_・·-]{1,79}(?: [\p{L}\p{M}\p{N}'’・·-]{1,40}){0,2})/gu;
/** Follows a name in Japanese, Korean, Hindi and Turkish: `孔子さん、…`, `공자님, …`, `Ada Bey, …`. */
const honorific = /(?<=.)(?:さん|さま|様|先生|님|씨| जी| ji| Bey| Hanım|-san)$/u;
/** Further names are ignored. */
const mostAtNames = 10;
const council = /^(?:council|sages)$/;

interface AddressingOptions {
  /** Ignores a given name without an `@`, as in `Marcus, …`: it may be meant for a member of that name. */
  readonly ignoresGivenNames?: boolean;
}

/**
 * Finds the sage that a text addresses, before its first colon or comma or after an `@`, as {@link sageNamed} does.
 *
 * @returns `undefined` when no sage or several fit.
 */
export function addressedSage(
  text: string,
  bench: readonly Sage[],
  options: AddressingOptions = {},
): Sage | undefined {
  const first = address.exec(text)?.[1];
  const named = first === undefined ? undefined : called(first, bench, options);
  if (named) return named;
  // It begins with an unknown name, so it addresses that person.
  if (/^\s*@/.test(text) && !callsSage(text, bench)) return undefined;
  const sages = atNamesIn(text).map((one) => sageAtStart(one, bench));
  const [only, ...more] = new Set(sages.filter((sage) => sage !== undefined));
  return more.length === 0 ? only : undefined;
}

/** Whether a text begins with an `@` and the name of a sage, perhaps followed by further ones. */
export function callsSage(text: string, bench: readonly Sage[]): boolean {
  const [first = ''] = atNamesIn(text);
  return /^\s*@/.test(text) && sageAtStart(first, bench) !== undefined;
}

/** Whether a text begins by addressing the whole council. */
export function addressesCouncil(text: string): boolean {
  const first = address.exec(text)?.[1] ?? /^\s*@(\S+)\s+\S/.exec(text)?.[1];
  return first !== undefined && council.test(folded(first));
}

/** Whether a text begins by addressing any person or sage, known or not, or names one with an `@`. */
export function addressesAnyone(text: string): boolean {
  return address.test(text) || atNamesIn(text).length > 0;
}

function atNamesIn(text: string): readonly string[] {
  return [...text.matchAll(atNames)].slice(0, mostAtNames).map(([, named = '']) => named);
}

/** Finds the longest name at the start of words such as `taleb what would`. */
function sageAtStart(words: string, bench: readonly Sage[]): Sage | undefined {
  const parts = words.split(' ');
  for (let length = parts.length; length > 0; length -= 1) {
    const sage = called(parts.slice(0, length).join(' '), bench);
    if (sage) return sage;
  }
  return undefined;
}

function called(
  given: string,
  bench: readonly Sage[],
  { ignoresGivenNames = false }: AddressingOptions = {},
): Sage | undefined {
  const partOf = ignoresGivenNames ? (name: string) => name.replace(/^[^\s・]+/, '') : undefined;
  const plain = given.trim().replace(honorific, '');
  return sageNamed(given, bench, partOf) ?? sageNamed(plain, bench, partOf);
}

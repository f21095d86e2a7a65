/** Removes misleading invisible characters from untrusted text, and shows where links lead. */

import { firstCharacters, printable } from '../../../domain/words.ts';

const lineBreak = /\r\n?|[\u0085\u2028\u2029\v\f]/g;

/** Scripts in which a joiner or non-joiner changes the form of letters. */
const joiningScript =
  '\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}';
/** Invisible characters in positions where they are needed. */
const needed = [
  '(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic})',
  `(?<=[${joiningScript}])[\\u200c\\u200d](?=[${joiningScript}])`,
  '(?<=\\p{Script=Mong})[\\u180b-\\u180d\\u180f]',
  '(?<=\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
  '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,8})[\\u{e0020}-\\u{e007f}]', // the flags of England, Scotland and Wales
];
const unseen = new RegExp(`(?!${needed.join('|')})\\p{Default_Ignorable_Code_Point}`, 'gu');
/** More combining marks than any script needs; they would overlap neighbouring messages. */
const piledMarks = /(\p{M}{6})\p{M}+/gu;
/** Everything that looks like a space, including the empty braille cell. */
const spaces = /[\s\p{Z}\u2800]+/gu;

/**
 * Normalises line breaks to line feeds. Removes control characters except line feed and tab, unneeded invisible
 * characters, bidirectional controls, lone surrogates, and combining marks beyond six per letter. Emoji and all
 * scripts are preserved.
 */
export function visibleText(text: string): string {
  return printable(text.replace(lineBreak, '\n')).replace(unseen, '').replace(piledMarks, '$1');
}

/** Applies {@link visibleText} to a name and collapses white space to single spaces. May return an empty name. */
export function visibleName(name: string): string {
  return visibleText(name).replace(spaces, ' ').trim();
}

/** Applies {@link visibleName} and cuts between characters. @param longest - In UTF-16 units. */
export function shortName(name: string, longest: number): string {
  return firstCharacters(visibleName(name), longest).trim();
}

/**
 * A zero-width space. Inserted into e.g. a mention, it keeps the platform from activating it without changing how it
 * looks, unlike a backslash.
 */
export const unseenSpace = '\u200b';

/**
 * A link destination with an unambiguous host: no user name, no escapes. Matched right after the label, with what
 * platforms allow in between.
 */
const plainDestination = /\s*<?(https?:\/\/[\p{L}\p{N}.-]+(?::\d{1,5})?)(?=[/?#)>\s])/iuy;
const longestLabel = 300;

/**
 * Adds the host to the label of every Markdown link, so that `[bank.com](https://evil.example)` can't pass for the
 * bank's. Labels that are the address itself stay as they are. A link with an ambiguous host is disabled and shown as
 * written.
 */
export function showLinkHosts(text: string): string {
  return text.replace(/\]\(/g, (_, at: number) => {
    plainDestination.lastIndex = at + 2;
    const [, origin] = plainDestination.exec(text) ?? [];
    const host = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
    if (origin === undefined || host === undefined) return `]${unseenSpace}(`;
    const before = text.slice(Math.max(0, at - longestLabel), at);
    const label = before.slice(before.lastIndexOf('[') + 1);
    return showsHost(label, origin, host) ? '](' : ` (${host})](`;
  });
}

function showsHost(label: string, origin: string, host: string): boolean {
  if (label === host || label.endsWith(` (${host})`)) return true;
  const isAddress = label.startsWith(origin) && /^(?:[/?#]\S*)?$/.test(label.slice(origin.length));
  return isAddress && origin.toLowerCase().endsWith(`//${host}`);
}

/**
 * The name of a person or group that a question mentions. The invisible joiner keeps it from being read as
 * addressing a sage of the same name.
 */
export function writtenMention(name: string): string {
  return `@\u2060${name}`;
}

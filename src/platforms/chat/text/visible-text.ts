/** Makes foreign text honest: takes out what a reader cannot see but is misled by, and shows where links lead. */

import { firstCharacters } from '../../../domain/words.ts';

const lineBreak = /\r\n?|[\u0085\u2028\u2029\v\f]/g;
/** Control characters but line feed and tab, half characters, and marks that turn the writing direction. */
const misleading =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** Scripts in whose words a joiner or non-joiner changes how letters are written. */
const joiningScript =
  '\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}';
/** Characters without a shape of their own that are needed where they stand. */
const needed = [
  '(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic})',
  `(?<=[${joiningScript}])[\\u200c\\u200d](?=[${joiningScript}])`,
  '(?<=\\p{Script=Mong})[\\u180b-\\u180d\\u180f]',
  '(?<=\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
  '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{0,8})[\\u{e0020}-\\u{e007f}]', // the flags of England, Scotland and Wales
];
const unseen = new RegExp(`(?!${needed.join('|')})\\p{Default_Ignorable_Code_Point}`, 'gu');
/** Accents piled higher than any script needs are drawn over the messages around them. */
const piledMarks = /(\p{M}{6})\p{M}+/gu;
/** Everything that looks like a space, the empty braille cell included. */
const spaces = /[\s\p{Z}\u2800]+/gu;

/**
 * @returns The text with its line breaks as line feeds, and without control characters but line feed
 *   and tab, invisible characters that nothing needs, marks of the writing direction, half
 *   characters, and more than six accents on one letter. Emoji and all scripts stay as they are.
 */
export function visibleText(text: string): string {
  return text
    .replace(lineBreak, '\n')
    .replace(misleading, '')
    .replace(unseen, '')
    .replace(piledMarks, '$1');
}

/** A name as {@link visibleText} leaves it, on one line, with plain single spaces. May be empty. */
export function visibleName(name: string): string {
  return visibleText(name).replace(spaces, ' ').trim();
}

/** A name as {@link visibleName} leaves it, cut between characters to at most so many UTF-16 units. May be empty. */
export function shortName(name: string, longest: number): string {
  return firstCharacters(visibleName(name), longest).trim();
}

/**
 * A space without width. Put into what a platform would make live, e.g. a mention, it leaves the text
 * as it looks and takes the life out of it, where a backslash would be seen.
 */
export const unseenSpace = '\u200b';

/**
 * A destination whose host can be read without doubt: no user before it, no escapes in it. Looked for
 * right after the label, with what platforms allow in between.
 */
const plainDestination = /\s*<?(https?:\/\/[\p{L}\p{N}.-]+(?::\d{1,5})?)(?=[/?#)>\s])/iuy;
const longestLabel = 300;

/**
 * Shows where links lead: `[bank.com](https://evil.example)` must not pass for the bank's. Adds its host to
 * the label of every Markdown link, unless the label is the address itself; a link
 * whose host cannot be read without doubt is shown as it was written and leads nowhere.
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
 * A person or group that a question mentions, by name. The joiner, which is invisible, keeps it from being
 * read as an address to a sage of the same name.
 */
export function writtenMention(name: string): string {
  return `@\u2060${name}`;
}

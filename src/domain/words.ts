/** Formats text, names and times for display. */

/** Puts a text on one line: line breaks and runs of spaces become single spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Puts a text on one line and escapes its Markdown. */
export function inlineMarkdown(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>|#~]/g, '\\$&');
}

/**
 * Joins names for a sentence.
 *
 * @param most - The most items to show, at least 2; the last one counts the rest.
 * @param joint - The word before the last item.
 * @returns E.g. `A`, `A and B`, `A, B and 3 more`.
 */
export function listed(
  names: readonly string[],
  most = Number.POSITIVE_INFINITY,
  joint = 'and',
): string {
  const shown = names.length > most ? names.slice(0, most - 1) : names.slice(0, -1);
  const rest = names.length - shown.length;
  const last = rest > 1 ? `${rest} more` : (names.at(-1) ?? '');
  return shown.length === 0 ? last : `${shown.join(', ')} ${joint} ${last}`;
}

/** Formats a count with its noun, e.g. `1 vote`, `3 votes`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Compares texts by code units, independent of the locale. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * Returns a function from a sage's key to its name.
 *
 * @param sages - If a key occurs twice, the last one wins.
 * @param unknown - Names all other keys, e.g. from an imported conversation. Default: the key itself.
 */
export function namesOf(
  sages: Iterable<{ readonly key: string; readonly name: string }>,
  unknown: (key: string) => string = (key) => key,
): (key: string) => string {
  const names = new Map(Array.from(sages, ({ key, name }) => [key, name]));
  return (key) => names.get(key) ?? unknown(key);
}

/** Turns a sage's key into words, e.g. `marcus_aurelius` into `Marcus Aurelius`. */
export function nameFromKey(key: string): string {
  return key
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** `2026-11-21`, in UTC. @param at - Milliseconds since 1970. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** `2026-11-21 22:19`, in UTC. @param at - Milliseconds since 1970. */
export function shownTime(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Formats a time span, e.g. `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function agoInWords(elapsedMs: number): string {
  const minutes = Math.floor(elapsedMs / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** Formats a wait, rounded up, to follow `in`: `a minute`, `45 minutes`, `an hour`, `3 hours`. */
export function waitInWords(waitMs: number): string {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000));
  if (minutes < 60) return minutes === 1 ? 'a minute' : `${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours === 1 ? 'an hour' : `${hours} hours`;
}

/** Scripts that put no spaces between words, or none before particles, and their punctuation, for a pattern’s class. */
export const spacelessSigns = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\uff01-\uff65`;

const longestWord = 100;
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Letters, marks and digits, with apostrophes and dots inside a word. */
const spacedWord = /[\p{L}\p{M}\p{N}_]+(?:['’.][\p{L}\p{M}\p{N}_]+)*/gu;
/** Scripts without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** Splits a text of any script into words. Segments only text without spaces, because `Intl.Segmenter` is ten times slower. */
export function wordsIn(text: string): readonly string[] {
  if (!unspaced.test(text)) return text.match(spacedWord) ?? [];
  return [...words.segment(text)].flatMap(({ segment, isWordLike }) =>
    isWordLike ? [segment] : [],
  );
}

/** Removes the incomplete last word of a text that broke off, in any script. */
export function wholeWords(text: string): string {
  // The segmenter takes quadratic time for text without spaces.
  const start = Math.max(0, text.length - longestWord);
  const last = [...words.segment(text.slice(start))].at(-1);
  return (last?.isWordLike ? text.slice(0, start + last.index) : text).trimEnd();
}

/** Marks a time (ms since 1970), as Discord does, for the reader's time zone: `<t:1763763540>`. */
export function momentMark(at: number): string {
  return `<t:${Math.floor(at / 1000)}>`;
}

/**
 * Replaces the {@link momentMark}s of a text, also with escaped angle brackets.
 *
 * @param show - Formats a time in milliseconds since 1970.
 */
export function withMoments(text: string, show: (at: number) => string): string {
  return text.replace(/(?:<|&lt;)t:(\d{1,11})(?:>|&gt;)/g, (_, seconds: string) =>
    show(Number(seconds) * 1000),
  );
}

/** Replaces the moments in a text by times in UTC, for people. */
export function withUtcTimes(text: string): string {
  return withMoments(text, (at) => `${shownTime(at)} UTC`);
}

/** A text without case, width, Arabic's vowel signs, which few people write, and the dot that a Turkish `İ` leaves. */
export function plainLetters(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase();
  return plain.replace(/[\u0307\u0640\u064b-\u0652]+/g, '');
}

/** For comparing what people type: {@link plainLetters}, with Turkish capitals and Arabic's alefs in any spelling. */
export function folded(text: string): string {
  return plainLetters(text).replaceAll('ı', 'i').replace(/[أإآ]/g, 'ا');
}

/** {@link folded}, without accents, which many people leave out: `dziekuje`, `cafe`. */
export function unaccented(text: string): string {
  return folded(text.normalize('NFKD').replace(/[\u0300-\u036f]+/g, ''));
}

/** A name or key as lower-case words without accents and apostrophes: `devils advocate`, `zoe` for `Zoë 🦉`. */
export function nameWords(name: string): string {
  const plain = unaccented(name.replace(/['’]/g, ''));
  return plain.match(/[\p{L}\p{M}\p{N}]+/gu)?.join(' ') ?? '';
}

/**
 * Finds a sage by key, whole name, or whole words of its name (at least three letters).
 *
 * @param partOf - The part of a name that may stand for it alone. Default: any.
 * @returns `undefined` when none or several fit.
 */
export function sageNamed<Named extends { readonly key: string; readonly name: string }>(
  given: string,
  sages: readonly Named[],
  partOf = (name: string) => name,
): Named | undefined {
  const named = nameWords(given);
  const whole = sages.filter(({ key, name }) => [key, name].map(nameWords).includes(named));
  if (whole.length > 0 || named.length < 3) return whole.length === 1 ? whole[0] : undefined;
  const partly = sages.filter(({ name }) => ` ${nameWords(partOf(name))} `.includes(` ${named} `));
  return partly.length === 1 ? partly[0] : undefined;
}

const emoji = String.raw`(?:\p{Emoji_Modifier_Base}\p{EMod}|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)`;

/** A text of one emoji, by the grammar of UTS #51, section 1.4.9. `\p{RGI_Emoji}` takes 70 ms to compile, at every start. */
export const oneEmoji = new RegExp(
  String.raw`^(?:\p{RI}{2}|[\d#*]\ufe0f\u20e3|(?![\d#*\p{RI}])${emoji}(?:[\u{e0020}-\u{e007e}]+\u{e007f}|(?:\u200d${emoji})*))$`,
  'u',
);

/** Splits sentences by Unicode's rules, in any script. */
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Cuts a text between characters: platforms reject a post with half an emoji.
 *
 * @param longest - UTF-16 units.
 */
export function firstCharacters(text: string, longest: number): string {
  if (text.length <= longest) return text;
  let kept = '';
  for (const { segment } of characters.segment(text)) {
    if (kept.length + segment.length > longest) break;
    kept += segment;
  }
  return kept;
}

/** Cuts a text to at most `longest` UTF-16 units, at least 1. A cut text ends in `…`. */
export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${firstCharacters(text, longest - 1).trimEnd()}…`;
}

/**
 * The first whole sentences of a text, on one line, as many as fit; if the first doesn't, its start with `…`.
 *
 * @param maxChars - At least 1.
 */
export function firstSentences(text: string, maxChars: number): string {
  const line = oneLine(text);
  if (line.length <= maxChars) return line;
  return sentencesWhile((kept) => kept.length <= maxChars, line) || shortened(line, maxChars);
}

/** The first whole sentences of a text, on one line, as many as fit; empty if the first doesn't. */
export function sentencesWithin(text: string, mostWords: number): string {
  return sentencesWhile((kept) => wordsIn(kept).length <= mostWords, oneLine(text));
}

/** The first sentences, as long as they are short enough together. */
function sentencesWhile(isShort: (kept: string) => boolean, line: string): string {
  let kept = '';
  for (const { segment } of sentences.segment(line)) {
    if (!isShort((kept + segment).trimEnd())) break;
    kept += segment;
  }
  return kept.trimEnd();
}

/** Lower-case letters of other scripts and digits, each with the Latin letter it looks like. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    // Cyrillic
    'аa вb гr дd еe зe иu кk мm нh оo пn рp сc тt уy хx ѕs іi јj ԁd ԛq ԝw һh ӏi',
    // Greek
    'αa βb γy εe ηn ιi κk μu νv οo ρp σo τt υu χx ωw',
    // Latin letters with strokes or other forms, and small capitals
    'ıi łi øo đd ħh ŧt ɑa ɡg ɩi ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟi ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz',
    // Digits, and l
    '0o 1i 3e 4a 5s 7t 8b li',
  ]
    .join(' ')
    .split(' ')
    .map(([from = '', to = '']) => [from, to] as const),
);

/**
 * Reduces a name to how it looks: names with the same likeness are easily confused. Ignores case, accents,
 * punctuation, spaces and the script of letters that look the same. Empty for a name without letters and digits.
 */
export function likeness(name: string): string {
  return wordLikenesses(name).join('');
}

/** The {@link likeness} of each word. */
export function wordLikenesses(name: string): readonly string[] {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).map((word) =>
    [...word].map((sign) => lookalikes.get(sign) ?? sign).join(''),
  );
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const unprintable =
  /[[\p{Cc}--[\n\t]]\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gv;

/** Removes control characters except line feed and tab, bidirectional overrides and invalid code points. */
export function printable(text: string): string {
  return text.replace(unprintable, '');
}

/** Escapes text and quoted attributes, and makes it {@link printable}. */
export function escapeHtml(text: string): string {
  return printable(text.replace(/[&<>"']/g, (sign) => entities[sign] ?? ''));
}

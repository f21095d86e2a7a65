/** How texts, names and times are put into words, wherever they are shown. */

/** A text on one line: line breaks and runs of spaces become single spaces. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A text on one line that reads the same in Markdown: nothing in it works as a mark. */
export function inlineMarkdown(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>|#~]/g, '\\$&');
}

/**
 * Names in a sentence.
 *
 * @param most - How many items it may have, at least 2; the last one counts those that are left out.
 * @param joint - Stands before the last one.
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

/** A number of things, e.g. `1 vote`, `3 votes`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Orders texts by code units, so that no locale changes the order. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/**
 * Gives the names of sages by their keys.
 *
 * @param sages - The known ones; of several with one key the last counts.
 * @param unknown - Names every other key, e.g. that of a sage of an imported conversation. Default: the key itself.
 */
export function namesOf(
  sages: Iterable<{ readonly key: string; readonly name: string }>,
  unknown: (key: string) => string = (key) => key,
): (key: string) => string {
  const names = new Map(Array.from(sages, ({ key, name }) => [key, name]));
  return (key) => names.get(key) ?? unknown(key);
}

/** The words of a sage's key, e.g. `Marcus Aurelius` of `marcus_aurelius`. */
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

/** How long ago something was, e.g. `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function agoInWords(elapsedMs: number): string {
  const minutes = Math.floor(elapsedMs / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

const longestWord = 100;
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Letters, marks and digits, with what may stand within a word. */
const spacedWord = /[\p{L}\p{M}\p{N}_]+(?:['’.][\p{L}\p{M}\p{N}_]+)*/gu;
/** Scripts that put no space between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

/** The words of a text in any script. A segmenter would take ten times as long where there are spaces. */
export function wordsIn(text: string): readonly string[] {
  if (!unspaced.test(text)) return text.match(spacedWord) ?? [];
  return [...words.segment(text)].flatMap(({ segment, isWordLike }) =>
    isWordLike ? [segment] : [],
  );
}

/** A text that broke off anywhere, up to its last whole word, in any script. */
export function wholeWords(text: string): string {
  // A segmenter's time grows with the square of a text without spaces.
  const start = Math.max(0, text.length - longestWord);
  const last = [...words.segment(text.slice(start))].at(-1);
  return (last?.isWordLike ? text.slice(0, start + last.index) : text).trimEnd();
}

/**
 * A moment in a text for people: a mark that each platform shows in the reader's own zone. It is Discord's own
 * form, e.g. `<t:1763763540>`.
 *
 * @param at - Milliseconds since 1970.
 */
export function momentMark(at: number): string {
  return `<t:${Math.floor(at / 1000)}>`;
}

/**
 * Shows the moments of a text, whose angle brackets may have been escaped.
 *
 * @param show - Given milliseconds since 1970.
 */
export function withMoments(text: string, show: (at: number) => string): string {
  return text.replace(/(?:<|&lt;)t:(\d{1,11})(?:>|&gt;)/g, (_, seconds: string) =>
    show(Number(seconds) * 1000),
  );
}

/** Divides at sentence ends as Unicode has them, in any script. */
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The beginning of a text, cut between characters: half an emoji is no text, and platforms refuse
 * everything that holds one.
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

/** A text of at most so many UTF-16 units, 1 at least; what is cut ends in `…`. */
export function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${firstCharacters(text, longest - 1).trimEnd()}…`;
}

/**
 * The beginning of a text, in whole sentences, on one line.
 *
 * @param maxChars - Upper bound of the result, at least 1.
 * @returns As many whole sentences as fit. Where not even the first one fits, as much of it as does,
 *   ending in `…`. Never cuts through a character, however many code units it has.
 */
export function firstSentences(text: string, maxChars: number): string {
  const line = oneLine(text);
  if (line.length <= maxChars) return line;
  let kept = '';
  for (const { segment } of sentences.segment(line)) {
    if ((kept + segment).trimEnd().length > maxChars) break;
    kept += segment;
  }
  return kept.trimEnd() || shortened(line, maxChars);
}

/**
 * The beginning of a text, in whole sentences, on one line.
 *
 * @param mostWords - Upper bound of the result, in words of any script.
 * @returns As many whole sentences as fit; empty where not even the first one does.
 */
export function sentencesWithin(text: string, mostWords: number): string {
  const line = oneLine(text);
  if (wordsIn(line).length <= mostWords) return line;
  let kept = '';
  let left = mostWords;
  for (const { segment } of sentences.segment(line)) {
    left -= wordsIn(segment).length;
    if (left < 0) break;
    kept += segment;
  }
  return kept.trim();
}

/** Letters of other scripts, and digits, each with the Latin letter that it looks like; in lower case. */
const lookalikes: ReadonlyMap<string, string> = new Map(
  [
    // Cyrillic
    'аa вb гr дd еe зe иu кk мm нh оo пn рp сc тt уy хx ѕs іi јj ԁd ԛq ԝw һh ӏi',
    // Greek
    'αa βb γy εe ηn ιi κk μu νv οo ρp σo τt υu χx ωw',
    // Latin letters that are no plain ones, and small capitals
    'ıi łi øo đd ħh ŧt ɑa ɡg ɩi ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟi ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz',
    // Digits, and the letter that looks like one of them
    '0o 1i 3e 4a 5s 7t 8b li',
  ]
    .join(' ')
    .split(' ')
    .map(([from = '', to = '']) => [from, to] as const),
);

/**
 * Two names of the same likeness are easily taken for each other: case, accents, signs, spaces and
 * letters of other scripts that look the same make no difference. Empty for a name without letters
 * and digits.
 */
export function likeness(name: string): string {
  return wordsAlike(name).join('');
}

/** The likeness of each word. */
export function wordsAlike(name: string): readonly string[] {
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

/** For text and for attributes in quotes; also of the signs that reverse what is read, and of those that no page may hold. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? '')
    .replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu, (sign) =>
      /[\n\t]/.test(sign) ? sign : '',
    );
}

/** How texts, names and times are put into words, wherever they are shown. */

import type { Sage } from './turn.ts';

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
 * @returns E.g. `A`, `A and B`, `A, B and 3 more`.
 */
export function listed(names: readonly string[], most = Number.POSITIVE_INFINITY): string {
  const shown = names.length > most ? names.slice(0, most - 1) : names.slice(0, -1);
  const rest = names.length - shown.length;
  const last = rest > 1 ? `${rest} more` : (names.at(-1) ?? '');
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
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
  sages: Iterable<Pick<Sage, 'key' | 'name'>>,
  unknown: (key: string) => string = (key) => key,
): (key: string) => string {
  const names = new Map(Array.from(sages, ({ key, name }) => [key, name]));
  return (key) => names.get(key) ?? unknown(key);
}

/** The words of a sage's key, e.g. `Marcus Aurelius` of `marcus_aurelius`. */
export function spelledOut(key: string): string {
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

/** Divides at sentence ends as Unicode has them, in any script. */
const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

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
  return kept.trimEnd() || `${cut(line, maxChars - 1).trimEnd()}…`;
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * The beginning of a text, in whole sentences, on one line.
 *
 * @param mostWords - Upper bound of the result, in words as Unicode has them, in any script.
 * @returns As many whole sentences as fit; empty where not even the first one does.
 */
export function sentencesWithin(text: string, mostWords: number): string {
  let kept = '';
  let left = mostWords;
  for (const { segment } of sentences.segment(oneLine(text))) {
    for (const { isWordLike } of words.segment(segment)) if (isWordLike) left -= 1;
    if (left < 0) break;
    kept += segment;
  }
  return kept.trim();
}

function cut(line: string, maxChars: number): string {
  let kept = '';
  for (const { segment } of characters.segment(line)) {
    if (kept.length + segment.length > maxChars) break;
    kept += segment;
  }
  return kept;
}

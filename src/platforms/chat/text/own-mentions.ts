/** Mentions of the council in what people write. */

/** Stands for a mention, in whatever notation. People can't write it. */
export const ownMention = '\u0000';

/** With a title, as in `@Councilさん、`. Not the colon of an emoji. */
const addressEnd = /^\s*(?:さん|님)?\s*(?:[,，、،：]|:(?=\s))/;

/**
 * Takes mentions off both ends of a text. Those within it become the council's name, so that sentences stay whole.
 *
 * @param marked - With {@link ownMention} for each mention.
 * @returns `before`: what precedes the first mention; empty if nothing does, or if there is none.
 */
export function withoutOwnMentions(marked: string): {
  readonly words: string;
  readonly before: string;
} {
  const parts = marked.split(ownMention);
  const first = parts.findIndex((part) => part.trim() !== '');
  const last = parts.findLastIndex((part) => part.trim() !== '');
  const within = parts.slice(Math.max(0, first), last + 1).join('Council');
  const words = first > 0 ? within.replace(addressEnd, '') : within;
  return { words: words.trim(), before: parts.length > 1 ? (parts[0] ?? '').trim() : '' };
}

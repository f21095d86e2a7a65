/**
 * A space without width. Put into what a platform would make live, e.g. a mention, it leaves the text
 * as it looks and takes the life out of it, where a backslash would be seen.
 */
export const unseenSpace = '\u200b';

/** Parts backticks, of which Discord takes three for the begin or end of a block wherever they stand. */
export function partFences(text: string): string {
  return text.replace(/``(?=`)/g, `\`\`${unseenSpace}`);
}

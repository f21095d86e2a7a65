/**
 * A space without width. Put into what a platform would make live, e.g. a mention, it leaves the text
 * as it looks and takes the life out of it, where a backslash would be seen.
 */
export const unseenSpace = '\u200b';

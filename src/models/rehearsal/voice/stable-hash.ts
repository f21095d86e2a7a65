/** Choices that look free and are always the same for the same text. */

/** A list with at least one entry. */
export type Several<Entry> = readonly [Entry, ...Entry[]];

/** FNV-1a over UTF-16 code units, 32 bits, with a final mix so that neighbouring texts part. */
export function stableHash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** The entry that a number falls on; any number from 0. */
export function pick<Entry>(entries: Several<Entry>, number: number): Entry {
  return entries[number % entries.length] ?? entries[0];
}

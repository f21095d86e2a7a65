/** Bounds the depth of JSON from outside, because its validation, serialization and comparison are recursive. */

/** How many brackets may be open at once: ten times the depth of any document here. */
export const mostJsonLevels = 200;

/**
 * Finds the bracket that exceeds {@link mostJsonLevels}. Takes linear time.
 *
 * @param text - JSON, valid or not.
 * @returns Its index, or `undefined`.
 */
export function tooDeepAt(text: string): number | undefined {
  let level = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === '{' || sign === '[') {
      level += 1;
      if (level > mostJsonLevels) return at;
    } else if (sign === '}' || sign === ']') level -= 1;
  }
  return undefined;
}

/** An unclosed string matches up to the end. */
const stringOrBracket = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[{}[\]]/g;

/** The index after the bracket that closes the one at `start`; `undefined` if none does. */
export function jsonEnd(text: string, start: number): number | undefined {
  let open = 0;
  stringOrBracket.lastIndex = start;
  for (const { 0: mark, index } of text.matchAll(stringOrBracket)) {
    if (mark === '{' || mark === '[') open += 1;
    if (mark === '}' || mark === ']') open -= 1;
    if (open === 0) return index + 1;
  }
  return undefined;
}

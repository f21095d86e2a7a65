/** JSON from outside, bounded in depth: what checks, writes or compares it calls itself once for each level. */

/** How many brackets may be open at once; ten times what anything here needs. */
export const mostJsonLevels = 200;

/**
 * Where a text is nested too deeply; `undefined` if it is not. Reads it once, and most texts only as far
 * as to see that there are not enough brackets in them.
 *
 * @param text - JSON, or what may be.
 */
export function tooDeepAt(text: string): number | undefined {
  if (!holdsMoreThan(mostJsonLevels, text)) return undefined;
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

function holdsMoreThan(count: number, text: string): boolean {
  let found = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      found += 1;
      if (found > count) return true;
    }
  }
  return false;
}

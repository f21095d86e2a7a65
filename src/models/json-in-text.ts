/**
 * Finds JSON objects in a model's reply: alone, in a code fence, or within prose. Takes linear time for any
 * text.
 */

import { jsonEnd, mostJsonLevels, tooDeepAt } from '../domain/json.ts';

/** A JSON object, or why something that starts like one is malformed. */
export type FoundJson =
  | { readonly status: 'parsed'; readonly value: unknown }
  | { readonly status: 'malformed'; readonly problem: string };

/** Each malformed candidate costs a pass over the rest of the text. */
const maxMalformed = 8;
/** Each object is validated against a schema. */
const maxFound = 32;

/** Yields the objects in order: at most 32, and at most eight malformed ones. */
export function* findJson(text: string): Generator<FoundJson> {
  const start = /\{\s*["}]/g;
  let malformed = 0;
  for (let count = 0; count < maxFound && malformed < maxMalformed; count += 1) {
    const match = start.exec(text);
    if (match === null) return;
    const end = jsonEnd(text, match.index) ?? text.length;
    const found = parse(text.slice(match.index, end));
    yield found;
    if (found.status === 'malformed') malformed += 1;
    start.lastIndex = found.status === 'parsed' ? end : match.index + 1;
  }
}

/** The JSON object that a text ends with, from the beginning of a line and perhaps in a fence; else ''. */
export function objectAtEnd(text: string): string {
  const whole = text.trimEnd();
  const json = whole.endsWith('```') ? whole.slice(0, -3).trimEnd() : whole;
  if (!json.endsWith('}')) return '';
  const start = json.trimStart().startsWith('{') ? 0 : json.lastIndexOf('\n{');
  return start === -1 ? '' : text.slice(start);
}

function parse(json: string): FoundJson {
  if (tooDeepAt(json) !== undefined) {
    const problem = `It is nested more than ${mostJsonLevels} levels deep.`;
    return { status: 'malformed', problem };
  }
  try {
    return { status: 'parsed', value: JSON.parse(json) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return parseRepaired(json) ?? { status: 'malformed', problem };
  }
}

// An unclosed string matches up to the end. Otherwise the search would restart at every quote in it and take
// quadratic time. A quote inside a string ends it only where the JSON can go on.
const stringOrTrailingComma =
  /"[^"\\]*(?:(?:\\[\s\S]|"(?!\s*(?:[:}\]]|,\s*["{[}\]]|$)))[^"\\]*)*"?|,(?=\s*[}\]])/g;

/** A proper escape, or what should have been escaped: a quote, a lone backslash, a line break, a tab. */
const escapeOrRaw = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|["\\\n\r\t]/g;

/**
 * Repairs what models get wrong without changing the meaning: raw quotes, line breaks and backslashes in strings,
 * trailing commas.
 */
function parseRepaired(json: string): FoundJson | undefined {
  // A lone raw quote hides where the object ends.
  const object = json.slice(0, json.lastIndexOf('}') + 1);
  const repaired = object.replace(stringOrTrailingComma, (found) => {
    if (found === ',') return '';
    const inner = found.slice(1, found.length > 1 && found.endsWith('"') ? -1 : undefined);
    const escaped = inner.replace(escapeOrRaw, (part) =>
      part.length > 1 ? part : JSON.stringify(part).slice(1, -1),
    );
    return `"${escaped}"`;
  });
  try {
    return { status: 'parsed', value: JSON.parse(repaired) };
  } catch {
    // The caller reports the first error, whose position refers to the original text.
    return undefined;
  }
}

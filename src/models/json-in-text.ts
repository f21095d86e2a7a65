/**
 * Finds JSON objects in a model's reply: alone, in a code fence, or within prose. Takes linear time for any
 * text.
 */

/** A JSON object, or why something that starts like one is malformed. */
export type FoundJson =
  | { readonly status: 'parsed'; readonly value: unknown }
  | { readonly status: 'malformed'; readonly problem: string };

/** Each malformed candidate costs a pass over the rest of the text. */
const maxMalformed = 8;
/** Each object is validated against a schema. */
const maxFound = 32;
/** No real answer is nested so deeply; recursive code would run out of stack beyond it. */
const maxDepth = 200;

/** Yields the objects in order: at most 32, and at most eight malformed ones. */
export function* findJson(text: string): Generator<FoundJson> {
  const start = /\{\s*["}]/g;
  let malformed = 0;
  for (let count = 0; count < maxFound && malformed < maxMalformed; count += 1) {
    const match = start.exec(text);
    if (match === null) return;
    const { end, depth } = extentOf(text, match.index);
    const found = depth > maxDepth ? tooDeep : parse(text.slice(match.index, end));
    yield found;
    if (found.status === 'malformed') malformed += 1;
    start.lastIndex = found.status === 'parsed' ? end : match.index + 1;
  }
}

const tooDeep: FoundJson = {
  status: 'malformed',
  problem: `It is nested more than ${maxDepth} levels deep.`,
};

/**
 * Measures the object that begins at `start`: the index after its closing brace, or the end of the text if it
 * is never closed, and its nesting depth.
 */
function extentOf(text: string, start: number): { readonly end: number; readonly depth: number } {
  let open = 0;
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') {
        index += 1;
      } else if (character === '"') {
        inString = false;
      }
    } else if (character === '"') {
      inString = true;
    } else if (character === '{' || character === '[') {
      open += 1;
      depth = Math.max(depth, open);
    } else if (character === '}' || character === ']') {
      open -= 1;
      if (open === 0) {
        return { end: index + 1, depth };
      }
    }
  }
  return { end: text.length, depth };
}

function parse(json: string): FoundJson {
  try {
    return { status: 'parsed', value: JSON.parse(json) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return parseRepaired(json) ?? { status: 'malformed', problem };
  }
}

// An unclosed string matches up to the end. Otherwise the search would restart at every quote in it and take
// quadratic time.
const stringOrTrailingComma = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|,(?=\s*[}\]])/g;

/** Repairs what small models get wrong without changing the meaning: raw line breaks in strings, trailing commas. */
function parseRepaired(json: string): FoundJson | undefined {
  const repaired = json.replace(stringOrTrailingComma, (found) =>
    found === ','
      ? ''
      : found.replace(/[\n\r\t]/g, (control) => JSON.stringify(control).slice(1, -1)),
  );
  if (repaired === json) {
    return undefined;
  }
  try {
    return { status: 'parsed', value: JSON.parse(repaired) };
  } catch {
    // The caller reports the first error, whose position refers to the original text.
    return undefined;
  }
}

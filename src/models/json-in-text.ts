/**
 * Finds the JSON objects in what a model wrote: alone, in a fence, or between sentences.
 *
 * Takes time in proportion to the text, whatever it is.
 */

/** An object that was found, or why something that begins like one is none. */
export type FoundJson =
  | { readonly status: 'parsed'; readonly value: unknown }
  | { readonly status: 'malformed'; readonly problem: string };

// Each candidate that comes to nothing costs a pass over the rest of the text.
const maxMalformed = 8;
/** More objects than a reply has use for, each of which is held against a schema. */
const maxFound = 32;
/** No answer is nested so deeply, and what walks through a deeper one would run out of stack. */
const maxDepth = 200;

/** Gives what is found in order, at most 32 objects of which at most eight are malformed. */
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
 * How far the object goes that begins at `start`, up to the index after the brace that closes it, and how
 * deep. One that is never closed goes to the end of the text.
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
    return parseMended(json) ?? { status: 'malformed', problem };
  }
}

// A string that is never closed goes to the end: were it none, each quote in it would be looked at again
// for the beginning of one, up to the end each time.
const stringOrTrailingComma = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|,(?=\s*[}\]])/g;

/** Small models break lines inside strings and end lists with a comma; no meaning is lost in mending that. */
function parseMended(json: string): FoundJson | undefined {
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
    // The first error is the one to tell: its position is in the text as it was written.
    return undefined;
  }
}

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

/** Gives what is found in order, at most eight malformed ones. Nothing for a text without an object. */
export function* findJson(text: string): Generator<FoundJson> {
  const whole = withoutByteOrderMark(text).trim();
  if (whole.startsWith('{') && whole.endsWith('}')) {
    const found = parse(whole);
    if (found.status === 'parsed') {
      yield found;
      return;
    }
  }
  const start = /\{\s*["}]/g;
  let malformed = 0;
  for (let match = start.exec(whole); match !== null; match = start.exec(whole)) {
    const end = endOfObject(whole, match.index);
    const found = parse(whole.slice(match.index, end));
    yield found;
    if (found.status === 'parsed') {
      start.lastIndex = end;
      continue;
    }
    malformed += 1;
    if (malformed === maxMalformed) {
      return;
    }
    start.lastIndex = match.index + 1;
  }
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The index after the brace that closes the object which begins at `start`; the text's length if none does. */
function endOfObject(text: string, start: number): number {
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
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth === 0) {
        return index + 1;
      }
    }
  }
  return text.length;
}

function parse(json: string): FoundJson {
  try {
    return { status: 'parsed', value: JSON.parse(json) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return parseMended(json) ?? { status: 'malformed', problem };
  }
}

const stringOrTrailingComma = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|,(?=\s*[}\]])/g;

/** Small models break lines inside strings and end lists with a comma; no meaning is lost in mending that. */
function parseMended(json: string): FoundJson | undefined {
  const mended = json.replace(stringOrTrailingComma, (found) =>
    found === ','
      ? ''
      : found.replace(/[\n\r\t]/g, (control) => JSON.stringify(control).slice(1, -1)),
  );
  if (mended === json) {
    return undefined;
  }
  try {
    return { status: 'parsed', value: JSON.parse(mended) };
  } catch {
    // The first error is the one to tell: its position is in the text as it was written.
    return undefined;
  }
}

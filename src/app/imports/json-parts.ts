/** Streams a JSON file of any length part by part, without holding all of it in memory. */

import { JSONParser, TokenType } from '@streamparser/json';
import { mostJsonLevels } from '../../domain/json.ts';

/** Opens a file; each call reads it from the beginning. */
export type OpenFile = () => AsyncIterable<Uint8Array>;

/** E.g. `['threads', 0, 'messages', 12]`. */
export type JsonPath = readonly (string | number)[];

export interface JsonPart {
  readonly path: JsonPath;
  readonly value: unknown;
}

/** The file is malformed. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
  /** E.g. `line 4, column 12`, or `messages[3].role`. */
  readonly position: string;

  constructor(position: string, why: string) {
    super(why);
    this.position = position;
  }
}

/**
 * Yields the elements of lists as they are read, and returns the rest of the file.
 *
 * @param lists - Paths of the lists, e.g. `threads.*.messages`.
 * @throws {DamagedFile} if the file is not JSON, or is nested too deeply.
 */
export async function* jsonParts(
  open: OpenFile,
  lists: readonly string[],
): AsyncGenerator<JsonPart, unknown> {
  let parts: JsonPart[] = [];
  let rest: unknown;
  const parser = new JSONParser({ paths: ['$', ...lists.map((list) => `$.${list}.*`)] });
  parser.onValue = ({ value, key, parent, stack }) => {
    if (stack.length === 0) {
      rest = value;
    } else if (Array.isArray(parent) && key !== undefined) {
      const above = stack.slice(1).flatMap((one) => one.key ?? []);
      parts.push({ path: [...above, key], value });
      parent.length -= 1;
    }
  };
  let [read, token, level] = [0, 0, 0];
  parser.onToken = ({ token: type, offset }) => {
    token = offset;
    if (type === TokenType.LEFT_BRACE || type === TokenType.LEFT_BRACKET) level += 1;
    else if (type === TokenType.RIGHT_BRACE || type === TokenType.RIGHT_BRACKET) level -= 1;
    if (level > mostJsonLevels) throw new TooDeep();
  };
  const damaged = async (error: unknown, at: number) => {
    if (!(error instanceof Error)) throw error;
    const why =
      error instanceof TooDeep
        ? `it is nested more than ${mostJsonLevels} levels deep`
        : 'this is not JSON';
    return new DamagedFile(await positionAt(open, at), why);
  };
  for await (const bytes of open()) {
    try {
      parser.write(bytes);
    } catch (error) {
      const inside = error instanceof Error && /absolute position "(\d+)"/.exec(error.message)?.[1];
      throw await damaged(error, inside ? Number(inside) : token);
    }
    read += bytes.length;
    yield* parts;
    parts = [];
  }
  try {
    if (!parser.isEnded) parser.end();
  } catch (error) {
    throw await damaged(error, read);
  }
  if (read === 0) throw await damaged(new SyntaxError('It is empty.'), 0);
  return rest;
}

class TooDeep extends Error {}

/** @param offset - In bytes. @returns E.g. `line 4, column 12`. */
async function positionAt(open: OpenFile, offset: number): Promise<string> {
  const decoder = new TextDecoder();
  let left = offset;
  let [line, column] = [1, 1];
  for await (const bytes of open()) {
    const lines = decoder.decode(bytes.subarray(0, left), { stream: true }).split('\n');
    const last = lines.at(-1)?.length ?? 0;
    column = lines.length > 1 ? last + 1 : column + last;
    line += lines.length - 1;
    left -= bytes.length;
    if (left <= 0) break;
  }
  return `line ${line}, column ${column}`;
}

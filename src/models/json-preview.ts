/** Parses a JSON object while it streams in, so that it can be shown as it grows. */

import { parse } from 'jsonriver';

/** Callbacks for the object while it grows. */
export interface PreviewListener {
  /** Called with the object so far, at most once per chunk. It keeps changing in place, so read it at once. */
  onPartial?(value: unknown): void;
  /** Called when the value at a path, e.g. `['seats', 0]`, is complete and won't change. */
  onSettled?(path: readonly (string | number)[], value: unknown): void;
}

/** The start of a JSON object; a brace alone also occurs in prose. */
const objectStart = /\{\s{0,64}"/;
const possibleStart = /\{\s{0,64}$/;

/**
 * The limit of open brackets, including those in strings: each level costs a step for every value below it.
 * The reader of the whole reply has the same limit.
 */
const maxOpenBrackets = 200;

/** Text that adds nothing for this long is not JSON or only blanks, and costs more and more to parse. */
const maxCharsWithoutProgress = 4096;

/** Creates a parser that takes a text in pieces and reports its first object to the listener. */
export function createJsonPreview(listener: PreviewListener) {
  let state: 'searching' | 'reading' | 'over' = 'searching';
  let prose = '';
  let charsWithoutProgress = 0;
  let openBrackets = 0;
  let fault: { readonly error: unknown } | undefined;
  /** Resolves when the parser asks for the next piece or has ended. */
  let waits = Promise.withResolvers<void>();
  /** Gives the parser its next piece; `undefined` ends it. */
  let give: (piece: string | undefined) => void = () => undefined;

  async function* pieces(): AsyncGenerator<string> {
    while (state !== 'over') {
      const next = Promise.withResolvers<string | undefined>();
      give = next.resolve;
      waits.resolve();
      const piece = await next.promise;
      if (piece !== undefined) yield piece;
    }
  }

  function notify(call: () => void): void {
    if (state === 'over') return;
    try {
      call();
    } catch (error) {
      fault = { error };
      throw error;
    }
  }

  async function read(): Promise<void> {
    try {
      const values = parse(pieces(), {
        ...(listener.onSettled && {
          completeCallback: (value, path) =>
            notify(() => listener.onSettled?.(path.segments(), value)),
        }),
      });
      for await (const value of values) {
        charsWithoutProgress = 0;
        notify(() => listener.onPartial?.(value));
      }
    } catch {
      // The text is not JSON, or the listener threw; `take` rethrows the listener's error.
    } finally {
      state = 'over';
      waits.resolve();
    }
  }

  /**
   * Parses the next piece of the text, ignoring prose or a fence before the object and everything after it.
   * Resolves once the listener was notified. Unreadable text is not reported; throws only what the listener
   * throws.
   */
  async function take(piece: string): Promise<void> {
    if (state === 'over') return;
    let json = piece;
    if (state === 'searching') {
      prose += piece;
      const start = prose.search(objectStart);
      if (start === -1) {
        prose = possibleStart.exec(prose)?.[0] ?? '';
        return;
      }
      json = prose.slice(start);
      state = 'reading';
      void read();
      await waits.promise;
    }
    openBrackets += bracketsLeftOpen(json);
    if (openBrackets > maxOpenBrackets) {
      close();
      return;
    }
    charsWithoutProgress += json.length;
    waits = Promise.withResolvers();
    give(json);
    await waits.promise;
    if (fault !== undefined) {
      throw fault.error;
    }
    if (charsWithoutProgress > maxCharsWithoutProgress) {
      close();
    }
  }

  /** Ends the preview: the listener is not notified again. */
  function close(): void {
    state = 'over';
    give(undefined);
  }

  return { take, close };
}

/** The number of opening brackets minus the closing ones. */
function bracketsLeftOpen(text: string): number {
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '[' || character === '{') open += 1;
    else if (character === ']' || character === '}') open -= 1;
  }
  return open;
}

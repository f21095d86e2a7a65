/** Reads a JSON object while it is being written, for showing it as it grows. */

import { parse } from 'jsonriver';

/** Who is told of what can be read so far. */
export interface PreviewListener {
  /**
   * The object as far as it has come, at most once per chunk. It goes on changing in place: take
   * from it what is wanted, at once.
   */
  onPartial?(value: unknown): void;
  /** A value at a path is complete and will not change any more, e.g. `['seats', 0]`. */
  onSettled?(path: readonly (string | number)[], value: unknown): void;
}

/** Where a JSON object begins; single braces occur in prose. */
const objectStart = /\{\s{0,64}"/;
const possibleStart = /\{\s{0,64}$/;

/**
 * How many brackets may be open, those in strings included: each level costs a step for each value below
 * it, and what reads the whole reply takes no more.
 */
const maxOpenBrackets = 200;

/** A text that adds nothing for so long, in characters, is no JSON, or only blanks: reading on would cost ever more. */
const maxCharsWithoutProgress = 4096;

/** Reads one object out of the pieces of a text, and tells a listener of it. */
export function createJsonPreview(listener: PreviewListener) {
  let state: 'searching' | 'reading' | 'over' = 'searching';
  let prose = '';
  let charsWithoutProgress = 0;
  let openBrackets = 0;
  let fault: { readonly error: unknown } | undefined;
  const handover = createHandover();

  function tell(call: () => void): void {
    if (state === 'over') {
      return;
    }
    try {
      call();
    } catch (error) {
      fault = { error };
      throw error;
    }
  }

  async function read(): Promise<void> {
    try {
      const values = parse(handover.pieces, {
        ...(listener.onSettled && {
          completeCallback: (value, path) =>
            tell(() => listener.onSettled?.(path.segments(), value)),
        }),
      });
      for await (const value of values) {
        charsWithoutProgress = 0;
        tell(() => listener.onPartial?.(value));
      }
    } catch {
      // Either the text is no JSON, or the listener threw: `take` throws that again.
    } finally {
      state = 'over';
      handover.end();
    }
  }

  /**
   * Takes the next piece of the text; prose or a fence before the object is passed over, and whatever
   * comes after it is ignored. Settles when the listener has been told. Never throws for what the text
   * is: what can't be read is simply not shown. Throws what the listener throws.
   */
  async function take(piece: string): Promise<void> {
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
    }
    if (state === 'over') {
      return;
    }
    openBrackets += bracketsLeftOpen(json);
    if (openBrackets > maxOpenBrackets) {
      close();
      return;
    }
    charsWithoutProgress += json.length;
    await handover.give(json);
    if (fault !== undefined) {
      throw fault.error;
    }
    if (charsWithoutProgress > maxCharsWithoutProgress) {
      close();
    }
  }

  /** The text has ended or is void: the listener is told nothing more. */
  function close(): void {
    state = 'over';
    handover.end();
  }

  return { take, close };
}

/** How many more brackets are opened than closed. */
function bracketsLeftOpen(text: string): number {
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '[' || character === '{') open += 1;
    else if (character === ']' || character === '}') open -= 1;
  }
  return open;
}

/** Hands pieces from a writer to a reader one by one, so that neither runs ahead. */
function createHandover() {
  let given = Promise.withResolvers<string | undefined>();
  let taken = Promise.withResolvers<void>();
  let isOver = false;

  async function* pieces(): AsyncGenerator<string> {
    while (!isOver) {
      const piece = await given.promise;
      if (piece === undefined) return;
      given = Promise.withResolvers();
      yield piece;
      taken.resolve();
    }
  }

  return {
    pieces: pieces(),
    /** Settles when the reader has done with the piece and asks for the next, or has ended. */
    async give(piece: string): Promise<void> {
      if (isOver) return;
      taken = Promise.withResolvers();
      given.resolve(piece);
      await taken.promise;
    },
    end(): void {
      isOver = true;
      given.resolve(undefined);
      taken.resolve();
    },
  };
}

/** Parses a JSON object while it streams in, so that it can be shown as it grows. */

import { JSONParser } from '@streamparser/json';
import { mostJsonLevels } from '../domain/json.ts';

/** Callbacks for the object while it grows. */
export interface PreviewListener {
  /**
   * Called with the object so far, at most once per chunk. It keeps changing in place. A text in a list is in it only
   * once it is complete.
   */
  onPartial?(value: object): void;
  /** Called when the value at a path, e.g. `['seats', 0]`, is complete and won't change. */
  onSettled?(path: readonly (string | number)[], value: unknown): void;
}

/** The start of a JSON object; a brace alone also occurs in prose. */
const objectStart = /\{\s{0,64}"/;
const possibleStart = /\{\s{0,64}$/;

/** Text that adds nothing for this long is not JSON or only blanks. */
const maxCharsWithoutProgress = 4096;

/** Creates a parser that takes a text in pieces and reports its first object to the listener. */
export function createJsonPreview(listener: PreviewListener) {
  let state: 'searching' | 'reading' | 'over' = 'searching';
  let prose = '';
  let charsWithoutProgress = 0;
  let object: object | undefined;
  /** What the current piece brought. */
  let hasGrown = false;
  let settled: { readonly path: (string | number)[]; readonly value: unknown }[] = [];
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true });
  parser.onError = () => {
    // What follows the object is prose again.
    if (state === 'over') return;
    state = 'over';
    hasGrown = false;
    settled = [];
  };
  parser.onValue = ({ value, key, parent, stack, partial }) => {
    if (stack.length > mostJsonLevels) throw new RangeError('This is nested too deeply.');
    if (!partial) {
      const path = [...stack.map((above) => above.key), key].filter((part) => part !== undefined);
      settled.push({ path, value });
      hasGrown = true;
      if (path.length === 0) state = 'over';
    } else if (object === undefined) {
      object = parent;
      hasGrown = true;
    } else if (typeof value === 'string' && typeof key === 'string' && parent) {
      Reflect.set(parent, key, value);
      hasGrown = true;
    }
  };

  /**
   * Parses the next piece of the text, ignoring prose or a fence before the object and everything after it.
   * Unreadable text is not reported; throws only what the listener throws.
   */
  function take(piece: string): void {
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
    }
    hasGrown = false;
    parser.write(json);
    for (const { path, value } of settled) listener.onSettled?.(path, value);
    settled = [];
    charsWithoutProgress = hasGrown ? 0 : charsWithoutProgress + json.length;
    if (object && hasGrown) listener.onPartial?.(object);
    if (charsWithoutProgress > maxCharsWithoutProgress) close();
  }

  /** Ends the preview: the listener is not notified again. */
  function close(): void {
    state = 'over';
  }

  return { take, close };
}

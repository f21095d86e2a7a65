/** A text that people read while a model writes it. */

/** Models write faster than people read and than platforms take edits: growth is told 25 times a second at most. */
const leastGapMs = 40;

/**
 * Follows one field of a reply while it is written.
 *
 * @param field - Its name, e.g. `answer`.
 * @param tell - Gets the whole text so far, see {@link throttle}.
 * @returns `text` is what there is so far; the two verbs are those of a `ShapeListener`.
 */
export function growingText(field: string, tell: (text: string) => void) {
  const tellNow = throttle(tell);
  let text = '';
  const grow = (grown: string) => {
    if (grown === text) return;
    text = grown;
    tellNow(grown);
  };
  return {
    get text() {
      return text;
    },
    onPartial(reply: unknown) {
      const isObject = typeof reply === 'object' && reply !== null;
      const value: unknown = isObject ? Reflect.get(reply, field) : undefined;
      grow(typeof value === 'string' ? value : '');
    },
    onRestart: () => grow(''),
  };
}

/**
 * Passes on a growing text, unless the last one was passed on less than 40 ms ago.
 *
 * What is left out is in the next text that is passed on, or in the event that ends the growth; a
 * text that begins anew, shorter than before, is always passed on.
 */
export function throttle(tell: (text: string) => void): (text: string) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let toldChars = 0;
  return (text) => {
    const now = performance.now();
    if (text.length >= toldChars && now - toldAt < leastGapMs) return;
    toldAt = now;
    toldChars = text.length;
    tell(text);
  };
}

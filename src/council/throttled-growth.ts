/** Models write faster than people read and than platforms take edits: growth is told 25 times a second at most. */
const leastGapMs = 40;

/**
 * Follows one text of a reply while it is written.
 *
 * What is not told is in the next text that is, or in the event that ends the growth; a text that begins
 * anew, shorter than before, is always told.
 *
 * @param field - Its name in the reply, e.g. `answer`.
 * @param tell - Gets the whole text so far, unless the last one was told less than 40 ms ago.
 * @returns What there is so far, and the two verbs of a `ShapeListener`.
 */
export function growingText(field: string, tell: (text: string) => void) {
  let text = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  let toldChars = 0;
  const grow = (grown: string) => {
    if (grown === text) return;
    text = grown;
    const now = performance.now();
    if (grown.length >= toldChars && now - toldAt < leastGapMs) return;
    toldAt = now;
    toldChars = grown.length;
    tell(grown);
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

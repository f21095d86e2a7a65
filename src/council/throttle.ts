/** Models write faster than people read and than platforms take edits: growth is told 25 times a second at most. */

const leastGapMs = 40;

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

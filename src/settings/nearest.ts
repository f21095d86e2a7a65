/**
 * The known word that a mistyped one was probably meant to be, or none when all are too far off.
 * Case, `_` and `-` don't count, so that `max_sages` finds `maxSages`.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = folded(word);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, folded(candidate));
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

/** No setting's name comes near this length; a longer word is compared by its beginning. */
const maxComparedChars = 100;

function folded(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '').slice(0, maxComparedChars);
}

/**
 * How many letters have to be put in, taken out, replaced or swapped with their neighbour to make
 * one word from the other (optimal string alignment).
 */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped =
        !isSame && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

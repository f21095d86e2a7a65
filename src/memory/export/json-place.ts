/** Finds where a text stops being JSON: the engine's own message often names no position. */

/** @returns E.g. `line 4, column 12`: the first sign that can't be there, or the end of a text that breaks off. */
export function placeOfSyntaxError(text: string): string {
  let fine = 0;
  let broken = text.length + 1;
  while (broken - fine > 1) {
    const middle = Math.floor((fine + broken) / 2);
    if (mayBegin(text.slice(0, middle))) fine = middle;
    else broken = middle;
  }
  return placeAt(text, fine);
}

/** @returns E.g. `line 4, column 12`. @param offset - How many characters stand before it. */
export function placeAt(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Whether JSON may begin like this; what follows such a beginning is what is wrong. */
function mayBegin(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message } = error;
    const position = /at position (\d+)/.exec(message)?.[1];
    return position === undefined
      ? message.startsWith('Unexpected end of')
      : Number(position) >= text.length;
  }
}

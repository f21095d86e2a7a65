/** Changes the prose of a chat message and leaves its code alone. */

/** Three backticks open a block wherever they stand, fewer open code in a line; as Discord and Slack read them. */
const blockMark = 3;
/** What may stand before a code block on its line. */
const lineBegin = /(?:^|\n)[\s>*+\-\d.)]*$/;
/** Longer code in the middle of a line may be cut when the text is split, and is prose from there on. */
const longestInline = 200;

/** @param change - Is given each stretch of prose, in order. */
export function outsideCode(text: string, change: (prose: string) => string): string {
  let changed = '';
  let proseStart = 0;
  for (const { start, end, isBlock } of codeOf(text)) {
    const beginsLine = isBlock && lineBegin.test(text.slice(Math.max(0, start - 20), start));
    if (!beginsLine && end - start > longestInline) continue;
    changed += change(text.slice(proseStart, start)) + text.slice(start, end);
    proseStart = end;
  }
  return changed + change(text.slice(proseStart));
}

interface Code {
  readonly start: number;
  readonly end: number;
  readonly isBlock: boolean;
}

/** In order, none in another. Takes time in proportion to the text's length. */
function codeOf(text: string): readonly Code[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: marks, index }) => ({
    start: index,
    end: index + marks.length,
    kind: Math.min(marks.length, blockMark),
  }));
  const nextOfKind = new Map<number, number>();
  const closers = new Map<number, number>();
  for (const { start, end, kind } of runs.toReversed()) {
    const closer = nextOfKind.get(kind);
    if (closer !== undefined) closers.set(start, closer);
    nextOfKind.set(kind, end);
  }
  const found: Code[] = [];
  let readTo = 0;
  for (const { start, kind } of runs) {
    const end = closers.get(start);
    if (start < readTo || end === undefined || isEscaped(text, start)) continue;
    found.push({ start, end, isBlock: kind === blockMark });
    readTo = end;
  }
  return found;
}

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (start > 0 && text.charAt(start - 1) === '\\') start -= 1;
  return (index - start) % 2 === 1;
}

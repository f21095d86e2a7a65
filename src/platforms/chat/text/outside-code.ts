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

/** A run of backticks. */
interface Run {
  readonly start: number;
  readonly end: number;
  readonly kind: number;
  readonly lineStart: number;
}

/** In order, none in another. Takes time in proportion to the text's length. */
function codeOf(text: string): readonly Code[] {
  const runs = runsOf(text);
  const closers = closersOf(runs);
  const found: Code[] = [];
  let readTo = 0;
  for (const run of runs) {
    const closer = closers.get(run);
    if (run.start < readTo || !closer || isEscaped(text, run.start)) continue;
    const { end, lineStart } = closer;
    const isBlock = run.kind === blockMark;
    // Where a paragraph, an item or a quote ends between the marks of code in a line, platforms show them as they are.
    if (!isBlock && lineStart !== run.lineStart) continue;
    if (!isWithinBlock(text, run, end)) continue;
    found.push({ start: run.start, end, isBlock });
    readTo = end;
  }
  return found;
}

function runsOf(text: string): readonly Run[] {
  let lineStart = 0;
  let lineFeed = text.indexOf('\n');
  return [...text.matchAll(/`+/g)].map(({ 0: marks, index: start }) => {
    while (lineFeed !== -1 && lineFeed < start) {
      lineStart = lineFeed + 1;
      lineFeed = text.indexOf('\n', lineStart);
    }
    const kind = Math.min(marks.length, blockMark);
    return { start, end: start + marks.length, kind, lineStart };
  });
}

/**
 * For each run the next of its kind, which closes what it opens. Takes time in proportion to their number.
 */
function closersOf(runs: readonly Run[]): ReadonlyMap<Run, Run> {
  const nextOfKind = new Map<number, Run>();
  const closers = new Map<Run, Run>();
  for (const run of runs.toReversed()) {
    const closer = nextOfKind.get(run.kind);
    if (closer) closers.set(run, closer);
    nextOfKind.set(run.kind, run);
  }
  return closers;
}

/** Whether code stays in the quote, the item or the heading that it begins in; they end where a line lacks their mark. */
function isWithinBlock(text: string, { start, lineStart }: Run, end: number): boolean {
  const before = text.slice(lineStart, Math.min(start, lineStart + 20));
  const goesOn = blocks.find(({ mark }) => mark.test(before))?.goesOn;
  if (goesOn === undefined) return true;
  const [, ...lines] = text.slice(start, end).split('\n');
  return lines.every((line) => goesOn.test(line));
}

/** What lines begin with in blocks that end with a line, and what those begin with that go on with one. */
const blocks = [
  { mark: /^ {0,3}>/, goesOn: /^ {0,3}>/ },
  { mark: /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/, goesOn: /^(?:[ \t]|$)/ },
  { mark: /^[ \t]*-?#{1,6}[ \t]/, goesOn: /^(?!)/ },
] as const;

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (start > 0 && text.charAt(start - 1) === '\\') start -= 1;
  return (index - start) % 2 === 1;
}

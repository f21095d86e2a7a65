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
  const found: Code[] = [];
  let readTo = 0;
  for (const { opener, closer } of pairsOf(text)) {
    const { start, kind, lineStart } = opener;
    if (start < readTo || isEscaped(text, start)) continue;
    const isBlock = kind === blockMark;
    // Where a paragraph, an item or a quote ends between the marks of code in a line, platforms show them as they are.
    if (!isBlock && closer.lineStart !== lineStart) continue;
    if (!isWithinBlock(text, opener, closer.end)) continue;
    found.push({ start, end: closer.end, isBlock });
    readTo = closer.end;
  }
  return found;
}

/** Each run of backticks with the next of its kind, which closes what it opens. */
function pairsOf(text: string): readonly { readonly opener: Run; readonly closer: Run }[] {
  const lastOfKind = new Map<number, Run>();
  const pairs: { opener: Run; closer: Run }[] = [];
  let lineStart = 0;
  for (const { 0: marks, index: start } of text.matchAll(/\n|`+/g)) {
    if (marks === '\n') {
      lineStart = start + 1;
      continue;
    }
    const kind = Math.min(marks.length, blockMark);
    const closer = { start, end: start + marks.length, kind, lineStart };
    const opener = lastOfKind.get(kind);
    if (opener) pairs.push({ opener, closer });
    lastOfKind.set(kind, closer);
  }
  return pairs.toSorted((left, right) => left.opener.start - right.opener.start);
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

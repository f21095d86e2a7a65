/** Changes the prose of a chat message, but not its code. */

/** Three backticks open a block anywhere, fewer open inline code, as in Discord and Slack. */
const blockMark = 3;
/** What may precede a code block on its line. */
const lineBegin = /(?:^|\n)[\s>*+\-\d.)]*$/;
/** Longer inline code may be cut when the text is split and become prose, so it is treated as prose. */
const longestInline = 200;

/** Replaces all prose. @param change - Called for each stretch of prose, in order. */
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

/** Finds code, in order and without nesting. Takes linear time. */
function codeOf(text: string): readonly Code[] {
  const found: Code[] = [];
  let readTo = 0;
  for (const { opener, closer } of pairsOf(text)) {
    const { start, kind, lineStart } = opener;
    if (start < readTo || isEscaped(text, start)) continue;
    const isBlock = kind === blockMark;
    // Platforms show backticks as text if they are on different lines.
    if (!isBlock && closer.lineStart !== lineStart) continue;
    if (!isWithinBlock(text, opener, closer.end)) continue;
    found.push({ start, end: closer.end, isBlock });
    readTo = closer.end;
  }
  return found;
}

/** Pairs each run of backticks with the next of its kind. */
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

/** Whether code ends within the quote, item or heading in which it begins. */
function isWithinBlock(text: string, { start, lineStart }: Run, end: number): boolean {
  const before = text.slice(lineStart, Math.min(start, lineStart + 20));
  const continues = blocks.find(({ mark }) => mark.test(before))?.continues;
  if (continues === undefined) return true;
  const [, ...lines] = text.slice(start, end).split('\n');
  return lines.every((line) => continues.test(line));
}

/** How blocks begin, and how lines that continue them begin. */
const blocks = [
  { mark: /^ {0,3}>/, continues: /^ {0,3}>/ },
  { mark: /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/, continues: /^(?:[ \t]|$)/ },
  { mark: /^[ \t]*-?#{1,6}[ \t]/, continues: /^(?!)/ },
] as const;

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (start > 0 && text.charAt(start - 1) === '\\') start -= 1;
  return (index - start) % 2 === 1;
}

/** Finds what should not be cut inside one line of Markdown: code, links, addresses, emphasis. */

const token = /\\[^\s]|`+|!?\[|\]|\(|\)|https?:\/\/[^\s<>()[\]]+|<[^\s<>]{1,200}>|\*+|_+|~~|\|\|/g;
const word = /[\p{L}\p{N}]/u;

/** Start (of the first character) and end (after the last one). */
type Span = readonly [start: number, end: number];

/**
 * @param line - One line, or the rest of one.
 * @param longest - Spans that are longer, in UTF-16 units, are left out: they must be cut anyway.
 * @returns For each index from 0 to the length of the line, 1 if a cut there would fall inside a
 *   span. Takes time in proportion to the line's length.
 */
export function protectedCuts(line: string, longest: number): Uint8Array {
  const changes = new Int32Array(line.length + 2);
  for (const [start, end] of spansOf(line)) {
    if (end - start > longest || end - start < 2) continue;
    changes[start + 1] = (changes[start + 1] ?? 0) + 1;
    changes[end] = (changes[end] ?? 0) - 1;
  }
  let depth = 0;
  const inside = new Uint8Array(line.length + 1);
  for (let index = 0; index <= line.length; index += 1) {
    depth += changes[index] ?? 0;
    inside[index] = depth > 0 ? 1 : 0;
  }
  return inside;
}

function spansOf(line: string): readonly Span[] {
  const found: Span[] = [];
  const tokens = [...line.matchAll(token)].map((match) => ({ text: match[0], at: match.index }));
  const codeEnds = codeSpanEnds(tokens);
  const brackets: number[] = [];
  const parentheses: number[] = [];
  /** Where the label that ends just before this index begins. */
  const labels = new Map<number, number>();
  const emphasis = new Map<string, number>();
  let skippedTo = 0;
  for (const { text, at } of tokens) {
    if (at < skippedTo) continue;
    const end = at + text.length;
    const codeEnd = codeEnds.get(at);
    if (codeEnd !== undefined) {
      found.push([at, codeEnd]);
      skippedTo = codeEnd;
    } else if (text.endsWith('[') && !text.startsWith('\\')) brackets.push(at);
    else if (text === ']') {
      const label = brackets.pop();
      if (label !== undefined) labels.set(end, label);
    } else if (text === '(') parentheses.push(at);
    else if (text === ')') {
      const destination = parentheses.pop();
      const label = destination === undefined ? undefined : labels.get(destination);
      if (label !== undefined) found.push([label, end]);
    } else if (text.startsWith('<') || text.startsWith('http')) found.push([at, end]);
    else if (/^[*_~|]/.test(text)) {
      const span = emphasisEndedBy(text, at, line, emphasis);
      if (span) found.push(span);
    }
  }
  return found;
}

/** A code span ends at the next run of as many backticks as it begins with. */
function codeSpanEnds(
  tokens: readonly { readonly text: string; readonly at: number }[],
): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const nextRun = new Map<number, number>();
  for (const { text, at } of tokens.toReversed()) {
    if (!text.startsWith('`')) continue;
    const end = nextRun.get(text.length);
    if (end !== undefined) ends.set(at, end);
    nextRun.set(text.length, at + text.length);
  }
  return ends;
}

/** Notes where emphasis begins; gives the span when the mark ends one that has begun. */
function emphasisEndedBy(
  mark: string,
  at: number,
  line: string,
  begun: Map<string, number>,
): Span | undefined {
  const end = at + mark.length;
  const before = line.charAt(at - 1);
  const after = line.charAt(end);
  const isInWord = mark.startsWith('_') && word.test(before) && word.test(after);
  const start = begun.get(mark);
  if (start !== undefined && /\S/.test(before) && !isInWord) {
    begun.delete(mark);
    return [start, end];
  }
  if (/\S/.test(after) && !isInWord) begun.set(mark, at);
  return undefined;
}

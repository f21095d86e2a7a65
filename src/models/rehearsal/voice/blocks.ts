/**
 * Finds the fenced parts of a prompt: `<question>…</question>` and its like. Lenient about
 * attributes, linear in the text, and not misled by tags inside a fence.
 */

import { type Fence, fences } from '../../../domain/fence.ts';

/** One fenced part. */
export interface Block {
  readonly fence: Fence;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

/** A prompt, taken apart. */
export interface Fenced {
  readonly blocks: readonly Block[];
  /** All that stands outside of fences: the prompt's own words. */
  readonly outside: string;
}

const opening = new RegExp(`<(${fences.join('|')})(?=[\\s>])([^<>]{0,400})>`, 'gi');
const closings = new Map(
  fences.map((fence) => [fence, new RegExp(`</${fence}(?=[\\s>])[^<>]{0,400}>`, 'gi')]),
);

/** Takes a prompt apart. A tag that is never closed is no fence: prompts speak about their own tags. */
export function readBlocks(text: string): Fenced {
  const blocks: Block[] = [];
  const outside: string[] = [];
  const neverClosed = new Set<Fence>();
  let position = 0;
  for (const match of text.matchAll(opening)) {
    const fence = fences.find((name) => name === match[1]?.toLowerCase());
    const start = match.index + match[0].length;
    if (fence === undefined || match.index < position || neverClosed.has(fence)) continue;
    const end = findFrom(closings.get(fence), text, start);
    if (end === null) {
      // Remembered, so that a text of nothing but opening tags is searched once for each fence.
      neverClosed.add(fence);
      continue;
    }
    outside.push(text.slice(position, match.index));
    const attributes = readAttributes(match[2] ?? '');
    blocks.push({ fence, attributes, text: text.slice(start, end.index).trim() });
    position = end.index + end[0].length;
  }
  outside.push(text.slice(position));
  return { blocks, outside: outside.join('\n') };
}

function findFrom(pattern: RegExp | undefined, text: string, from: number): RegExpExecArray | null {
  if (pattern === undefined) return null;
  pattern.lastIndex = from;
  return pattern.exec(text);
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const match of text.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g)) {
    attributes.set((match[1] ?? '').toLowerCase(), match[2] ?? match[3] ?? match[4] ?? '');
  }
  return attributes;
}

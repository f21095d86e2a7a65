/** Memories as people read them: nothing in them works as Markdown, and none can pose as another. */

import { counted, inlineMarkdown, momentMark, oneLine, shortened } from '../src/domain/words.ts';
import type { ReplyBlock } from './command.ts';
import type { MemoryItem, MemorySource } from './context.ts';

/** In a list, in characters. */
const longest = { text: 280, name: 60 } as const;
const mostSourcesInList = 4;

interface Field {
  readonly name: string;
  readonly value: string;
}

/** A memory in a list, by its id. */
export function memoryField(item: MemoryItem): Field {
  const { by, sources } = item;
  const text = `“${inlineMarkdown(shortened(oneLine(item.text), longest.text))}”`;
  const beyond = Math.max(0, sources.length - mostSourcesInList);
  const from =
    by === undefined
      ? sources.slice(0, mostSourcesInList).map(sourceLine)
      : sources.flatMap(({ link }) => link ?? []);
  const more = beyond === 0 ? [] : [`- and ${beyond} more`];
  return { name: item.id, value: [aboutLine(item), text, ...from, ...more].join('\n') };
}

/** The whole text, and everywhere it was said. */
export function wholeMemory(item: MemoryItem): readonly ReplyBlock[] {
  const { id, by, sources, text } = item;
  const title = by === undefined ? 'Made of' : 'Said here';
  const from = { name: title, value: sources.map(sourceLine).join('\n') };
  return [
    { type: 'fields', fields: [{ name: id, value: aboutLine(item) }] },
    { type: 'text', text: quoted(text) },
    ...(sources.length === 0 ? [] : [{ type: 'fields' as const, fields: [from] }]),
  ];
}

function aboutLine({ by, at, marks, sourceCount }: MemoryItem): string {
  const who = by === undefined ? `Summary of ${counted(sourceCount, 'message')}` : shownName(by);
  return [who, momentMark(at), ...marks].join(' · ');
}

function sourceLine({ by, at, link }: MemorySource): string {
  const said = `${by.map(shownName).join(', ')}, ${momentMark(at)}`;
  return link === undefined ? `- ${said}` : `- ${said}: ${link}`;
}

/** Quoted line by line, so that it is shown as nothing but text. */
function quoted(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => `> ${inlineMarkdown(line)}`.trimEnd())
    .join('\n');
}

function shownName(name: string): string {
  return inlineMarkdown(shortened(oneLine(name), longest.name));
}

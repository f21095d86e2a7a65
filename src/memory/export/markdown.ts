/** An archive as Markdown, for people. */

import { shownTime } from '../../domain/words.ts';
import type { ArchiveWriter } from './archive.ts';
import { type Note, type Spoken, spokenIn } from './spoken.ts';

const marks: Readonly<Record<Spoken['kind'], string>> = {
  question: 'asked',
  answer: 'answered',
  verdict: '',
  review: 'reviewed',
};

/** Whatever was said stands in a quotation, so that nothing said can pose as somebody else's words. */
export const markdownWriter = {
  begin: (place) => `# What was said in ${inline(place)}\n\nTimes are UTC.\n\n`,
  thread: (thread) =>
    `## Thread ${inline(thread.threadId)}\n\n${spokenIn(thread).map(spokenMarkdown).join('\n\n')}\n`,
  between: '\n',
  end: '',
} as const satisfies ArchiveWriter;

function spokenMarkdown({ kind, speaker, at, text, notes }: Spoken): string {
  const heading = ['###', inline(speaker), marks[kind], `· ${shownTime(at)}`];
  return [heading.filter(Boolean).join(' '), quoted(text), ...notes.map(noteMarkdown)].join('\n\n');
}

function noteMarkdown({ name, lines }: Note): string {
  const [only = ''] = lines;
  if (lines.length === 1) return quoted(`**${name}:** ${only}`);
  return quoted(
    `**${name}:**\n\n${lines.map((line) => `- ${line.replace(/\s+/g, ' ')}`).join('\n')}`,
  );
}

function quoted(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\r\n]/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** A name as words: none of its signs is Markdown, and none of them HTML. */
function inline(name: string): string {
  return name.replace(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&');
}

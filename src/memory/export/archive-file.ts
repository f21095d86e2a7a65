/** An archive in one of its forms, as a file. */

import { shownTime } from '../../domain/words.ts';
import { type Note, type Spoken, spokenIn } from '../../pages/spoken.ts';
import { type Archive, type ArchivedThread, type ArchiveWriter, jsonWriter } from './archive.ts';
import { htmlWriter } from './html.ts';

export const archiveForms = ['markdown', 'json', 'html'] as const;
export type ArchiveForm = (typeof archiveForms)[number];

/** A file with its content. */
export interface ArchiveFile {
  /** Letters, digits, dots, dashes and underscores alone. */
  readonly name: string;
  readonly mediaType: string;
  readonly content: string;
}

/** Everything said stands in a quotation, so that it can't pose as the words of another. */
const markdownWriter = {
  begin: (place) => `# What was said in ${inline(place)}\n\nTimes are UTC.\n\n`,
  thread: (thread) =>
    `## Thread ${inline(thread.threadId)}\n\n${spokenIn(thread).map(spokenMarkdown).join('\n\n')}\n`,
  between: '\n',
  end: '',
} as const satisfies ArchiveWriter;

const forms = {
  markdown: { ending: 'md', mediaType: 'text/markdown', writer: markdownWriter },
  json: { ending: 'json', mediaType: 'application/json', writer: jsonWriter },
  html: { ending: 'html', mediaType: 'text/html', writer: htmlWriter },
} as const;

export async function archiveFile(archive: Archive, form: ArchiveForm): Promise<ArchiveFile> {
  const { place, threads } = archive;
  let content = '';
  for await (const portion of archivePortions(place, threads, form)) content += portion;
  return { name: archiveName(place, form), mediaType: forms[form].mediaType, content };
}

/** Letters, digits, dots, dashes and underscores alone. */
export function archiveName(place: string, form: ArchiveForm): string {
  const named = place.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80);
  return `council-${named}.${forms[form].ending}`;
}

/** The content of the same file in portions of at most one thread, which are made as they are asked for. */
export async function* archivePortions(
  place: string,
  threads: Iterable<ArchivedThread> | AsyncIterable<ArchivedThread>,
  form: ArchiveForm,
): AsyncGenerator<string> {
  const writer: ArchiveWriter = forms[form].writer;
  yield writer.begin(place);
  let isFirst = true;
  for await (const thread of threads) {
    if (!isFirst) yield writer.between;
    yield await writer.thread(thread);
    isFirst = false;
  }
  yield writer.end;
}

/** What of a place is not in its archive, for people; empty when all of it is. */
export function missingFrom(read: {
  readonly unfinished: number;
  readonly isPart: boolean;
  readonly hidden: number;
}): readonly string[] {
  const { unfinished, isPart, hidden } = read;
  return [
    ...(unfinished > 0
      ? [
          `${unfinished === 1 ? 'One question' : `${unfinished} questions`} without an end yet: not in it.`,
        ]
      : []),
    ...(hidden > 0
      ? [
          `${hidden === 1 ? 'One private thread' : `${hidden} private threads`} of this channel: not in it.`,
        ]
      : []),
    ...(isPart
      ? [
          'The channel is long: only threads with one of its newest 2,000 messages are in it, each whole. Whoever runs the council gets all with `npm run council -- export`.',
        ]
      : []),
  ];
}

const marks: Readonly<Record<Spoken['kind'], string>> = {
  question: 'asked',
  answer: 'answered',
  verdict: '',
  review: 'reviewed',
};

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

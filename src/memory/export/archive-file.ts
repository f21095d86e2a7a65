/** An archive in one of its forms, as a file. */

import { type Archive, type ArchivedThread, type ArchiveWriter, jsonWriter } from './archive.ts';
import { htmlWriter } from './html.ts';
import { markdownWriter } from './markdown.ts';

export const archiveForms = ['markdown', 'json', 'html'] as const;
export type ArchiveForm = (typeof archiveForms)[number];

/** A file with its content. */
export interface ArchiveFile {
  /** Letters, digits, dots, dashes and underscores alone. */
  readonly name: string;
  readonly mediaType: string;
  readonly content: string;
}

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

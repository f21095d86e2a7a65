/** An archive in one of its forms, as a file. */

import { type Archive, archiveJson } from './archive.ts';
import { archiveHtml } from './html.ts';
import { archiveMarkdown } from './markdown.ts';

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
  markdown: { ending: 'md', mediaType: 'text/markdown', write: archiveMarkdown },
  json: { ending: 'json', mediaType: 'application/json', write: archiveJson },
  html: { ending: 'html', mediaType: 'text/html', write: archiveHtml },
} as const;

export async function archiveFile(archive: Archive, form: ArchiveForm): Promise<ArchiveFile> {
  const { ending, mediaType, write } = forms[form];
  const place = archive.place.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80);
  return { name: `council-${place}.${ending}`, mediaType, content: await write(archive) };
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

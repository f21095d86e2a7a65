/** The attachments and linked pages of messages: read once per turn, and stored as text, never as bytes. */

import { z } from 'zod';
import { listed, oneLine, shortened, shownTime } from './words.ts';

const named = {
  /** `page`: a link in a message. */
  kind: z.enum(['file', 'page']),
  /** The file's name or the page's title, cleaned by {@link plainName}. */
  name: z.string(),
};
const readOf = {
  bytes: z.number(),
  /** Hexadecimal. */
  sha256: z.string(),
  /** Milliseconds since 1970. */
  readAt: z.number(),
};

export const sourceSchema = z.discriminatedUnion('status', [
  /** Not read yet. A file's address may expire. */
  z.object({ status: z.literal('pointed'), ...named, address: z.string() }),
  z.object({
    status: z.literal('read'),
    ...named,
    ...readOf,
    text: z.string(),
    /** Only a part of the text was kept, see {@link partKept}. */
    isCut: z.literal(true).exactOptional(),
    /** A page's address, after redirects. */
    address: z.string().exactOptional(),
  }),
  /** A picture, for models with vision. It is fetched again when a turn is resumed. */
  z.object({
    status: z.literal('picture'),
    ...named,
    ...readOf,
    mediaType: z.string(),
    width: z.number(),
    height: z.number(),
    address: z.string(),
  }),
  /** `why` follows a colon, e.g. `it is larger than 10 MB`. */
  z.object({ status: z.literal('unread'), ...named, why: z.string() }),
]);
export type Source = z.infer<typeof sourceSchema>;
export type PointedSource = Extract<Source, { status: 'pointed' }>;
export type PictureSource = Extract<Source, { status: 'picture' }>;

/** A picture in a prompt. */
export interface Picture {
  /** e.g. `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

/** An attached file, opened by its platform. `why` is for people and follows a colon. */
export type OpenedFile =
  | { readonly status: 'open'; readonly stream: AsyncIterable<Uint8Array> }
  | { readonly status: 'withheld'; readonly why: string };

/** Longer names are cut. */
const longestName = 80;

/**
 * Cleans a file name for any sentence, prompt or post: one line, no path, no markup, mentions or links.
 *
 * @param unnamed - Used when nothing is left.
 */
export function plainName(name: string, unnamed: string): string {
  const base = name.slice(-1000).split(/[/\\]/).at(-1) ?? '';
  return plainTitle(base) || unnamed;
}

/** Cleans a title like {@link plainName}, but keeps the text before slashes. May be empty. */
export function plainTitle(title: string): string {
  const plain = oneLine(
    title.slice(0, 1000).replace(/[^\p{L}\p{M}\p{N} ,.;!?'’()&+=%$€£_-]/gu, ' '),
  );
  return shortened(plain, longestName);
}

/** Which part of a long text is kept. A log's last lines say what happened. */
export function partKept({ kind, name }: Pick<Source, 'kind' | 'name'>): 'beginning' | 'end' {
  return kind === 'file' && /\.(?:log|out|err)(?:\.\d+|\.txt)?$/i.test(name) ? 'end' : 'beginning';
}

/** Names the sources that were read, e.g. `report.pdf (only its beginning)`. */
export function readSourceNames(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    if (source.status === 'picture') return [source.name];
    if (source.status !== 'read') return [];
    const name = source.kind === 'page' ? `the page “${source.name}”` : source.name;
    return [source.isCut ? `${name} (only its ${partKept(source)})` : name];
  });
}

/** Says which sources could not be read, one sentence per reason. */
export function unreadSentences(sources: readonly Source[]): readonly string[] {
  const unread = sources.filter((source) => source.status === 'unread');
  const byReason = Map.groupBy(unread, ({ why }) => why);
  return Array.from(byReason, ([why, some]) => {
    const names = some.map(({ name }) => name);
    return `I could not read ${listed(names, 4)}: ${why}.`;
  });
}

/** Describes the sources that were read: a file's size, hash and time, a page's address and time. */
export function sourceDetails(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    if (source.status !== 'read' && source.status !== 'picture') return [];
    const { kind, name, bytes, sha256, readAt } = source;
    const size = `${Math.max(1, Math.round(bytes / 1000))} kB`;
    const at = `read ${shownTime(readAt)} UTC`;
    if (kind === 'page') return [`“${name}”, ${source.address ?? ''}, ${at}`];
    return [`${name}, ${size}, ${at}, SHA-256 ${sha256.slice(0, 16)}…`];
  });
}

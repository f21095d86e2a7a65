/** What people attach to a message or link in it: read once for a turn, and kept as text, never as bytes. */

import { z } from 'zod';
import { listed, oneLine, shortened, shownTime } from './words.ts';

const named = {
  /** `page`: what an address in a message leads to. */
  kind: z.enum(['file', 'page']),
  /** The file's own name, or the page's title; as {@link plainName} makes it. */
  name: z.string(),
};
const taken = {
  bytes: z.number(),
  /** Hexadecimal. */
  sha256: z.string(),
  /** Milliseconds since 1970. */
  readAt: z.number(),
};

export const sourceSchema = z.discriminatedUnion('status', [
  /** Not read yet. The address of a file may expire. */
  z.object({ status: z.literal('pointed'), ...named, address: z.string() }),
  z.object({
    ...{ status: z.literal('read'), ...named, ...taken },
    text: z.string(),
    /** The text is only the beginning. */
    isCut: z.literal(true).exactOptional(),
    /** Of a page, where it was in the end. */
    address: z.string().exactOptional(),
  }),
  /** A picture, for models that see. It is fetched again where a turn is resumed. */
  z.object({
    ...{ status: z.literal('picture'), ...named, ...taken },
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

/** A picture as models are shown it. */
export interface Picture {
  /** e.g. `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

/** A file where it was attached. `why` follows a colon, for people. */
export type OpenedFile =
  | { readonly status: 'open'; readonly stream: AsyncIterable<Uint8Array> }
  | { readonly status: 'withheld'; readonly why: string };

/** Beyond it a name is cut. */
const longestName = 80;

/**
 * A name from outside as it may stand in any sentence, prompt or post: one line, no path, and nothing that
 * works as a mark, a mention or a link.
 */
export function plainName(name: string, unnamed: string): string {
  const base = name.slice(-1000).split(/[/\\]/).at(-1) ?? '';
  return plainTitle(base) || unnamed;
}

/** The same for a title, which may hold slashes. Empty where nothing is left. */
export function plainTitle(title: string): string {
  const plain = oneLine(
    title.slice(0, 1000).replace(/[^\p{L}\p{M}\p{N} ,.;!?'’()&+=%$€£_-]/gu, ' '),
  );
  return shortened(plain, longestName);
}

/** Names of what was read, e.g. `report.pdf (only its beginning)`. */
export function readNames(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    if (source.status === 'picture') return [source.name];
    if (source.status !== 'read') return [];
    const name = source.kind === 'page' ? `the page “${source.name}”` : source.name;
    return [source.isCut ? `${name} (only its beginning)` : name];
  });
}

/** What could not be read and why, a sentence for each reason. */
export function unreadSentences(sources: readonly Source[]): readonly string[] {
  const unread = sources.filter((source) => source.status === 'unread');
  const byReason = Map.groupBy(unread, ({ why }) => why);
  return Array.from(byReason, ([why, some]) => {
    const names = some.map(({ name }) => name);
    return `I could not read ${listed(names, 4)}: ${why}.`;
  });
}

/** What was read, in detail: size, hash and time, and where a page was. */
export function takenInWords(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    if (source.status !== 'read' && source.status !== 'picture') return [];
    const { kind, name, bytes, sha256, readAt } = source;
    const size = `${Math.max(1, Math.round(bytes / 1000))} kB`;
    const at = `read ${shownTime(readAt)} UTC`;
    if (kind === 'page') return [`“${name}”, ${source.address ?? ''}, ${at}`];
    return [`${name}, ${size}, ${at}, SHA-256 ${sha256.slice(0, 16)}…`];
  });
}

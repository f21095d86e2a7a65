/**
 * Reads attachments and links: their text, and pictures for models that can see. Limits hold even for hostile
 * content.
 */

import { createHash } from 'node:crypto';
import {
  type OpenedFile,
  type Picture,
  type PictureSource,
  type PointedSource,
  plainTitle,
  type Source,
} from '../domain/source.ts';
import { extractText } from './extraction.ts';
import { fetchPage, isPublicAddress } from './fetch-page.ts';
import { kindOf, readCapped, Unreadable } from './file-content.ts';

/** The limits for one question. */
const limits = {
  files: 5,
  fileBytes: 10_000_000,
  /** For all files together. */
  filesMs: 20_000,
  /** For all pictures together, because they go into every prompt. */
  pictureBytes: 10_000_000,
  pixels: 40_000_000,
  pages: 3,
  pageBytes: 2_000_000,
  fetchMs: 5000,
  pageMs: 15_000,
  /** For each file or page. */
  chars: 20_000,
} as const;

export interface TakenSource {
  readonly source: Source;
  /** For a picture, its data for models. */
  readonly picture?: Picture;
}

export interface Reading {
  readonly openFile: (address: string, signal: AbortSignal) => Promise<OpenedFile>;
  /** For all texts together. */
  readonly maxChars: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Whether links may connect to this IP address and port. Default: ports 80 and 443 of the public internet. */
  readonly mayConnect?: MayConnect | undefined;
}

export type MayConnect = (address: string, port: number) => boolean;

const isPublic: MayConnect = (address, port) =>
  isPublicAddress(address) && (port === 80 || port === 443);

/**
 * Reads attachments and links. If they exceed the limits, the first ones take precedence.
 *
 * @returns One result for each, in the same order; unreadable ones say why. Throws only the signal's reason.
 */
export async function readSources(
  pointed: readonly PointedSource[],
  reading: Reading,
): Promise<readonly TakenSource[]> {
  const files = pointed.filter(({ kind }) => kind === 'file');
  const pages = pointed.filter(({ kind }) => kind === 'page');
  const [ofFiles, ofPages] = await Promise.all([
    readFiles(files, reading),
    Promise.all(
      pages.map((page, at) => {
        const signal = withTimeout(limits.pageMs, reading.signal);
        return orWhyNot(page, reading.signal, () => readPage(page, at, { ...reading, signal }));
      }),
    ),
  ]);
  const taken = new Map(
    [...ofFiles, ...ofPages].map((one, at) => [[...files, ...pages][at], one] as const),
  );
  let room = reading.maxChars;
  return pointed.flatMap((one) => {
    const found = taken.get(one);
    if (found?.source.status !== 'read') return found ?? [];
    const source = { ...found.source, ...cutTo(found.source.text, room, found.source.isCut) };
    room -= source.text.length;
    return { source };
  });
}

/** Reads files one after another, so that memory holds at most one whole file besides the pictures. */
async function readFiles(
  files: readonly PointedSource[],
  reading: Reading,
): Promise<readonly TakenSource[]> {
  const all: TakenSource[] = [];
  const signal = withTimeout(limits.filesMs, reading.signal);
  for (const [at, file] of files.entries()) {
    const pictures = all.flatMap(({ picture }) => picture ?? []);
    const held = pictures.reduce((sum, { base64 }) => sum + (base64.length * 3) / 4, 0);
    const room = limits.pictureBytes - held;
    all.push(
      await orWhyNot(file, reading.signal, () => readFile(file, at, room, { ...reading, signal })),
    );
  }
  return all;
}

async function readFile(
  file: PointedSource,
  at: number,
  pictureRoom: number,
  { openFile, now, signal }: Reading,
): Promise<TakenSource> {
  if (at >= limits.files) throw tooMany(limits.files, 'files');
  const opened = await openFile(file.address, signal);
  if (opened.status === 'withheld') throw new Unreadable(opened.why);
  const bytes = await readCapped(opened.stream, limits.fileBytes);
  signal.throwIfAborted();
  const content = kindOf(bytes);
  const { address, ...named } = file;
  const facts = factsOf(bytes, now());
  if (content.is !== 'picture') {
    const text = await textIn(content, bytes, signal);
    return { source: { ...named, ...facts, status: 'read', ...text } };
  }
  if (bytes.byteLength > pictureRoom) {
    throw new Unreadable(`the pictures of one question may have ${limits.pictureBytes / 1e6} MB`);
  }
  return asPicture({ ...named, ...facts, address }, content, bytes);
}

function asPicture(
  facts: Pick<PictureSource, 'kind' | 'name' | 'address' | 'bytes' | 'sha256' | 'readAt'>,
  { is: _, ...frame }: Extract<ReturnType<typeof kindOf>, { is: 'picture' }>,
  bytes: Uint8Array,
): TakenSource {
  const pixels = frame.width * frame.height;
  if (pixels === 0) throw new Unreadable('the picture is damaged');
  if (pixels > limits.pixels) {
    const most = limits.pixels / 1e6;
    throw new Unreadable(`it has ${Math.round(pixels / 1e6)} megapixels, and my limit is ${most}`);
  }
  const base64 = Buffer.from(bytes).toString('base64');
  return {
    source: { ...facts, status: 'picture', ...frame },
    picture: { mediaType: frame.mediaType, base64 },
  };
}

async function readPage(
  page: PointedSource,
  at: number,
  { mayConnect = isPublic, now, signal }: Reading,
): Promise<TakenSource> {
  if (at >= limits.pages) throw tooMany(limits.pages, 'links');
  const bounds = { maxBytes: limits.pageBytes, mayConnect };
  const fetchSignal = withTimeout(limits.fetchMs, signal);
  const { bytes, contentType, address } = await fetchPage(page.address, bounds, fetchSignal);
  const [, charset] = /charset=["']?([\w-]{1,40})/i.exec(contentType) ?? charsetIn(bytes) ?? [];
  const content = kindOf(bytes, charset);
  if (content.is === 'picture') {
    const { kind, name } = page;
    return asPicture({ kind, name, address, ...factsOf(bytes, now()) }, content, bytes);
  }
  const isHtml = content.is === 'text' && /html/i.test(contentType);
  const { title = '', ...text } = isHtml
    ? await extractText(content.text, limits.chars, signal)
    : await textIn(content, bytes, signal);
  const { kind } = page;
  const name = plainTitle(title) || page.name;
  const read = { ...factsOf(bytes, now()), status: 'read', kind, name, address } as const;
  return { source: { ...read, ...cutTo(text.text, limits.chars, text.isCut) } };
}

interface Text {
  readonly text: string;
  readonly isCut?: true;
  readonly title?: string;
}

async function textIn(
  content: ReturnType<typeof kindOf>,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Text> {
  if (content.is === 'text') {
    if (content.text.trim() === '') throw new Unreadable('there is nothing in it');
    return cutTo(content.text, limits.chars);
  }
  if (content.is !== 'pdf') {
    throw new Unreadable('it is neither text, nor a PDF, nor a picture that I can read');
  }
  const { text, isCut } = await extractText(bytes, limits.chars, signal);
  return cutTo(text, limits.chars, isCut);
}

function cutTo(text: string, most: number, isCut?: boolean) {
  const kept = text.length > most ? text.slice(0, Math.max(0, most)).toWellFormed() : text;
  return { text: kept, ...((isCut || kept !== text) && { isCut: true as const }) };
}

/** The charset that a page declares itself. */
function charsetIn(bytes: Uint8Array): readonly string[] | null {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(start);
}

function factsOf(bytes: Uint8Array, readAt: number) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes: bytes.byteLength, sha256, readAt };
}

function tooMany(most: number, what: string): Unreadable {
  return new Unreadable(`I read at most ${most} ${what} for one question`);
}

function withTimeout(ms: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

async function orWhyNot(
  { kind, name }: PointedSource,
  signal: AbortSignal,
  read: () => Promise<TakenSource>,
): Promise<TakenSource> {
  try {
    return await read();
  } catch (error) {
    signal.throwIfAborted();
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const why = isLate ? 'it took too long to come' : 'it could not be fetched';
    return {
      source: {
        ...{ status: 'unread', kind, name },
        why: error instanceof Unreadable ? error.message : why,
      },
    };
  }
}

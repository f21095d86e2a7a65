/**
 * Reads attachments and links: their text, and pictures for models that can see. Limits hold even for hostile
 * content.
 */

import { hash } from 'node:crypto';
import {
  type OpenedFile,
  type Picture,
  type PointedSource,
  partKept,
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
      pages.map((page, at) => orWhyNot(page, reading.signal, () => readPage(page, at, reading))),
    ),
  ]);
  const left = { file: ofFiles.values(), page: ofPages.values() };
  let room = reading.maxChars;
  return pointed.flatMap(({ kind }) => {
    const found = left[kind].next().value;
    if (found?.source.status !== 'read') return found ?? [];
    const source = { ...found.source, ...cutTo(found.source, found.source.text, room) };
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
  let pictureRoom: number = limits.pictureBytes;
  for (const [at, file] of files.entries()) {
    const taken = await orWhyNot(file, reading.signal, async () => {
      if (at >= limits.files) throw tooMany(limits.files, 'files');
      const opened = await reading.openFile(file.address, signal);
      if (opened.status === 'withheld') throw new Unreadable(opened.why);
      const bytes = await readCapped(opened.stream, limits.fileBytes);
      signal.throwIfAborted();
      return take(file, { bytes, pictureRoom }, { ...reading, signal });
    });
    if (taken.source.status === 'picture') pictureRoom -= taken.source.bytes;
    all.push(taken);
  }
  return all;
}

async function readPage(page: PointedSource, at: number, reading: Reading): Promise<TakenSource> {
  if (at >= limits.pages) throw tooMany(limits.pages, 'links');
  const { mayConnect = isPublic } = reading;
  const signal = withTimeout(limits.pageMs, reading.signal);
  const bounds = { maxBytes: limits.pageBytes, mayConnect };
  const fetched = await fetchPage(page.address, bounds, withTimeout(limits.fetchMs, signal));
  return take({ ...page, address: fetched.address }, fetched, { ...reading, signal });
}

/** What was fetched of a source. */
interface Fetched {
  readonly bytes: Uint8Array;
  /** As stated by the server of a page. */
  readonly contentType?: string;
  /** How many bytes a picture may have; absent: any. */
  readonly pictureRoom?: number;
}

async function take(
  { kind, name, address }: PointedSource,
  { bytes, contentType = '', pictureRoom = Number.POSITIVE_INFINITY }: Fetched,
  { now, signal }: Reading,
): Promise<TakenSource> {
  const stated = /charset=["']?([\w-]{1,40})/i.exec(contentType);
  const [, charset] = stated ?? (kind === 'page' ? charsetIn(bytes) : undefined) ?? [];
  const content = kindOf(bytes, charset);
  const readOf = { bytes: bytes.byteLength, sha256: hash('sha256', bytes), readAt: now() };
  if (content.is === 'picture') {
    const { is: _, ...frame } = content;
    assertSeeable(frame, bytes.byteLength, pictureRoom);
    const picture = { mediaType: frame.mediaType, base64: Buffer.from(bytes).toString('base64') };
    return { source: { status: 'picture', kind, name, address, ...readOf, ...frame }, picture };
  }
  const { title, text, ...cut } = await textIn(content, bytes, contentType, signal);
  const read = { status: 'read', kind, name: plainTitle(title) || name, ...readOf } as const;
  const kept = cutTo({ ...read, ...cut }, text, limits.chars);
  return { source: { ...read, ...kept, ...(kind === 'page' && { address }) } };
}

/** @throws {Unreadable} if models can't be shown the picture. */
function assertSeeable(
  { width, height }: Readonly<Record<'width' | 'height', number>>,
  bytes: number,
  pictureRoom: number,
): void {
  if (bytes > pictureRoom) {
    throw new Unreadable(`the pictures of one question may have ${limits.pictureBytes / 1e6} MB`);
  }
  const pixels = width * height;
  if (pixels === 0) throw new Unreadable('the picture is damaged');
  if (pixels > limits.pixels) {
    const most = limits.pixels / 1e6;
    throw new Unreadable(`it has ${Math.round(pixels / 1e6)} megapixels, and my limit is ${most}`);
  }
}

async function textIn(
  content: ReturnType<typeof kindOf>,
  bytes: Uint8Array,
  contentType: string,
  signal: AbortSignal,
) {
  const isText = content.is === 'text';
  if (isText && !/html/i.test(contentType)) {
    if (content.text.trim() === '') throw new Unreadable('there is nothing in it');
    return { title: '', text: content.text, isCut: false };
  }
  if (!isText && content.is !== 'pdf') {
    throw new Unreadable('it is neither text, nor a PDF, nor a picture that I can read');
  }
  const data = isText ? content.text : bytes;
  return extractText(data, limits.chars, signal);
}

function cutTo(
  source: Pick<Source, 'kind' | 'name'> & { isCut?: boolean },
  text: string,
  most: number,
) {
  const from = partKept(source) === 'end' ? Math.max(0, text.length - most) : 0;
  const kept =
    text.length > most ? text.slice(from, from + Math.max(0, most)).toWellFormed() : text;
  return { text: kept, ...((source.isCut || kept !== text) && { isCut: true as const }) };
}

/** The charset that a page declares itself. */
function charsetIn(bytes: Uint8Array): readonly string[] | null {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(start);
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
    const usual = isLate ? 'it took too long to come' : 'it could not be fetched';
    const why = error instanceof Unreadable ? error.message : usual;
    return { source: { status: 'unread', kind, name, why } };
  }
}

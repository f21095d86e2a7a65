/**
 * What people point at: attachments and links. Text comes out of them, and pictures for models that see,
 * within bounds, whatever a stranger has put there.
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
import { kindOf } from './kind.ts';
import { readCapped, Unreadable } from './unreadable.ts';

/** What is read for one question. */
const limits = {
  files: 5,
  fileBytes: 10_000_000,
  /** For all of them, one after another. */
  filesMs: 20_000,
  /** Pictures go into every prompt: of all of them together. */
  pictureBytes: 10_000_000,
  pixels: 40_000_000,
  pages: 3,
  pageBytes: 2_000_000,
  fetchMs: 5000,
  pageMs: 15_000,
  /** Of one file or page. */
  chars: 20_000,
} as const;

/** What came of a pointer; of a picture, how models are shown it. */
export interface TakenSource {
  readonly source: Source;
  readonly picture?: Picture;
}

export interface Reading {
  readonly openFile: (address: string, signal: AbortSignal) => Promise<OpenedFile>;
  /** Characters of all texts together. */
  readonly maxChars: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Whether a link may lead to this IP address and port; absent: to the public internet's usual ports. */
  readonly mayConnect?: MayConnect | undefined;
}

export type MayConnect = (address: string, port: number) => boolean;

const isPublic: MayConnect = (address, port) =>
  isPublicAddress(address) && (port === 80 || port === 443);

/**
 * Reads what is pointed at; where not all of it can be taken, what comes first is.
 *
 * @returns One for each pointer, in the same order. What could not be read says why: only the signal's
 *   reason is thrown.
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
        const signal = inTime(limits.pageMs, reading.signal);
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

/** One after another, so that a turn never holds more than one whole file beside its pictures. */
async function readFiles(
  files: readonly PointedSource[],
  reading: Reading,
): Promise<readonly TakenSource[]> {
  const all: TakenSource[] = [];
  const late = inTime(limits.filesMs, reading.signal);
  for (const [at, file] of files.entries()) {
    const pictures = all.flatMap(({ picture }) => picture ?? []);
    const held = pictures.reduce((sum, { base64 }) => sum + (base64.length * 3) / 4, 0);
    const room = limits.pictureBytes - held;
    all.push(
      await orWhyNot(file, reading.signal, () =>
        readFile(file, at, room, { ...reading, signal: late }),
      ),
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
  const late = inTime(limits.fetchMs, signal);
  const { bytes, contentType, address } = await fetchPage(page.address, bounds, late);
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

/** Of a page that says itself how it is written. */
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

function inTime(ms: number, signal: AbortSignal): AbortSignal {
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

/** Reads a file's bytes within a limit, and recognises its kind by them: its name and stated type are not trusted. */

import { stripVTControlCharacters } from 'node:util';

/** A source can't be read. The message is for people and follows a colon, e.g. `it is larger than 10 MB`. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * Reads a stream up to a limit.
 *
 * @throws {Unreadable} As soon as the limit is exceeded; the rest is not read. What the stream throws.
 */
export async function readCapped(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Unreadable(`it is larger than ${maxBytes / 1e6} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export type Kind =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'pdf' }
  | {
      readonly is: 'picture';
      /** For example `image/png`. */
      readonly mediaType: string;
      readonly width: number;
      readonly height: number;
    }
  | { readonly is: 'other' };

/** @param charset - As stated by the source, for text that is neither UTF-8 nor UTF-16. */
export function kindOf(bytes: Uint8Array, charset?: string): Kind {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // PDF readers accept this marker near the start, not only at the first byte.
  if (data.subarray(0, 1024).includes('%PDF-')) return { is: 'pdf' };
  const picture = pictureIn(data);
  if (picture) return { is: 'picture', ...picture };
  const text = textIn(data, charset);
  return text === undefined ? { is: 'other' } : { is: 'text', text };
}

type Frame = Pick<Extract<Kind, { is: 'picture' }>, 'mediaType' | 'width' | 'height'>;

/** Recognises the four formats that models can see by their headers. Never throws. */
function pictureIn(data: Buffer): Frame | undefined {
  const has = (text: string, at: number) => data.toString('latin1', at, at + text.length) === text;
  if (data.length < 30) return undefined;
  if (has('\x89PNG\r\n\x1a\n', 0)) {
    return { mediaType: 'image/png', width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  }
  if (has('GIF87a', 0) || has('GIF89a', 0)) {
    return { mediaType: 'image/gif', width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
  }
  if (has('RIFF', 0) && has('WEBP', 8)) return { mediaType: 'image/webp', ...webpSize(data, has) };
  if (has('\xff\xd8\xff', 0)) return { mediaType: 'image/jpeg', ...jpegSize(data) };
  return undefined;
}

/** @see https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(data: Buffer, has: (text: string, at: number) => boolean) {
  if (has('VP8X', 12))
    return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
  if (has('VP8L', 12)) {
    const bits = data.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
}

/** Walks the segments up to the first frame; 0 if there is none. */
function jpegSize(data: Buffer) {
  let at = 2;
  while (at + 9 < data.length && data[at] === 0xff) {
    const marker = data[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return { width: 0, height: 0 };
}

/** Control characters that no text has after terminal colours are removed. */
const binary = /[\p{Cc}--\s]/v;

function textIn(data: Buffer, charset: string | undefined): string | undefined {
  const isWide = data.length >= 2 && [0xfeff, 0xfffe].includes(data.readUInt16BE(0));
  const wide = data[0] === 0xfe ? 'utf-16be' : 'utf-16le';
  // windows-1252 accepts any byte; spreadsheets still save it.
  const labels = isWide ? [wide] : [charset ?? 'utf-8', 'utf-8', 'windows-1252'];
  for (const label of labels) {
    const text = decoded(data, label);
    if (text === undefined) continue;
    if (label === 'windows-1252' && isMisread(text)) {
      throw new Unreadable('I don’t know the encoding of its text; save it in UTF-8');
    }
    return binary.test(text) ? undefined : text;
  }
  return undefined;
}

function decoded(data: Buffer, label: string): string | undefined {
  try {
    return stripVTControlCharacters(new TextDecoder(label, { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
}

/** How much of a text its encoding is judged by, in characters. */
const judgedChars = 10_000;

/** Whether a text was taken for Western European and is not: it has characters of no text, or few letters of ASCII. */
function isMisread(text: string): boolean {
  if (/[[\p{Cc}&&\p{ASCII}]--\s]/v.test(text)) return false;
  const letters = text.slice(0, judgedChars).match(/\p{L}/gu) ?? [];
  const beyond = letters.filter((letter) => letter > '\x7f');
  return binary.test(text) || beyond.length > letters.length / 2;
}

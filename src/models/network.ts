/**
 * Reaches model servers by undici's `request`: it takes a third of the CPU of `fetch`, which makes a web
 * stream of every reply. Connections, proxy and certificates are those of Node's own `fetch`.
 */

import { pipeline, type Readable } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';

// Node's own comes first: else this library's pool would be that of the whole process, and Discord's
// library can't send files by it.
void globalThis.Response;
const { request } = await import('undici');

/** What is sent. */
export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers?: NonNullable<RequestInit['headers']>;
  readonly body?: string;
  readonly signal?: AbortSignal | null | undefined;
}

/** A response whose body is one of Node's streams: its own `body` is empty. */
export class Reply extends Response {
  /** Decompressed. Destroying it closes the connection unless it has ended. */
  readonly stream: Readable;

  constructor(stream: Readable, init: ResponseInit) {
    super(null, init);
    this.stream = stream;
  }
}

/**
 * Sends one request. Redirects are not followed, and nothing but the signal ends the wait for an answer.
 *
 * @throws What the network did, with its `code`, e.g. `ECONNREFUSED`; or the signal's reason. An abort
 *   that comes later destroys the stream.
 */
export async function reach(url: string, sent: Sent): Promise<Reply> {
  const { statusCode, headers, body } = await request(url, {
    ...sent,
    // Those who call have their own, and longer ones.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  // What breaks off is told by the read that meets it; a stream without a reader has no one to tell.
  body.on('error', () => {});
  const encoding = headers['content-encoding'];
  const decoder = typeof encoding === 'string' ? decoders[encoding]?.() : undefined;
  const stream = decoder === undefined ? body : pipeline(body, decoder, () => {});
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new Reply(stream, { status: statusCode, headers: pairs });
}

/** None is asked for; some servers compress all the same. */
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

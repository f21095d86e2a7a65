/**
 * Reaches model servers by undici's `request`: it takes a third of the CPU of `fetch`, which makes a web
 * stream of every reply. Connections, proxy and certificates are those of Node's own `fetch`.
 */

import type { IncomingHttpHeaders } from 'node:http';
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
/** Loaded by the first request: it would be a tenth of the time that a start takes. */
let library: Promise<typeof import('undici')> | undefined;

/** What is sent. */
export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** How long a connected server may take until its answer begins, in milliseconds. Absent: until the signal is aborted. */
  readonly maxSilenceMs?: number;
}

/** What a server answers. */
export interface Reply {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Decompressed. Destroying it closes the connection unless it has ended. */
  readonly stream: Readable;
}

/**
 * Sends one request. Redirects are not followed.
 *
 * @throws What the network did, with its `code`, e.g. `ECONNREFUSED`; or the signal's reason. An abort
 *   that comes later destroys the stream.
 */
export async function reach(url: string, { maxSilenceMs = 0, ...sent }: Sent): Promise<Reply> {
  library ??= import('undici');
  const { request } = await library;
  const { statusCode, headers, body } = await request(url, {
    ...sent,
    headersTimeout: maxSilenceMs,
    // Those who read the body have their own.
    bodyTimeout: 0,
  });
  // What breaks off is told by the read that meets it; a stream without a reader has no one to tell.
  body.on('error', () => {});
  const encoding = headers['content-encoding'];
  const decoder = typeof encoding === 'string' ? decoders[encoding]?.() : undefined;
  const stream = decoder === undefined ? body : pipeline(body, decoder, () => {});
  return { status: statusCode, headers, stream };
}

/** None is asked for; some servers compress all the same. */
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Sends requests to model servers with undici's `request`, which takes a third of the CPU of `fetch` because
 * it creates no web streams. Connections, proxy and certificates are those of Node's own `fetch`.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';

// Loads Node's built-in undici first. Otherwise this package's dispatcher becomes the global one, with which
// discord.js can't send files.
void globalThis.Response;
/** Loaded on the first request: it would take a tenth of the start time. */
let library: Promise<typeof import('undici')> | undefined;

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** How long a connected server may take to start its answer. Default: no limit but the signal. */
  readonly maxSilenceMs?: number;
}

export interface Reply {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The decompressed body. Destroying it closes the connection unless it has ended. */
  readonly stream: Readable;
}

/**
 * Sends one request. Redirects are not followed.
 *
 * @throws The network error with its `code`, e.g. `ECONNREFUSED`; or the signal's reason. A later abort
 *   destroys the stream.
 */
export async function sendRequest(
  url: string,
  { maxSilenceMs = 0, ...sent }: OutgoingRequest,
): Promise<Reply> {
  library ??= import('undici');
  const { request } = await library;
  const { statusCode, headers, body } = await request(url, {
    ...sent,
    headersTimeout: maxSilenceMs,
    // Readers of the body have their own timeout.
    bodyTimeout: 0,
  });
  // The next read reports a broken body; without a reader, the error would crash the process.
  body.on('error', () => {});
  const encoding = headers['content-encoding'];
  const decoder = typeof encoding === 'string' ? decoders[encoding]?.() : undefined;
  const stream = decoder === undefined ? body : pipeline(body, decoder, () => {});
  return { status: statusCode, headers, stream };
}

/** Not requested, but some servers compress all the same. */
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

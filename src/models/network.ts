/**
 * Sends requests to model servers with undici's `request`, which takes a third of the CPU of `fetch` because
 * it creates no web streams. Connections, proxy and certificates are those of Node's own `fetch`.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

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
  /** How long a connected server may send nothing that is waited for. Default: no limit but the signal. */
  readonly maxSilenceMs?: number;
}

export interface Reply {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Destroying it closes the connection unless it has ended. */
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
  { maxSilenceMs = 0, headers, ...sent }: OutgoingRequest,
): Promise<Reply> {
  library ??= import('undici');
  const { request } = await library;
  const reply = await request(url, {
    ...sent,
    // Without this, servers may compress their replies.
    headers: { ...headers, 'accept-encoding': 'identity' },
    headersTimeout: maxSilenceMs,
    bodyTimeout: maxSilenceMs,
  });
  // The next read reports a broken body; without a reader, the error would crash the process.
  reply.body.on('error', () => {});
  return { status: reply.statusCode, headers: reply.headers, stream: reply.body };
}

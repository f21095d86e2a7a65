/**
 * Turns the errors of a call into a {@link ModelError} that says what happened and what to do about it.
 *
 * Neither messages nor causes contain secrets, although servers repeat the key that they reject.
 */

import { APIError, OpenAIError } from 'openai/error';
import { z } from 'zod';
import { networkReason } from '../../domain/failure.ts';
import { ModelError } from '../chat-model.ts';
import { type CalledModel, nameOf, shownUrl } from '../model-options.ts';
import { BrokenBodyError, OversizeError } from '../response-body.ts';
import { failed, statedFailure } from './stated-failure.ts';

/**
 * @param error - An error of the SDK or the connection. Any other is a bug, and rethrown.
 * @param partialText - The text that had arrived.
 */
export function toModelError(error: unknown, called: CalledModel, partialText = ''): ModelError {
  if (error instanceof ModelError) {
    return error;
  }
  if (error instanceof OversizeError) {
    return oversized(called, partialText);
  }
  if (error instanceof APIError && (error.status !== undefined || error.error !== undefined)) {
    const { status, headers } = error;
    return statedFailure(error.error, called, {
      ...(status !== undefined && { status }),
      ...(headers && { headers }),
      partialText,
    });
  }
  // It quotes the reply, so it is no cause to keep.
  if (error instanceof SyntaxError) return failed('broken_stream', called, { partialText });
  if (error instanceof BrokenBodyError || error instanceof OpenAIError) {
    return brokenConnection(error, called, partialText);
  }
  throw error;
}

/** The server sent nothing for too long. */
const silences = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];
/** The server closed the connection. */
const closures = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
/** OpenSSL's and Node's codes of certificates that are not trusted. */
const certificateCode = /CERT|LEAF_SIGNATURE/;

function brokenConnection(error: Error, called: CalledModel, partialText: string): ModelError {
  const facts = { partialText, cause: error };
  const codes = codesOf(error);
  if (silences.some((code) => codes.has(code))) return failed('timed_out', called, { partialText });
  if (!(error instanceof APIError)) return failed('broken_stream', called, facts);
  return failed('unreachable', called, { ...facts, text: unreachable(error, codes, called) });
}

function unreachable(error: Error, codes: ReadonlySet<string>, called: CalledModel): string {
  const url = shownUrl(called.baseUrl);
  if (codes.has('ECONNREFUSED')) {
    const proxy = refusingProxy(error, new URL(url));
    if (proxy)
      return `The proxy at ${proxy} refuses connections. Start it, or correct HTTPS_PROXY or HTTP_PROXY.`;
    return `No server listens at ${url}. Start the server there, or correct the base URL.`;
  }
  if (codes.has('ENOTFOUND')) {
    return `The host in ${url} does not exist. Check the base URL and the network.`;
  }
  if (closures.some((code) => codes.has(code))) {
    return `${url} closed the connection before it answered. Ask again.`;
  }
  if (codes.has('UND_ERR_ABORTED')) return `${url} can't be reached: ${networkReason(error)}.`;
  const [code] = codes;
  if (code && certificateCode.test(code)) {
    return `The certificate of ${url} is not trusted (${code}). Check the base URL; for an authority of your own, start Council with NODE_EXTRA_CA_CERTS=FILE.`;
  }
  return `${url} can't be reached${code ? ` (${code})` : ''}. Check the base URL and the network.`;
}

/** What refused the connection, if it is not the server, by its port. */
function refusingProxy({ cause }: Error, { protocol, port }: URL): string | undefined {
  const tried: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const { data: refused } = z.object({ address: z.string(), port: z.number() }).safeParse(tried);
  const serverPort = Number(port) || (protocol === 'https:' ? 443 : 80);
  return refused && refused.port !== serverPort ? `${refused.address}:${refused.port}` : undefined;
}

/** The codes of an error and its causes, outermost first. */
function codesOf(error: unknown): ReadonlySet<string> {
  const codes = new Set<string>();
  let current = error;
  // Causes are nested three or four deep; the limit guards against cycles.
  for (let depth = 0; depth < 10 && current instanceof Error; depth += 1) {
    if ('code' in current && typeof current.code === 'string') {
      codes.add(current.code);
    }
    current = current.cause;
  }
  return codes;
}

/** The reply exceeded every limit, and the rest was not read. */
export function oversized(called: CalledModel, partialText: string): ModelError {
  const text = `${nameOf(called)} sent more than an answer may hold, and was cut off. Set limits.maxOutputTokens, or choose another model.`;
  return failed('output_limit', called, { text, partialText });
}

/** Why a part of a turn is missing, why a server can't be reached, and the error of an unreachable store. */

import { z } from 'zod';

/** Why a sage, a reviewer or the chair did not deliver. */
export const failureReasons = [
  'key_rejected',
  'payment_required',
  'model_not_found',
  'wrong_address',
  'bad_request',
  'rate_limited',
  'server_error',
  'unreachable',
  'timed_out',
  'broken_stream',
  'refused',
  'context_too_long',
  'output_limit',
  'empty',
  'late', // the quorum had answered and the grace period was over
  'stopped',
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Why a part of a turn is missing. `explanation` is for people. */
export const failureSchema = z.object({ reason: z.enum(failureReasons), explanation: z.string() });

/**
 * The store or the coordination between processes is unavailable at the moment. Not a bug: members are asked to
 * try again later. The message is for the operator.
 */
export class AwayError extends Error {
  override readonly name: string = 'AwayError';
}

/** @returns For people, the innermost cause of an error: `fetch` says no more than “fetch failed” itself. */
export function networkReason(error: Error): string {
  let inner = error;
  while (inner.cause instanceof Error) inner = inner.cause;
  const [, status] = /^Proxy response \((\d+)\)/.exec(inner.message) ?? [];
  if (status === '407') {
    return 'the proxy wants a user and password, or others than those in HTTPS_PROXY (HTTP 407)';
  }
  if (status !== undefined) return `the proxy refuses to connect to that host (HTTP ${status})`;
  // Without a message if several addresses were tried.
  return inner.message || ('code' in inner ? String(inner.code) : inner.name);
}

/** Why a part of a turn is missing, and the error of an unreachable store. */

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

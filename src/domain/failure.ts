/** Why a part of a turn is missing, and the error of a store that is away. */

import { z } from 'zod';

/** Why a sage, a reviewer or the chair did not deliver, in a word; `explanation` beside it is for people. */
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

/** Why a part of a turn is not there. */
export const failureSchema = z.object({ reason: z.enum(failureReasons), explanation: z.string() });

/**
 * What keeps the council's records, or what its processes share, can't be used at the moment. The message is for
 * the operator. What fails of it is no fault of the program: others are told to come back later.
 */
export class AwayError extends Error {
  override readonly name: string = 'AwayError';
}

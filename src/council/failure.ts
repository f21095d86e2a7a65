/** One place that turns what a call threw into a reason and a sentence for people. */

import type { FailureReason } from '../domain/turn.ts';
import { ModelError } from '../models/chat-model.ts';
import { Cutoff } from './cutoff.ts';

/** Why a call did not deliver. */
export interface Failure {
  readonly reason: FailureReason;
  /** For people: what happened and what to do about it. */
  readonly explanation: string;
  /** What had arrived before it broke off. */
  readonly partial: string;
}

/**
 * Reads the failure out of what a model call threw.
 *
 * Throws it again when it is neither the model's nor ours to expect: a fault in the code, or a
 * shutdown, must not look like a sage that had nothing to say.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof ModelError) {
    return { reason: error.failure, explanation: error.message, partial: error.partialText };
  }
  if (error instanceof Cutoff) {
    return { reason: error.reason, explanation: error.message, partial: '' };
  }
  throw error;
}

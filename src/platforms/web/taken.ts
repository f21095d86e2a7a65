/** What programs are told when a question is not taken. */

import { HTTPException } from 'hono/http-exception';
import { withMoments } from '../../domain/words.ts';
import type { Asked } from '../platform.ts';
import type { WebAsked } from './web-council.ts';

/** A limit is used up for now (429), or what keeps the council's records is away (503). */
export class RetryLaterError extends HTTPException {
  /** In milliseconds. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, status: 429 | 503 = 429) {
    super(status, { message });
    this.retryAfterMs = retryAfterMs;
  }

  /** Value of the header `Retry-After`: whole seconds. */
  get retryAfter(): string {
    return `${Math.ceil(this.retryAfterMs / 1000)}`;
  }
}

/** How soon a store that is away may be back, in milliseconds. */
const awayMs = 30_000;

/** What a program is told while the store is away. @param message - For people; absent: the usual words. */
export function awayError(
  message = 'The council can’t reach its memory at the moment. Try again later.',
): RetryLaterError {
  return new RetryLaterError(message, awayMs, 503);
}

/** A question that was taken. */
export type TakenQuestion = Extract<WebAsked, { status: 'accepted' }>;

/**
 * @returns The question that was taken.
 * @throws {RetryLaterError}, also while the store is away; HTTPException 403 for whom the operator lets in nowhere; 422 for what will never
 *   be taken as it is.
 */
export function takenOrThrow(asked: WebAsked): TakenQuestion {
  if (asked.status === 'accepted') return asked;
  throw refusal(asked);
}

/** What a program is told of what was not taken. */
export function refusal(asked: Exclude<Asked, { status: 'accepted' }>): HTTPException {
  if (asked.status === 'dropped') {
    return new HTTPException(409, { message: 'It was asked already.' });
  }
  const message = inWords(asked.reason);
  if (asked.retryAfterMs !== undefined) return new RetryLaterError(message, asked.retryAfterMs);
  if (asked.isAway) return awayError(message);
  return new HTTPException(asked.isStranger ? 403 : 422, { message });
}

/** Words for people, with moments as programs read them. */
export function inWords(text: string): string {
  return withMoments(text, (at) => new Date(at).toISOString());
}

/** Errors and refusals as callers of all routes see them, and the limits on requests per minute. */

import type { MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { LRUCache } from 'lru-cache';
import { AwayError } from '../../domain/failure.ts';
import type { Log } from '../../domain/log.ts';
import { withMoments } from '../../domain/words.ts';
import type { Asked } from '../platform.ts';
import type { WebEnv } from './caller.ts';

/** A limit is used up (429), or the store is unreachable (503). */
export class RetryLaterError extends HTTPException {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, status: 429 | 503 = 429) {
    super(status, { message });
    this.retryAfterMs = retryAfterMs;
  }
}

/** An error that programs tell apart by its code. The message tells the person what was wrong and what was expected. */
export class CodedError extends HTTPException {
  /** E.g. `model_not_found`. */
  readonly code: string;
  /** The invalid field, or empty. */
  readonly param: string;

  constructor(status: ContentfulStatusCode, code: string, message: string, param = '') {
    super(status, { message });
    this.code = code;
    this.param = param;
  }
}

/** When to retry while the store is unreachable, in milliseconds. */
const awayMs = 30_000;

/**
 * The error for a question or side task that was not accepted: a {@link RetryLaterError} when a limit is used up or
 * the store is unreachable; 403 for callers that the operator doesn't allow to ask; 422 for questions that are never
 * accepted.
 */
export function refusal(asked: Exclude<Asked, { status: 'accepted' }>): HTTPException {
  if (asked.status === 'dropped') {
    return new HTTPException(409, { message: 'This was asked already.' });
  }
  const message = asked.reason;
  if (asked.retryAfterMs !== undefined) return new RetryLaterError(message, asked.retryAfterMs);
  if (asked.isAway) return new RetryLaterError(message, awayMs, 503);
  return new HTTPException(asked.isStranger ? 403 : 422, { message });
}

/** Replaces the moments in a text by ISO 8601 times, for programs. */
export function withIsoTimes(text: string): string {
  return withMoments(text, (at) => new Date(at).toISOString());
}

const awayWords = 'The council can’t reach its database at the moment. Try again later.';
const notJsonWords = 'Send the body as JSON, with the header Content-Type: application/json.';
const faultWords = 'That failed because of an internal error. The log has the details.';

/**
 * Turns an error into a reply, with `Retry-After` if known. Errors that only the operator can fix are logged.
 *
 * @param words - Formats the times in the message, which is for people and reveals no internals.
 */
export function replyTo(thrown: unknown, log: Log, words = withIsoTimes) {
  const isAway = thrown instanceof AwayError;
  if (isAway) log.warn({ error: thrown }, 'a request was refused: the store failed');
  const error = isAway ? new RetryLaterError(awayWords, awayMs, 503) : thrown;
  if (!(error instanceof HTTPException)) {
    log.error({ error }, 'a request failed');
    return { status: 500, message: faultWords, headers: {} } as const;
  }
  // Errors thrown by Hono itself have no message.
  const { status, message = '' } = error;
  const seconds = error instanceof RetryLaterError && Math.ceil(error.retryAfterMs / 1000);
  return {
    status: status as ContentfulStatusCode,
    message: status === 415 ? notJsonWords : words(message || 'The request is malformed.'),
    headers: seconds ? { 'Retry-After': `${seconds}` } : {},
  };
}

/**
 * The reply to an error for programs, in the format of OpenAI's API. Each field is a string, because strict clients
 * reject anything else.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 */
export function failureOf(error: unknown, log: Log) {
  const { status, message, headers } = replyTo(error, log);
  const coded = error instanceof CodedError ? error : undefined;
  // Clients wait for the first, and give up at the second.
  const isSoonFree = error instanceof RetryLaterError && error.retryAfterMs <= minuteMs;
  const limit = isSoonFree ? 'rate_limit_exceeded' : 'insufficient_quota';
  const known = status === 429 ? { code: limit, type: limit } : kinds[status];
  const code = coded?.code ?? known?.code ?? (status < 500 ? 'invalid_request' : 'internal_error');
  const type = known?.type ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return {
    status,
    body: { error: { message, type, code, param: coded?.param ?? '' } },
    // Tells clients not to retry automatically: a retry may cost as much again.
    headers: 'Retry-After' in headers ? headers : { 'x-should-retry': 'false' },
  };
}

const kinds: Readonly<Record<number, { readonly code: string; readonly type?: string }>> = {
  401: { code: 'invalid_api_key', type: 'authentication_error' },
  403: { code: 'forbidden', type: 'permission_error' },
  404: { code: 'not_found' },
  409: { code: 'asked_already' },
  413: { code: 'request_too_large' },
  422: { code: 'not_taken' },
  503: { code: 'unavailable' },
};

const minuteMs = 60_000;
/** How many names are remembered; the least recently counted are dropped first. */
const mostCounted = 10_000;

/** Limits actions per minute and name. Counts within this process: several processes each allow the full limit. */
export class MinuteLimit {
  /** Counts since the start of each name's current minute. */
  readonly #counted: LRUCache<string, number>;

  /** @param now - Milliseconds, of any origin. */
  constructor(now = () => performance.now()) {
    this.#counted = new LRUCache({
      max: mostCounted,
      ttl: minuteMs,
      noUpdateTTL: true,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /** Counts an action. @throws {RetryLaterError} with `message` if `most` were counted already. */
  count(name: string, most: number, message: string): void {
    const count = this.#counted.get(name) ?? 0;
    if (count >= most) throw new RetryLaterError(message, this.#counted.getRemainingTTL(name));
    this.#counted.set(name, count + 1);
  }

  forget(name: string): void {
    this.#counted.delete(name);
  }
}

/** Enforces the requests per minute of each key. @param now - Milliseconds, of any origin. */
export function requestLimits(now?: () => number): MiddlewareHandler<WebEnv> {
  const requests = new MinuteLimit(now);
  return async ({ var: { caller } }, next) => {
    const { keyId, requestsPerMinute: most } = caller ?? {};
    if (keyId !== undefined && most !== undefined) {
      requests.count(keyId, most, `This key may make ${most} requests a minute.`);
    }
    await next();
  };
}

/** What people and programs are told when something is not done, whichever way they came in, and how often they may ask before. */

import type { MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Reply } from '../../../commands/command.ts';
import { AwayError } from '../../domain/failure.ts';
import type { Log } from '../../domain/log.ts';
import { withMoments } from '../../domain/words.ts';
import type { Asked } from '../platform.ts';
import type { WebEnv } from './caller.ts';
import { ForbiddenError } from './caller.ts';
import type { WebAsked } from './web-council.ts';

/** A limit is used up for now (429), or what keeps the council's records is away (503). */
export class RetryLaterError extends HTTPException {
  /** In milliseconds. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, status: 429 | 503 = 429) {
    super(status, { message });
    this.retryAfterMs = retryAfterMs;
  }
}

/** How soon a store that is away may be back, in milliseconds. */
const awayMs = 30_000;

/** A question that was taken. */
export type TakenQuestion = Extract<WebAsked, { status: 'accepted' }>;

/**
 * @param words - How moments in a refusal are written.
 * @returns The question that was taken.
 * @throws {RetryLaterError}, also while the store is away; HTTPException 403 for whom the operator lets in nowhere; 422 for what will never
 *   be taken as it is.
 */
export function takenOrThrow(asked: WebAsked, words = inWords): TakenQuestion {
  if (asked.status === 'accepted') return asked;
  throw refusal(asked, words);
}

/** What a program is told of what was not taken. */
export function refusal(
  asked: Exclude<Asked, { status: 'accepted' }>,
  words = inWords,
): HTTPException {
  if (asked.status === 'dropped') {
    return new HTTPException(409, { message: 'It was asked already.' });
  }
  const message = words(asked.reason);
  if (asked.retryAfterMs !== undefined) return new RetryLaterError(message, asked.retryAfterMs);
  if (asked.isAway) return new RetryLaterError(message, awayMs, 503);
  return new HTTPException(asked.isStranger ? 403 : 422, { message });
}

/** What a command says in words. */
export function wordsOf(blocks: Reply['blocks']): string {
  return blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n\n');
}

/** Words for people, with moments as programs read them. */
export function inWords(text: string): string {
  return withMoments(text, (at) => new Date(at).toISOString());
}

/** How an error is told. */
export interface ErrorReply {
  readonly status: ContentfulStatusCode;
  /** For people; shows nothing of the program. */
  readonly message: string;
  /** When to come back, where that is known. */
  readonly headers: Readonly<Record<string, string>>;
}

const awayWords = 'The council can’t reach its memory at the moment. Try again later.';
const faultWords = 'That failed, because of a fault in the program. Its log has the details.';

/** What is replied to an error. What only the operator can fix is logged, with its details. */
export function replyTo(error: unknown, log: Log): ErrorReply {
  if (error instanceof AwayError) {
    log.warn({ error }, 'a request was refused: the store failed');
    return replyTo(new RetryLaterError(awayWords, awayMs, 503), log);
  }
  if (error instanceof ForbiddenError) return { status: 403, message: error.message, headers: {} };
  if (!(error instanceof HTTPException)) {
    log.error({ error }, 'a request failed');
    return { status: 500, message: faultWords, headers: {} };
  }
  // What the library itself throws has no words.
  const { status, message = '' } = error;
  const seconds = error instanceof RetryLaterError && Math.ceil(error.retryAfterMs / 1000);
  return {
    status: status as ContentfulStatusCode,
    message: message || 'The request can’t be read.',
    headers: seconds ? { 'Retry-After': `${seconds}` } : {},
  };
}

const minuteMs = 60_000;
/** Who has been counted first is forgotten first. */
const mostCounted = 10_000;

/** Counts what is done a minute, each name by itself. By this process alone: with several, each lets as many pass. */
export class PerMinute {
  readonly #now: () => number;
  /** When the current minute of a name began, and how many there were. */
  readonly #counted = new Map<string, { readonly since: number; readonly count: number }>();

  /** @param now - Milliseconds, of any origin. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one more. @throws {RetryLaterError} where there were `most`. */
  count(name: string, most: number, words: string): void {
    const at = this.#now();
    const last = this.#counted.get(name);
    const { since, count } = last && at - last.since < minuteMs ? last : { since: at, count: 0 };
    if (count >= most) throw new RetryLaterError(words, since + minuteMs - at);
    this.#counted.set(name, { since, count: count + 1 });
    const [oldest] = this.#counted.size > mostCounted ? this.#counted.keys() : [];
    if (oldest !== undefined) this.#counted.delete(oldest);
  }

  forget(name: string): void {
    this.#counted.delete(name);
  }
}

/** @param now - Milliseconds, of any origin. */
export function requestLimits(now: () => number): MiddlewareHandler<WebEnv> {
  const requests = new PerMinute(now);
  return async ({ var: { caller } }, next) => {
    const { keyId, requestsPerMinute: most } = caller ?? {};
    if (keyId !== undefined && most !== undefined) {
      requests.count(keyId, most, `This key may make ${most} requests a minute, and has.`);
    }
    await next();
  };
}

/** How many requests a key may make a minute, and how often keys may be tried. */

import type { MiddlewareHandler } from 'hono';
import type { WebEnv } from './caller.ts';
import { RetryLaterError } from './refusals.ts';

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

/** How many requests a key may make a minute. */

import type { MiddlewareHandler } from 'hono';
import type { WebEnv } from './caller.ts';
import { RetryLaterError } from './taken.ts';

const minuteMs = 60_000;

/** Counted by this process alone: with several, each lets as many pass. @param now - Milliseconds, of any origin. */
export function requestLimits(now: () => number): MiddlewareHandler<WebEnv> {
  /** When the requests of the current minute began, and how many there were, by key. */
  const counted = new Map<string, { readonly since: number; readonly count: number }>();
  return async ({ var: { caller } }, next) => {
    const { keyId, requestsPerMinute } = caller ?? {};
    if (keyId !== undefined && requestsPerMinute !== undefined) {
      const at = now();
      const last = counted.get(keyId);
      const { since, count } = last && at - last.since < minuteMs ? last : { since: at, count: 0 };
      if (count >= requestsPerMinute) {
        const words = `This key may make ${requestsPerMinute} requests a minute, and has.`;
        throw new RetryLaterError(words, since + minuteMs - at);
      }
      counted.set(keyId, { since, count: count + 1 });
    }
    await next();
  };
}

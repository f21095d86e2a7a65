import type { OutgoingHttpHeaders } from 'node:http';
import type { BucketState, Limited } from './rate-limits.ts';

/** The `X-RateLimit-*` headers that every answer of Discord carries. */
export function bucketHeaders(state: BucketState): OutgoingHttpHeaders {
  return {
    'X-RateLimit-Limit': state.limit,
    'X-RateLimit-Remaining': state.remaining,
    'X-RateLimit-Reset': (state.resetAtMs / 1000).toFixed(3),
    'X-RateLimit-Reset-After': (state.resetAfterMs / 1000).toFixed(3),
    'X-RateLimit-Bucket': state.bucket,
  };
}

/** What a 429 adds. A global one says nothing about a bucket. */
export function limitedHeaders(limited: Limited): OutgoingHttpHeaders {
  return {
    'Retry-After': Math.ceil(limited.retryAfterMs / 1000),
    'X-RateLimit-Scope': limited.scope,
    ...(limited.scope === 'global' ? { 'X-RateLimit-Global': 'true' } : {}),
  };
}

/** The body of a 429; `retry_after` is in seconds. */
export function limitedBody(limited: Limited): object {
  return {
    code: 0,
    message:
      limited.scope === 'shared'
        ? 'The resource is being rate limited.'
        : 'You are being rate limited.',
    retry_after: limited.retryAfterMs / 1000,
    global: limited.scope === 'global',
  };
}

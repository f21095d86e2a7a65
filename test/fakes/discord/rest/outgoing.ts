import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { RatelimitedResponseSchema } from 'discord-api-spec/zod';
import { bucketHeaders, limitedBody, limitedHeaders } from './answer-headers.ts';
import { DiscordError } from './discord-error.ts';
import type { Fault } from './faults.ts';
import type { RecordedCall } from './journal.ts';
import { type BucketState, bucketOf, type Limited } from './rate-limits.ts';
import type { Answer } from './route.ts';

/** What goes out in the end. */
export interface Outgoing extends Answer {
  readonly headers: OutgoingHttpHeaders;
  readonly limitedBy?: RecordedCall['limitedBy'];
  /** What went wrong in the fake itself; a test has to see it. */
  readonly mistake?: string;
}

/** A 429; a global one says nothing of a bucket. */
export function limitedAnswer(limited: Limited, state: BucketState): Outgoing {
  return {
    status: 429,
    body: limitedBody(limited),
    schema: RatelimitedResponseSchema,
    headers: {
      ...(limited.scope === 'global' ? {} : bucketHeaders(state)),
      ...limitedHeaders(limited),
    },
    limitedBy: limited.scope,
  };
}

/** The answer of a planned fault. */
export function faultAnswer(
  fault: Extract<Fault, { kind: 'status' | 'rate limit' }>,
  route: string,
  nowMs: number,
): Outgoing {
  if (fault.kind === 'status') {
    const { status } = fault;
    return { status, body: { code: 0, message: `${status}: planned fault` }, headers: {} };
  }
  const scope = fault.scope === 'hidden' ? 'user' : fault.scope;
  return limitedAnswer(
    { scope, retryAfterMs: fault.retryAfterMs },
    {
      bucket: bucketOf(route),
      limit: 5,
      remaining: fault.scope === 'hidden' ? 4 : 0,
      resetAtMs: nowMs + fault.retryAfterMs,
      resetAfterMs: fault.retryAfterMs,
    },
  );
}

/** A refusal as Discord words it. */
export function refused(error: DiscordError, headers: OutgoingHttpHeaders = {}): Outgoing {
  const { status, code, message, errors, retryAfterMs } = error;
  const body = { code, message, ...(errors === undefined ? {} : { errors }) };
  if (retryAfterMs === undefined) return { status, body, headers };
  const limited = { scope: 'user', retryAfterMs } as const;
  return {
    status,
    body: { ...body, retry_after: retryAfterMs / 1000, global: false },
    headers: { ...headers, ...limitedHeaders(limited) },
    limitedBy: 'user',
  };
}

/** What a route throws is its refusal; anything else is a mistake of the fake. */
export function thrown(error: unknown, headers: OutgoingHttpHeaders = {}): Outgoing {
  if (error instanceof DiscordError) return refused(error, headers);
  const mistake = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { status: 500, body: { code: 0, message: '500: The fake failed' }, headers, mistake };
}

/** Sends an answer. Without a body there is no content type, or the client would try to read one. */
export function send(response: ServerResponse, { status, body, headers }: Outgoing): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else {
    response
      .writeHead(status, { ...headers, 'Content-Type': 'application/json' })
      .end(JSON.stringify(body));
  }
}

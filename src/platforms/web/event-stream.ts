/** Streams of server-sent events that last as long as a deliberation. */

import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { WebEnv } from './caller.ts';

/** A server-sent event. */
export interface Frame {
  readonly data: string;
  /** Event name. */
  readonly event?: string;
  /** A reconnecting reader resumes after it. */
  readonly id?: string;
}

interface EventStreamOptions {
  /** Aborted when the reader disconnects before the end. */
  readonly gone: AbortController;
  /** Returns the last frame to send after an error; `undefined`: the stream just ends. */
  readonly onError: (error: unknown) => Frame | undefined;
}

/** Headers that keep proxies from buffering, changing or caching the stream. */
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Proxies close idle connections, often after 30 s. */
const keepAliveMs = 15_000;

/**
 * Streams events. Each is requested once the reader has consumed the one before, so a slow reader delays only
 * itself. Errors are sent as a frame, since the status has been sent already.
 */
export function eventStream(
  context: Context<WebEnv>,
  frames: AsyncIterable<Frame>,
  { gone, onError }: EventStreamOptions,
): Response {
  const { body } = streamSSE(context, async (stream) => {
    stream.onAbort(() => gone.abort());
    let pulse: NodeJS.Timeout | undefined;
    let kept = Promise.resolve();
    // While something waits for the reader, nothing more is written, so a stream that nobody reads keeps no timer.
    const keepAlive = () => {
      pulse = setTimeout(() => {
        kept = stream.write(': keepalive\n\n').then(keepAlive);
      }, keepAliveMs);
    };
    const silence = async () => {
      await kept;
      clearTimeout(pulse);
    };
    keepAlive();
    try {
      for await (const frame of frames) {
        await silence();
        if (stream.aborted) return;
        await stream.writeSSE(frame);
        keepAlive();
      }
    } catch (error) {
      await silence();
      const last = onError(error);
      if (last) await stream.writeSSE(last);
    } finally {
      await silence();
    }
  });
  // On the context: where `cors` has set headers there, they replace the response’s.
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  // Left to Node: a reader may speak HTTP/1.0, or want its connection closed.
  for (const name of ['transfer-encoding', 'connection']) context.header(name, undefined);
  return context.newResponse(body);
}

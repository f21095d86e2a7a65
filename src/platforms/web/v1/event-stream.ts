/** Server-sent events that stay open as long as a council deliberates. */

import { failureOf } from './failure.ts';

export interface EventStreamOptions {
  /** Each frame is named after its event’s type, as responses are read. */
  readonly isNamed: boolean;
  /** Sent behind the last event of a whole stream; absent: nothing. */
  readonly last?: string;
  /** How long nothing is sent at most, in milliseconds. */
  readonly keepAliveMs: number;
  /** The reader went before the end. */
  readonly onGone: () => void;
  /** Told what the program did not expect; the reader learns only that something went wrong. */
  readonly onFault: (error: unknown) => void;
}

/** For whatever stands in between: nothing is held back, changed or kept. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const encoder = new TextEncoder();
const silent = Symbol('silent');

/**
 * Sends events as they come. The next one is asked for when the reader has taken the last: a slow reader waits
 * for itself alone. What goes wrong after the first byte is told in a frame, since the status is sent by then.
 */
export function eventStream(
  events: AsyncGenerator<object, void, undefined>,
  { isNamed, last, keepAliveMs, onGone, onFault }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  let next: ReturnType<typeof events.next> | undefined;
  const frameOf = (event: object) => {
    const name = isNamed && 'type' in event ? `event: ${event.type}\n` : '';
    return encoder.encode(`${name}data: ${JSON.stringify(event)}\n\n`);
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        next ??= events.next();
        const result = await orSilent(next, keepAliveMs);
        if (result === silent) {
          controller.enqueue(encoder.encode(': keepalive\n\n'));
          return;
        }
        next = undefined;
        if (!result.done) {
          controller.enqueue(frameOf(result.value));
          return;
        }
        if (last !== undefined) controller.enqueue(encoder.encode(`data: ${last}\n\n`));
      } catch (error) {
        controller.enqueue(frameOf(failureOf(error, onFault).body));
      }
      controller.close();
    },
    cancel() {
      // Nobody waits for it any more, whatever it comes to.
      next?.catch(() => undefined);
      onGone();
    },
  });
}

async function orSilent<Value>(value: Promise<Value>, ms: number): Promise<Value | typeof silent> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof silent>((resolve) => {
    timer = setTimeout(resolve, ms, silent);
  });
  try {
    return await Promise.race([value, silence]);
  } finally {
    clearTimeout(timer);
  }
}

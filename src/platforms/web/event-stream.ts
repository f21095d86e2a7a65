/** Streams of server-sent events that last as long as a deliberation. */

/** A server-sent event. */
export interface Frame {
  /** One line. */
  readonly data: string;
  /** Event name. */
  readonly event?: string;
  /** A reconnecting reader resumes after it. */
  readonly id?: string;
}

export interface EventStreamOptions {
  /** Called when the reader disconnects before the end. */
  readonly onGone: () => void;
  /** Returns the last frame to send after an error; `undefined`: the stream just ends. */
  readonly onError: (error: unknown) => Frame | undefined;
}

/** Headers that keep proxies from buffering, changing or caching the stream. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** The longest silence. Proxies close idle connections, often after 30 s. */
const keepAliveMs = 15_000;
const encoder = new TextEncoder();
const silent = Symbol('silent');

/**
 * Streams events. Each is requested once the reader has consumed the one before, so a slow reader delays only
 * itself. Errors are sent as a frame, since the status has been sent already.
 */
export function eventStream(
  frames: AsyncGenerator<Frame, void, undefined>,
  { onGone, onError }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  let next: ReturnType<typeof frames.next> | undefined;
  return new ReadableStream({
    async pull(controller) {
      try {
        next ??= frames.next();
        const result = await valueOrSilence(next, keepAliveMs);
        if (result === silent) {
          controller.enqueue(encoder.encode(': keepalive\n\n'));
          return;
        }
        next = undefined;
        if (!result.done) {
          controller.enqueue(encoded(result.value));
          return;
        }
      } catch (error) {
        const last = onError(error);
        if (last) controller.enqueue(encoded(last));
      }
      controller.close();
    },
    cancel() {
      // No one awaits this promise any more.
      next?.catch(() => undefined);
      onGone();
    },
  });
}

function encoded({ event, data, id }: Frame): Uint8Array {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${data}`,
    ...(id === undefined ? [] : [`id: ${id}`]),
  ];
  return encoder.encode(`${lines.join('\n')}\n\n`);
}

async function valueOrSilence<Value>(
  value: Promise<Value>,
  ms: number,
): Promise<Value | typeof silent> {
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

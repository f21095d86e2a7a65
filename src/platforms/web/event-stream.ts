/** Server-sent events that stay open as long as a council deliberates. */

/** An event as it is sent. */
export interface Frame {
  /** One line. */
  readonly data: string;
  /** Name that it is read by; absent: none. */
  readonly event?: string;
  /** Reading goes on after it. */
  readonly id?: string;
}

export interface EventStreamOptions {
  /** The reader went before the end. */
  readonly onGone: () => void;
  /** Gives what the reader is told last of what went wrong; nothing: the stream ends. */
  readonly onFault: (error: unknown) => Frame | undefined;
}

/** For whatever stands in between: nothing is held back, changed or kept. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** How long nothing is sent at most. Proxies cut off what is silent, often after 30 s. */
const keepAliveMs = 15_000;
const encoder = new TextEncoder();
const silent = Symbol('silent');

/**
 * Sends events as they come. The next one is asked for when the reader has taken the last: a slow reader waits
 * for itself alone. What goes wrong after the first byte is told in a frame, since the status is sent by then.
 */
export function eventStream(
  frames: AsyncGenerator<Frame, void, undefined>,
  { onGone, onFault }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  let next: ReturnType<typeof frames.next> | undefined;
  return new ReadableStream({
    async pull(controller) {
      try {
        next ??= frames.next();
        const result = await orSilent(next, keepAliveMs);
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
        const last = onFault(error);
        if (last) controller.enqueue(encoded(last));
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

function encoded({ event, data, id }: Frame): Uint8Array {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${data}`,
    ...(id === undefined ? [] : [`id: ${id}`]),
  ];
  return encoder.encode(`${lines.join('\n')}\n\n`);
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

/** Reads response bodies within limits of time and size: as text, or as server-sent events. */

import type { Readable } from 'node:stream';

/** The server sent nothing for too long. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
  constructor(silenceMs: number) {
    super(`Nothing came for ${silenceMs} milliseconds.`);
  }
}

/** The server sent too much. */
export class OversizeError extends Error {
  override readonly name = 'OversizeError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`More than ${maxBytes} bytes came.`);
    this.maxBytes = maxBytes;
  }
}

/** The connection ended before the body was complete; the cause is the network error. */
export class BrokenBodyError extends Error {
  override readonly name = 'BrokenBodyError';
  constructor(cause: unknown) {
    super('The body broke off.', { cause });
  }
}

export interface BodyBounds {
  /** How long the server may send nothing while the reader waits. */
  readonly maxSilenceMs: number;
  /** Counted after decompression, so a small compressed body can't unpack without limit. */
  readonly maxBytes: number;
}

/** Reads a body piece by piece. Always call `close`. */
export class BodyReader {
  readonly #bounds: BodyBounds;
  readonly #stream: Readable;
  readonly #pieces: AsyncIterator<Uint8Array>;
  // One timer for all reads: creating one per read would cost more than the read.
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  #bytes = 0;

  constructor(stream: Readable, bounds: BodyBounds) {
    this.#bounds = bounds;
    this.#stream = stream;
    this.#pieces = stream[Symbol.asyncIterator]();
    this.#timer = setTimeout(() => {
      // Fails the pending read.
      if (this.#isReading) stream.destroy(new SilenceError(bounds.maxSilenceMs));
    }, bounds.maxSilenceMs);
  }

  /**
   * Returns all bytes that have arrived; `undefined` at the end.
   *
   * @throws {SilenceError | OversizeError | BrokenBodyError}
   */
  async read(): Promise<Uint8Array | undefined> {
    const { maxBytes } = this.#bounds;
    if (this.#bytes > maxBytes) throw new OversizeError(maxBytes);
    this.#timer.refresh();
    this.#isReading = true;
    const { done, value } = await this.#next();
    this.#isReading = false;
    if (done) return undefined;
    this.#bytes += value.length;
    // Returns what fits; the next read throws.
    const excess = this.#bytes - maxBytes;
    return excess > 0 ? value.subarray(0, value.length - excess) : value;
  }

  /** Reads and discards the rest for up to `withinMs`, so that the connection can be reused. */
  async drain(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stream.destroy(), withinMs);
    try {
      while (!(await this.#pieces.next()).done);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection unless the body has ended. */
  close(): void {
    clearTimeout(this.#timer);
    this.#stream.destroy();
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.#pieces.next();
    } catch (error) {
      throw error instanceof SilenceError ? error : new BrokenBodyError(error);
    }
  }
}

/** The whole body as text. Throws as {@link BodyReader.read} does. */
export async function readText(stream: Readable, bounds: BodyBounds): Promise<string> {
  const parts: Uint8Array[] = [];
  await collect(parts, stream, bounds);
  return textOf(parts);
}

/** The body as text, up to the point where it ends, breaks off or becomes too large. */
export async function readStart(stream: Readable, bounds: BodyBounds): Promise<string> {
  const parts: Uint8Array[] = [];
  await collect(parts, stream, bounds).catch(() => {});
  return textOf(parts);
}

async function collect(parts: Uint8Array[], stream: Readable, bounds: BodyBounds): Promise<void> {
  const body = new BodyReader(stream, bounds);
  try {
    for (let part = await body.read(); part !== undefined; part = await body.read()) {
      parts.push(part);
    }
  } finally {
    body.close();
  }
}

function textOf(parts: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** How long to wait for the end of a response after its last event. */
const closingMs = 100;

/**
 * Yields the data of the events in a response up to `[DONE]`, grouped as they arrive. Closes the connection
 * when the consumer stops. Keep-alive comments count as activity.
 *
 * The SDK's reader ends an aborted stream as if it were complete, and eventsource-parser takes quadratic time
 * for a text of carriage returns.
 *
 * @throws What {@link BodyReader.read} throws.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readEvents(
  stream: Readable,
  bounds: BodyBounds,
): AsyncGenerator<readonly string[]> {
  const body = new BodyReader(stream, bounds);
  const decoder = createEventDecoder();
  try {
    while (true) {
      const bytes = await body.read();
      const events = bytes === undefined ? decoder.end() : decoder.take(bytes);
      const last = events.indexOf('[DONE]');
      yield last === -1 ? events : events.slice(0, last);
      if (last !== -1) await body.drain(closingMs).catch(() => {});
      if (last !== -1 || bytes === undefined) return;
    }
  } finally {
    body.close();
  }
}

/** Decodes bytes into the data of the events that they complete. */
export function createEventDecoder() {
  const decoder = new TextDecoder();
  /** The pieces of the incomplete last line, joined only once. */
  let begun: string[] = [];
  let dataLines: string[] = [];
  let endedInReturn = false;

  function takeText(text: string): readonly string[] {
    // Skips the second half of a `\r\n` that was split between two pieces.
    const rest = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') endedInReturn = text.endsWith('\r');
    const [first = '', ...lines] = rest.split(/\r\n|\n|\r/);
    begun.push(first);
    return lines.flatMap((next) => {
      const ended = begun.join('');
      begun = [next];
      return takeLine(ended);
    });
  }

  function takeLine(line: string): readonly string[] {
    if (line === '') {
      const lines = dataLines;
      dataLines = [];
      return lines.length === 0 ? [] : [lines.join('\n')];
    }
    if (line.startsWith('data:')) {
      dataLines.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
    // Everything else is a comment or an unused field.
    return [];
  }

  return {
    /** Takes the next bytes, split anywhere; returns the data of the events that they complete, in order. */
    take: (bytes: Uint8Array) => takeText(decoder.decode(bytes, { stream: true })),
    /** Returns an event that lacks its closing blank line. Call once, at the end. */
    end: () => takeText(`${decoder.decode()}\n\n`),
  };
}

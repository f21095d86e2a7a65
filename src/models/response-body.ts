/** Reads response bodies within limits of time and size. */

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
  const { text, fault } = await gather(stream, bounds);
  if (fault !== undefined) throw fault.error;
  return text;
}

/** The body as text, up to the point where it ends, breaks off or becomes too large. */
export async function readStart(stream: Readable, bounds: BodyBounds): Promise<string> {
  return (await gather(stream, bounds)).text;
}

async function gather(
  stream: Readable,
  bounds: BodyBounds,
): Promise<{ readonly text: string; readonly fault?: { readonly error: unknown } }> {
  const body = new BodyReader(stream, bounds);
  const parts: Uint8Array[] = [];
  const text = () => new TextDecoder().decode(Buffer.concat(parts));
  try {
    for (let part = await body.read(); part !== undefined; part = await body.read()) {
      parts.push(part);
    }
    return { text: text() };
  } catch (error) {
    return { text: text(), fault: { error } };
  } finally {
    body.close();
  }
}

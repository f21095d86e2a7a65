/** Reads what a server sends, within bounds of time and size. */

import type { Readable } from 'node:stream';

/** The server has sent nothing for longer than it may. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
  constructor(silenceMs: number) {
    super(`Nothing came for ${silenceMs} milliseconds.`);
  }
}

/** The server has sent more than a reply may have. */
export class OversizeError extends Error {
  override readonly name = 'OversizeError';
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`More than ${maxBytes} bytes came.`);
    this.maxBytes = maxBytes;
  }
}

/** The connection ended before the body did; the cause is what the network said. */
export class BrokenBodyError extends Error {
  override readonly name = 'BrokenBodyError';
  constructor(cause: unknown) {
    super('The body broke off.', { cause });
  }
}

/** What a server may do at most. */
export interface BodyBounds {
  /** How long it may send nothing while the reader waits, in milliseconds. */
  readonly maxSilenceMs: number;
  /** Counted after decompression, so that a small body can't grow without end. */
  readonly maxBytes: number;
}

/** A body that is read piece by piece. Call `leave` in the end. */
export class BodyReader {
  readonly #bounds: BodyBounds;
  readonly #stream: Readable;
  readonly #pieces: AsyncIterator<Uint8Array>;
  // One for all reads: to set up another for each would cost more than the read itself.
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  #bytes = 0;

  constructor(stream: Readable, bounds: BodyBounds) {
    this.#bounds = bounds;
    this.#stream = stream;
    this.#pieces = stream[Symbol.asyncIterator]();
    this.#timer = setTimeout(() => {
      // Ends the read that waits.
      if (this.#isReading) stream.destroy(new SilenceError(bounds.maxSilenceMs));
    }, bounds.maxSilenceMs);
  }

  /**
   * The next bytes, all that have come; `undefined` at the end.
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
    // What fits is given; the next read says that there was more.
    const excess = this.#bytes - maxBytes;
    return excess > 0 ? value.subarray(0, value.length - excess) : value;
  }

  /** Waits so long for the end, in milliseconds, so that the connection can be used again. */
  async passOver(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stream.destroy(), withinMs);
    try {
      while (!(await this.#pieces.next()).done);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection unless the body has ended. */
  leave(): void {
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

/** What comes of a body before it ends, breaks off or is too large. */
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
    body.leave();
  }
}

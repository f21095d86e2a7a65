/** Reads what a server sends, within bounds of time and size. */

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
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // One for all reads: to set up another for each would cost more than the read itself.
  readonly #timer: NodeJS.Timeout;
  #isReading = false;
  #isSilent = false;
  #bytes = 0;

  constructor({ body }: Response, bounds: BodyBounds) {
    this.#bounds = bounds;
    this.#reader = body?.getReader();
    this.#timer = setTimeout(() => {
      if (!this.#isReading) return;
      this.#isSilent = true;
      // Ends the read that waits.
      void this.#cancel();
    }, bounds.maxSilenceMs);
  }

  /**
   * The next bytes; `undefined` at the end.
   *
   * @throws {SilenceError | OversizeError}
   */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined;
    this.#timer.refresh();
    this.#isReading = true;
    const { done, value } = await this.#reader.read();
    this.#isReading = false;
    if (done && this.#isSilent) throw new SilenceError(this.#bounds.maxSilenceMs);
    if (done) return undefined;
    this.#bytes += value.length;
    if (this.#bytes > this.#bounds.maxBytes) throw new OversizeError(this.#bounds.maxBytes);
    return value;
  }

  /** Waits so long for the end, in milliseconds, so that the connection can be used again. */
  async passOver(withinMs: number): Promise<void> {
    const timer = setTimeout(() => void this.#cancel(), withinMs);
    try {
      while (this.#reader !== undefined && !(await this.#reader.read()).done);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection unless the body has ended. */
  async leave(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#cancel();
  }

  async #cancel(): Promise<void> {
    // After an error there is nothing left to cancel, and the error itself is on its way.
    await this.#reader?.cancel().catch(() => {});
  }
}

/** The whole body as text. Throws as {@link BodyReader.read} does. */
export async function readText(response: Response, bounds: BodyBounds): Promise<string> {
  const { text, fault } = await gather(response, bounds);
  if (fault !== undefined) throw fault.error;
  return text;
}

/** What comes of a body before it ends, breaks off or is too large. */
export async function readStart(response: Response, bounds: BodyBounds): Promise<string> {
  return (await gather(response, bounds)).text;
}

async function gather(
  response: Response,
  bounds: BodyBounds,
): Promise<{ readonly text: string; readonly fault?: { readonly error: unknown } }> {
  const body = new BodyReader(response, bounds);
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
    await body.leave();
  }
}

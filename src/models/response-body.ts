/** Reads response bodies up to a limit of size: as text, or as server-sent events. */

import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** The server sent too much. */
export class OversizeError extends Error {
  override readonly name = 'OversizeError';
  constructor(maxBytes: number) {
    super(`More than ${maxBytes} bytes came.`);
  }
}

/** The connection ended before the body was complete; the cause is the network error. */
export class BrokenBodyError extends Error {
  override readonly name = 'BrokenBodyError';
  constructor(cause: unknown) {
    super('The body broke off.', { cause });
  }
}

/**
 * Yields what arrives, and what fits of the last piece. Leaves the stream open.
 *
 * @throws {OversizeError | BrokenBodyError}
 */
async function* piecesOf(stream: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterable<Uint8Array> = stream.iterator({ destroyOnReturn: false });
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      bytes += piece.length;
      const excess = bytes - maxBytes;
      yield excess > 0 ? piece.subarray(0, piece.length - excess) : piece;
      if (excess > 0) throw new OversizeError(maxBytes);
    }
  } catch (error) {
    throw error instanceof OversizeError ? error : new BrokenBodyError(error);
  }
}

/**
 * The whole body as text.
 *
 * @throws {OversizeError | BrokenBodyError}
 */
export async function readText(stream: Readable, maxBytes: number): Promise<string> {
  const { text, fault } = await collect(stream, maxBytes);
  if (fault) throw fault;
  return text;
}

/** The body as text, up to the point where it ends, breaks off or becomes too large. */
export async function readStart(stream: Readable, maxBytes: number): Promise<string> {
  return (await collect(stream, maxBytes)).text;
}

async function collect(stream: Readable, maxBytes: number) {
  const parts: Uint8Array[] = [];
  let fault: unknown;
  try {
    for await (const piece of piecesOf(stream, maxBytes)) parts.push(piece);
  } catch (error) {
    fault = error;
  }
  stream.destroy();
  return { text: new TextDecoder().decode(Buffer.concat(parts)), fault };
}

/** How long to wait for the end of a response after its last event. */
const closingMs = 100;

/**
 * Yields the data of the events in a body up to `[DONE]`, grouped as they arrive; of a body without events, its
 * text. Closes the connection when the consumer stops. Keep-alive comments count as activity.
 *
 * The SDK's reader ends an aborted stream as if it were complete, and eventsource-parser takes quadratic time
 * for a text of carriage returns.
 *
 * @throws {OversizeError | BrokenBodyError}
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export async function* readBody(
  stream: Readable,
  maxBytes: number,
): AsyncGenerator<readonly string[] | string> {
  const decoder = createEventDecoder();
  let isDone = false;
  let hasEvents = false;
  const upToDone = (events: readonly string[]) => {
    const last = events.indexOf('[DONE]');
    isDone = last !== -1;
    hasEvents ||= events.length > 0 && last !== 0;
    return isDone ? events.slice(0, last) : events;
  };
  try {
    for await (const bytes of piecesOf(stream, maxBytes)) {
      yield upToDone(decoder.take(bytes));
      if (isDone) break;
    }
    if (!isDone) yield upToDone(decoder.end());
    if (!hasEvents) yield decoder.text();
  } finally {
    if (isDone) await drain(stream);
    stream.destroy();
  }
}

/** Discards the rest, so that the connection can be reused. */
async function drain(stream: Readable): Promise<void> {
  // A signal with a timeout costs several times as much.
  const timer = setTimeout(() => stream.destroy(), closingMs);
  await finished(stream.resume()).catch(() => {});
  clearTimeout(timer);
}

/** A comment or an unused field. */
const unusedLine = /^(?::|event:|id:|retry:)/;

/** Decodes bytes into the data of the events that they complete. */
export function createEventDecoder() {
  const decoder = new TextDecoder();
  /** The pieces of the incomplete last line, joined only once. */
  let begun: string[] = [];
  let dataLines: string[] = [];
  const otherLines: string[] = [];
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
    } else if (!unusedLine.test(line)) otherLines.push(line);
    return [];
  }

  return {
    /** Takes the next bytes, split anywhere; returns the data of the events that they complete, in order. */
    take: (bytes: Uint8Array) => takeText(decoder.decode(bytes, { stream: true })),
    /** Returns an event that lacks its closing blank line. Call once, at the end. */
    end: () => takeText(`${decoder.decode()}\n\n`),
    /** The lines that belong to no stream of events. */
    text: () => otherLines.join('\n'),
  };
}

/**
 * Reads the data of server-sent events. The SDK's reader ends an aborted stream as if it were complete, and
 * eventsource-parser takes quadratic time for a text of carriage returns.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

import type { Readable } from 'node:stream';
import { type BodyBounds, BodyReader } from '../response-body.ts';

/** How long to wait for the end of a response after its last event. */
const closingMs = 100;

/**
 * Yields the data of the events in a response up to `[DONE]`, grouped as they arrive. Closes the connection
 * when the consumer stops. Keep-alive comments count as activity.
 *
 * @throws What {@link BodyReader.read} throws.
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

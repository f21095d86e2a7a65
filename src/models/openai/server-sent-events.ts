/**
 * Reads the data of server-sent events. In place of the SDK's own reader, which ends an aborted stream as
 * if it were complete, and of eventsource-parser, which takes the square of a text of carriage returns.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

import type { Readable } from 'node:stream';
import { type BodyBounds, BodyReader } from '../response-body.ts';

/** How long the end of a response is waited for once all is said. */
const closingMs = 100;

/**
 * The data of the events in a response, as many at once as arrive together, up to the event `[DONE]`.
 * Closes the connection when its reader leaves. A comment that keeps the connection alive is no silence.
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
      if (last !== -1) await body.passOver(closingMs).catch(() => {});
      if (last !== -1 || bytes === undefined) return;
    }
  } finally {
    body.leave();
  }
}

/** Turns bytes into the data of the events that they complete. */
export function createEventDecoder() {
  const decoder = new TextDecoder();
  /** The last line as far as it has come: put together once, however many pieces it arrives in. */
  let begun: string[] = [];
  let dataLines: string[] = [];
  let endedInReturn = false;

  function takeText(text: string): readonly string[] {
    // The second half of a line end that the pieces were cut in.
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
    // All else is a comment, or a field that says nothing here.
    return [];
  }

  return {
    /** Takes the next bytes, cut anywhere; gives the data of each event that they complete, in order. */
    take: (bytes: Uint8Array) => takeText(decoder.decode(bytes, { stream: true })),
    /** Gives what a server left without the blank line that ends an event. Called once, at the end. */
    end: () => takeText(`${decoder.decode()}\n\n`),
  };
}

/**
 * Reads the data of server-sent events. In place of the SDK's own reader, which ends an aborted stream as
 * if it were complete.
 */

import { createParser } from 'eventsource-parser';
import { type BodyBounds, BodyReader } from './response-body.ts';

/** How long the end of a response is waited for once all is said. */
const closingMs = 100;

/**
 * The data of the events in a response, as many at once as arrive together, up to the event `[DONE]`.
 * Closes the connection when its reader leaves. A comment that keeps the connection alive is no silence.
 *
 * @throws What {@link BodyReader.read} throws.
 */
export async function* readEvents(
  response: Response,
  bounds: BodyBounds,
): AsyncGenerator<readonly string[]> {
  const body = new BodyReader(response, bounds);
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
    await body.leave();
  }
}

/** Turns bytes into the data of the events that they complete. */
export interface EventDecoder {
  /** Takes the next bytes, cut anywhere; gives the data of each event that they complete, in order. */
  take(bytes: Uint8Array): readonly string[];
  /** Gives what a server left without the blank line that ends an event. Called once, at the end. */
  end(): readonly string[];
}

export function createEventDecoder(): EventDecoder {
  const decoder = new TextDecoder();
  let events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) });

  function taken(text: string): readonly string[] {
    events = [];
    parser.feed(text);
    return events;
  }

  return {
    take: (bytes) => taken(decoder.decode(bytes, { stream: true })),
    end: () => taken(`${decoder.decode()}\n\n`),
  };
}

/**
 * Reads the data of server-sent events. In place of the SDK's own reader: it ends an aborted stream as
 * if it were complete, and a call of forty chunks takes a third more CPU with it.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */

/** The server has sent nothing for longer than it may. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
  constructor(silenceMs: number) {
    super(`Nothing came for ${silenceMs} milliseconds.`);
  }
}

/** How long the end of a response is waited for once all is said, so that the connection can be used again. */
const closingMs = 100;

/**
 * The data of the events in a response, as many at once as arrive together, up to the event `[DONE]`.
 * Closes the connection when its reader leaves.
 *
 * @param maxSilenceMs - Throws {@link SilenceError} when nothing at all comes for longer while the
 *   reader waits; a comment that keeps the connection alive is something.
 */
export async function* readEvents(
  response: Response,
  maxSilenceMs: number,
): AsyncGenerator<readonly string[]> {
  if (response.body === null) {
    return;
  }
  const body = response.body.getReader();
  const decoder = createEventDecoder();
  let silence = watchSilence(body, maxSilenceMs);
  let isAllSaid = false;
  try {
    while (true) {
      const arrived = await silence.read();
      if (arrived === 'silence' && !isAllSaid) {
        throw new SilenceError(maxSilenceMs);
      }
      const isOver = arrived === 'silence' || arrived.done;
      if (!isAllSaid) {
        const events = isOver ? decoder.end() : decoder.take(arrived.value);
        const last = events.indexOf('[DONE]');
        isAllSaid = last !== -1;
        if (isAllSaid) {
          silence.end();
          silence = watchSilence(body, closingMs);
        }
        yield isAllSaid ? events.slice(0, last) : events;
      }
      if (isOver) {
        return;
      }
    }
  } finally {
    silence.end();
    // After an error there is nothing left to cancel, and the error itself is on its way.
    await body.cancel().catch(() => {});
  }
}

/** Reads, and leaves the connection when nothing comes for longer than it may while somebody reads. */
function watchSilence(body: ReadableStreamDefaultReader<Uint8Array>, maxSilenceMs: number) {
  let isReading = false;
  let isSilent = false;
  // One for all reads: to set up another for each would cost more than the read itself.
  const timer = setTimeout(() => {
    if (!isReading) return;
    isSilent = true;
    // Ends the read that waits.
    void body.cancel().catch(() => {});
  }, maxSilenceMs);
  return {
    async read() {
      timer.refresh();
      isReading = true;
      const arrived = await body.read();
      isReading = false;
      return isSilent && arrived.done ? 'silence' : arrived;
    },
    end: () => clearTimeout(timer),
  };
}

/** Turns bytes into the data of the events that they complete. */
export interface EventDecoder {
  /** Takes the next bytes, cut anywhere; gives the data of each event that they complete, in order. */
  take(bytes: Uint8Array): readonly string[];
  /** Gives what a server left without the blank line that ends an event. Called once, at the end. */
  end(): readonly string[];
}

const lineEnd = /\r\n|\n|\r/;

export function createEventDecoder(): EventDecoder {
  const decoder = new TextDecoder();
  let rest = '';
  let dataLines: string[] = [];

  function takeText(text: string, isEnd: boolean): readonly string[] {
    rest += text;
    // A carriage return at the end may be the first half of a line end.
    const held = !isEnd && rest.endsWith('\r') ? '\r' : '';
    const lines = rest.slice(0, rest.length - held.length).split(lineEnd);
    rest = (lines.pop() ?? '') + held;
    return lines.flatMap(takeLine);
  }

  function takeLine(line: string): readonly string[] {
    if (line === '') {
      return flush();
    }
    if (line.startsWith('data:')) {
      dataLines.push(line.slice(line.startsWith('data: ') ? 6 : 5));
    }
    // All else is a comment, or a field that says nothing here.
    return [];
  }

  function flush(): readonly string[] {
    const lines = dataLines;
    dataLines = [];
    return lines.length === 0 ? [] : [lines.join('\n')];
  }

  return {
    take: (bytes) => takeText(decoder.decode(bytes, { stream: true }), false),
    end: () => [...takeText(`${decoder.decode()}\n`, true), ...flush()],
  };
}

/** Streams a turn: its events to the reader, and the text of a reply as it grows. */

/**
 * Merges the events of parallel tasks into one stream for one reader. Unbounded, without backpressure: a turn has
 * few events, small next to its prompts.
 */
export class EventChannel<Event> implements AsyncIterable<Event> {
  #waitingEvents: Event[] = [];
  #ended: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  readonly #wanted = Promise.withResolvers<void>();

  /** Resolves when a reader asks for the first event. */
  get wanted(): Promise<void> {
    return this.#wanted.promise;
  }

  /** Adds an event; ignored after `close` or `fail`. */
  push(event: Event): void {
    if (this.#ended) return;
    this.#waitingEvents.push(event);
    this.#wake?.();
  }

  /** Ends the stream after the pending events. */
  close(): void {
    this.#ended ??= {};
    this.#wake?.();
  }

  /** Throws this error to the reader after the pending events. */
  fail(error: unknown): void {
    this.#ended ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    this.#wanted.resolve();
    for (;;) {
      const events = this.#waitingEvents;
      this.#waitingEvents = [];
      // `yield*` would wrap each event in another promise.
      for (const event of events) yield event;
      if (this.#waitingEvents.length > 0) continue;
      if (this.#ended) {
        if ('error' in this.#ended) throw this.#ended.error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}

/** Models write faster than people read and platforms accept edits, so growth is reported at most 25 times a second. */
const leastGapMs = 40;

/**
 * Follows one text of a reply while it is written, throttled to one report per 40 ms. A text that restarts, shorter
 * than before, is reported at once. Skipped growth is part of the next report, or of the event with the whole text.
 *
 * @param field - The text's name in the reply, e.g. `answer`.
 * @param onGrowth - Gets the whole text so far.
 * @returns The text so far, the last whole text, and the methods of a `ShapeListener`.
 */
export function growingText(field: string, onGrowth: (text: string) => void) {
  let reply: object = {};
  let endedReply: unknown;
  let earlierWhole = '';
  let text = '';
  let reportedAt = Number.NEGATIVE_INFINITY;
  let reportedChars = 0;
  const textIn = (grown: object): string => {
    const value: unknown = Reflect.get(grown, field);
    return typeof value === 'string' ? value : '';
  };
  const grow = (grown: string) => {
    if (grown === text) return;
    text = grown;
    const now = performance.now();
    if (grown.length >= reportedChars && now - reportedAt < leastGapMs) return;
    reportedAt = now;
    reportedChars = grown.length;
    onGrowth(grown);
  };
  const growing = {
    get text() {
      return text;
    },
    /** The last text that was written to its end, even if the reply lacked something else; may be empty. */
    get whole() {
      // A raw quote seems to end the text, too, but then no other field follows.
      const isWhole = reply === endedReply || Object.keys(reply).at(-1) !== field;
      return (isWhole && textIn(reply)) || earlierWhole;
    },
    onPartial(grown: object) {
      if (grown !== reply) {
        earlierWhole = growing.whole;
        reply = grown;
      }
      grow(textIn(grown));
    },
    onSettled(path: readonly unknown[], value: unknown) {
      if (path.length === 0) endedReply = value;
    },
    onRestart: () => grow(''),
  };
  return growing;
}

/** Streams a turn: its events to the reader, and the text of a reply as it grows. */

/**
 * Many tasks push, one reader pulls: how the parallel parts of a turn become one stream.
 *
 * Nothing is dropped and nothing waits: a turn's events are few and small next to its prompts, so
 * the channel is bounded by the turn itself.
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

  /** Adds an event at the end. After `close` or `fail` it is ignored. */
  push(event: Event): void {
    if (this.#ended) return;
    this.#waitingEvents.push(event);
    this.#wake?.();
  }

  /** No more events: the reader ends after those that wait. */
  close(): void {
    this.#ended ??= {};
    this.#wake?.();
  }

  /** The reader gets the events that wait, then this error. */
  fail(error: unknown): void {
    this.#ended ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    this.#wanted.resolve();
    for (;;) {
      const events = this.#waitingEvents;
      this.#waitingEvents = [];
      yield* events;
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

/** Models write faster than people read and than platforms take edits: growth is told 25 times a second at most. */
const leastGapMs = 40;

/**
 * Follows one text of a reply while it is written.
 *
 * What is not told is in the next text that is, or in the event that ends the growth; a text that begins
 * anew, shorter than before, is always told.
 *
 * @param field - Its name in the reply, e.g. `answer`.
 * @param tell - Gets the whole text so far, unless the last one was told less than 40 ms ago.
 * @returns What there is so far, and the two verbs of a `ShapeListener`.
 */
export function growingText(field: string, tell: (text: string) => void) {
  let text = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  let toldChars = 0;
  const grow = (grown: string) => {
    if (grown === text) return;
    text = grown;
    const now = performance.now();
    if (grown.length >= toldChars && now - toldAt < leastGapMs) return;
    toldAt = now;
    toldChars = grown.length;
    tell(grown);
  };
  return {
    get text() {
      return text;
    },
    onPartial(reply: unknown) {
      const isObject = typeof reply === 'object' && reply !== null;
      const value: unknown = isObject ? Reflect.get(reply, field) : undefined;
      grow(typeof value === 'string' ? value : '');
    },
    onRestart: () => grow(''),
  };
}

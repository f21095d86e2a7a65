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
      // Cheaper than `yield*`, which wraps each of them in a promise more.
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

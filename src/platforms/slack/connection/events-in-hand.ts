import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';

/**
 * What was acknowledged and is being worked on: Slack will not deliver it again, so that it must not
 * be lost when the process ends.
 */
export class EventsInHand {
  readonly #works = new Set<Promise<void>>();

  /** Goes before all listeners. */
  readonly middleware: Middleware<AnyMiddlewareArgs> = async ({ next }) => {
    const work = next();
    this.#works.add(work);
    await work.finally(() => this.#works.delete(work));
  };

  /** Waits until all of it is done, but no longer than so many milliseconds. */
  async settled(withinMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    void Promise.allSettled(this.#works).then(() => resolve());
    await promise.finally(() => clearTimeout(timer));
  }
}

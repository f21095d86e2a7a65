/** Turns that people have seen end, and whose end is still on its way to the store. */

import { setTimeout as wait } from 'node:timers/promises';
import type { TurnRun } from './turn-run.ts';

/** A store that takes longer holds nobody up: the turn then reads as it is stored. */
const longestWaitMs = 500;

type Left = Awaited<ReturnType<TurnRun['run']>>;

export class Endings {
  /** By thread: of one thread one turn runs at a time. */
  readonly #running = new Map<
    string,
    { readonly run: Pick<TurnRun, 'hasShownEnd'>; readonly done: Promise<unknown> }
  >();

  /** Runs a turn to its end. */
  async watch(
    threadId: string,
    run: Pick<TurnRun, 'run' | 'hasShownEnd'>,
    shutdown: AbortSignal,
  ): Promise<Left> {
    const done = run.run(shutdown);
    this.#running.set(threadId, { run, done: done.catch(() => undefined) });
    try {
      return await done;
    } finally {
      this.#running.delete(threadId);
    }
  }

  /** Waits until what was shown to have ended in a thread reads so. */
  async settled(threadId: string): Promise<void> {
    const running = this.#running.get(threadId);
    if (!running?.run.hasShownEnd) return;
    await Promise.race([running.done, wait(longestWaitMs, undefined, { ref: false })]);
  }
}

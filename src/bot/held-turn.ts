/** A turn that this process runs, for as long as no other one has taken it. */

import {
  type Checkpoint,
  SupersededError,
  type TurnHeader,
  type TurnStore,
} from '../store/store.ts';

/**
 * How long it is taken for granted after the store has said so, in milliseconds: what is shown as soon
 * as it is stored costs no question of its own.
 */
const knownForMs = 250;

export class HeldTurn implements Pick<TurnStore, 'checkpoint'> {
  readonly #turns: TurnStore;
  readonly #header: Pick<TurnHeader, 'turnId' | 'threadId' | 'attempt'>;
  readonly #lost = new AbortController();
  readonly #now: () => number;
  /** When the store was last asked and did not object. */
  #heldAt = Number.NEGATIVE_INFINITY;

  /** @param now - Milliseconds that never go back. */
  constructor(
    turns: TurnStore,
    { turnId, threadId, attempt }: TurnHeader,
    now = () => performance.now(),
  ) {
    this.#turns = turns;
    this.#header = { turnId, threadId, attempt };
    this.#now = now;
  }

  /** Aborted as soon as it is known that another process has the turn, or that it has ended. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** As that of the store. */
  async checkpoint(step: Checkpoint): Promise<void> {
    const askedAt = this.#now();
    try {
      await this.#turns.checkpoint(step);
    } catch (error) {
      if (error instanceof SupersededError) this.#lost.abort(error);
      throw error;
    }
    this.#heldAt = Math.max(this.#heldAt, askedAt);
  }

  /** Throws {@link SupersededError} when another process has the turn. */
  async assertHeld(): Promise<void> {
    if (this.#now() - this.#heldAt > knownForMs) await this.checkpoint(this.#header);
  }
}

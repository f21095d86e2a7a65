/** A turn that this process runs, for as long as no other one has taken it. */

import {
  type Checkpoint,
  SupersededError,
  type TurnHeader,
  type TurnStore,
} from '../../store/store.ts';
import type { Halts } from './halts.ts';

/**
 * How long it is taken for granted after the store has said so, in milliseconds: what is shown as soon
 * as it is stored costs no question of its own.
 */
const knownForMs = 250;

export interface HeldTurnOptions {
  readonly turns: TurnStore;
  readonly halts: Pick<Halts, 'since'>;
  /** When the store was asked for the turn, as `now` tells it. */
  readonly takenAt: number;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

export class HeldTurn implements Pick<TurnStore, 'checkpoint'> {
  readonly #options: HeldTurnOptions;
  readonly #header: Pick<TurnHeader, 'turnId' | 'threadId' | 'attempt'>;
  readonly #lost = new AbortController();
  /** When the store was last asked and did not object. */
  #heldAt: number;

  constructor({ turnId, threadId, attempt }: TurnHeader, options: HeldTurnOptions) {
    this.#options = options;
    this.#header = { turnId, threadId, attempt };
    this.#heldAt = options.takenAt;
  }

  /** Aborted as soon as it is known that another process has the turn, or that it has ended. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** As that of the store. */
  async checkpoint(step: Checkpoint): Promise<void> {
    const { turns, now } = this.#options;
    const askedAt = now();
    try {
      await turns.checkpoint(step);
    } catch (error) {
      if (error instanceof SupersededError) this.#lost.abort(error);
      throw error;
    }
    this.#heldAt = Math.max(this.#heldAt, askedAt);
  }

  /**
   * Called before anything is posted.
   *
   * @throws {SupersededError} when another process has the turn; as the store does when nobody knows.
   */
  async assertHeld(): Promise<void> {
    if (this.#options.now() - this.#heldAt > knownForMs) await this.checkpoint(this.#header);
    await this.assertAwake();
  }

  /** Called before anything is edited: while the store is away, an edit is allowed unless the process was halted. */
  async assertNotLost(): Promise<void> {
    try {
      await this.assertHeld();
    } catch (error) {
      if (error instanceof SupersededError || this.#wasHalted) throw error;
    }
  }

  /**
   * Asks the store only if the process was halted since it last heard from it: otherwise nobody can have
   * taken the turn. Asks again if the process was halted before it read the answer.
   */
  async assertAwake(): Promise<void> {
    while (this.#wasHalted) await this.checkpoint(this.#header);
  }

  get #wasHalted(): boolean {
    return this.#options.halts.since(this.#heldAt);
  }
}

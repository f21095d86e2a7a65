/** Checks that this process still owns a turn before it posts or stores anything. */

import {
  type Checkpoint,
  SupersededError,
  type TurnHeader,
  type TurnStore,
} from '../../store/store.ts';
import { haltMs } from '../../waiting.ts';

/**
 * How long the store's last confirmation is trusted, in milliseconds. Steps that are shown right after they
 * are stored then need no extra round trip.
 */
const knownForMs = 250;

export interface HeldTurnOptions {
  readonly turns: TurnStore;
  readonly halts: Pick<Halts, 'since'>;
  /** When the store was asked for the turn, by `now`. */
  readonly takenAt: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

export class HeldTurn implements Pick<TurnStore, 'checkpoint'> {
  readonly #options: HeldTurnOptions;
  readonly #header: Pick<TurnHeader, 'turnId' | 'threadId' | 'attempt'>;
  readonly #lost = new AbortController();
  /** When the store was last asked and confirmed that the turn is ours. */
  #heldAt: number;

  constructor({ turnId, threadId, attempt }: TurnHeader, options: HeldTurnOptions) {
    this.#options = options;
    this.#header = { turnId, threadId, attempt };
    this.#heldAt = options.takenAt;
  }

  /** Aborted once another process is known to have the turn, or the turn has ended. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Stores a step like {@link TurnStore.checkpoint}. */
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
   * Call it before posting anything.
   *
   * @throws {SupersededError} if another process has the turn, or what the store throws.
   */
  async assertHeld(): Promise<void> {
    if (this.#options.now() - this.#heldAt > knownForMs) await this.checkpoint(this.#header);
    await this.assertAwake();
  }

  /** Call it before editing a post. While the store is unreachable, edits are allowed unless the process was halted. */
  async assertNotLost(): Promise<void> {
    try {
      await this.assertHeld();
    } catch (error) {
      if (error instanceof SupersededError || this.#wasHalted) throw error;
    }
  }

  /**
   * Asks the store if the process was halted since the store last answered. Otherwise no other process can have
   * taken the turn. Asks again if the process was halted before it read the answer.
   */
  async assertAwake(): Promise<void> {
    while (this.#wasHalted) await this.checkpoint(this.#header);
  }

  get #wasHalted(): boolean {
    return this.#options.halts.since(this.#heldAt);
  }
}

/** How often the clocks are compared, in milliseconds. */
const beatMs = 250;

/** Both run while the process is halted. Only the wall clock runs while the machine is suspended. */
const processClocks = [() => performance.now(), () => Date.now()] as const;

/** Detects when this process was halted: stopped, suspended with its machine, or too busy to run timers. */
export class Halts {
  readonly #clocks: readonly (() => number)[];
  readonly #timer: NodeJS.Timeout;
  #lastBeats: readonly number[];
  #noticedAt = Number.NEGATIVE_INFINITY;

  /** @param clocks - In milliseconds. The first one is monotonic. */
  constructor(clocks: readonly (() => number)[] = processClocks) {
    this.#clocks = clocks;
    this.#lastBeats = clocks.map((clock) => clock());
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  /**
   * Whether the process was halted for over a second and resumed after this moment. Already true for the first
   * code that runs after the halt.
   *
   * @param moment - By `performance.now()`.
   */
  since(moment: number): boolean {
    this.#beat();
    return this.#noticedAt >= moment;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const before = this.#lastBeats;
    this.#lastBeats = this.#clocks.map((clock) => clock());
    const [now = 0] = this.#lastBeats;
    // Other processes wait longer than this before they take over a turn.
    if (this.#lastBeats.some((beat, clock) => beat - (before[clock] ?? beat) > haltMs)) {
      this.#noticedAt = now;
    }
  }
}

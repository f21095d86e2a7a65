/** A turn that this process runs until another process takes it over. */

import {
  type Checkpoint,
  SupersededError,
  type TurnHeader,
  type TurnStore,
} from '../../store/store.ts';

/**
 * How long the store's last word that the turn is ours is trusted, in milliseconds: what is shown as soon
 * as it is stored needs no extra round trip.
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

  /** Stores a step, as the store's own `checkpoint`. */
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
   * @throws {SupersededError} when another process has the turn; or what the store throws.
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
   * Asks the store only if the process was halted since the store last answered: otherwise no other process
   * can have taken the turn. Asks again if the process was halted before it read the answer.
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
/** A longer gap is a halt, in milliseconds; other processes wait longer than this before they take over. */
const stillMs = 1000;

/** Both go on while the process is halted; the wall clock also while the machine is suspended. */
const processClocks = [() => performance.now(), () => Date.now()] as const;

/** Notices when this process stood still: halted, its machine suspended, or too busy for anything else. */
export class Halts {
  readonly #clocks: readonly (() => number)[];
  readonly #timer: NodeJS.Timeout;
  #lastBeats: readonly number[];
  #noticedAt = Number.NEGATIVE_INFINITY;

  /** @param clocks - In milliseconds; the first one never goes back. */
  constructor(clocks: readonly (() => number)[] = processClocks) {
    this.#clocks = clocks;
    this.#lastBeats = clocks.map((clock) => clock());
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  /**
   * Whether the process stood still for a second or longer and continued after this moment. Already true
   * for the first code that runs after a halt.
   *
   * @param moment - As `performance.now()` tells it.
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
    if (this.#lastBeats.some((beat, clock) => beat - (before[clock] ?? beat) > stillMs)) {
      this.#noticedAt = now;
    }
  }
}

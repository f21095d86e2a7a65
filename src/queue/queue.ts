/**
 * The order of turns: those of one thread run one after another, as they were asked;
 * those of different threads run side by side, up to a limit.
 */

/** A turn that waits to be run. It is in the store already; the queue only knows whose turn it is. */
export interface QueuedTurn {
  readonly turnId: string;
  readonly threadId: string;
}

/**
 * Runs one turn to its end.
 *
 * @param signal - Aborted when the process shuts down: the turn is then left where it is, to be resumed.
 */
export type TurnRunner = (turn: QueuedTurn, signal: AbortSignal) => Promise<void>;

/** A backend in one file beside this one; `test/contracts/queue.ts` tells whether it is right. */
export interface Queue {
  /** Appends a turn to its thread. Adding a turn that is waiting or running already does nothing. */
  add(turn: QueuedTurn): Promise<void>;
  /** Begins to run turns, those left unfinished by an earlier process first. Called once. */
  start(run: TurnRunner): Promise<void>;
  /** How many turns of a thread wait or run: those that a new one would come after. */
  waiting(threadId: string): Promise<number>;
  /** Waits until no turn waits or runs in this process. */
  idle(): Promise<void>;
  /**
   * Takes no more turns and waits for the running ones, at most `graceMs`; what still runs then is
   * aborted and stays in the store as unfinished.
   */
  stop(graceMs: number): Promise<void>;
}

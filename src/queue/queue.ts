/**
 * The order of turns: those of one thread run one after another, as they were asked;
 * those of different threads run side by side, up to a limit.
 */

import { backOff } from '../waiting.ts';

/** A turn that waits to be run. It is in the store already; the queue only knows whose turn it is. */
export interface QueuedTurn {
  readonly turnId: string;
  readonly threadId: string;
}

/** Why a process is to leave what it runs, without shutting down. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
  constructor() {
    super('Taken over by another process.');
  }
}

/**
 * Runs one turn to its end.
 *
 * @param signal - Aborted when the process shuts down, or another one has taken the turn over, then with a
 *   {@link TakenOverError}: it is left where it is, to be resumed.
 * @returns `left`: another process has taken it meanwhile. It has not ended, so it keeps its place.
 * @throws What kept it from being run now: it is run again after a pause, before the next turn of the
 *   thread, and put aside at last.
 */
export type TurnRunner = (turn: QueuedTurn, signal: AbortSignal) => Promise<'ended' | 'left'>;

/** A backend in one file beside this one; `test/contracts/queue.ts` tells whether it is right. */
export interface Queue {
  /**
   * Appends a turn to its thread. Adding a turn that is waiting or running already does nothing.
   *
   * @param earlier - Turns of its thread that were stored before it, oldest first. The ones that are not
   *   queued, because their process died in between, are queued ahead of it.
   */
  add(turn: QueuedTurn, earlier?: readonly string[]): Promise<void>;
  /**
   * Begins to run turns, those left unfinished by an earlier process first. Called once; a process
   * that never calls it only adds.
   *
   * @param onPutAside - Told of a turn that could not be run, however often it was tried; an operator
   *   decides what becomes of it, or the next start. A queue that tries once need not call it. Must not
   *   reject.
   */
  start(run: TurnRunner, onPutAside?: (turn: QueuedTurn) => Promise<void>): Promise<void>;
  /** How many turns of a thread wait or run: those that a new one would come after. */
  waiting(threadId: string): Promise<number>;
  /** Waits until no turn waits or runs; of a queue of many processes, in none of them. */
  idle(): Promise<void>;
  /**
   * Takes no more turns and waits for the running ones, at most `graceMs`; what still runs then is
   * aborted and stays in the store as unfinished. Other processes go on with it at once.
   */
  stop(graceMs: number): Promise<void>;
}

/** How often a turn is run that throws, until it is put aside for the operator. Some three minutes with the pauses. */
export const usualTries = 10;

/** The pause before a further try: 1 s, then twice as long each time, at most 30 s. */
export const pauseAfter = backOff(1000, 30_000);

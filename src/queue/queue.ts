/**
 * The order of turns: those of one thread run one after another, in the order they were asked; different
 * threads run in parallel, up to a limit.
 */

import { backOff } from '../waiting.ts';

/** A turn waiting to run. The store has the turn itself; the queue only knows its ids. */
export interface QueuedTurn {
  readonly turnId: string;
  readonly threadId: string;
}

/** The abort reason when another process has taken over a run while this one keeps running. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
  constructor() {
    super('Taken over by another process.');
  }
}

/**
 * Runs one turn to its end.
 *
 * @param signal - Aborted at shutdown, or with a {@link TakenOverError} when another process has taken
 *   over the turn. An aborted turn stays unfinished, to be resumed.
 * @returns `left`: another process is running the turn, so it keeps its place in the queue.
 * @throws Why the turn couldn't run. It is retried after a pause, ahead of the thread's next turn, and
 *   abandoned after too many tries.
 */
export type TurnRunner = (turn: QueuedTurn, signal: AbortSignal) => Promise<'ended' | 'left'>;

/** What {@link Queue.start} needs. */
export interface QueueStart {
  /**
   * The platforms this process can post on. It runs turns whose thread ids begin with one of them, and leaves
   * the others to other processes.
   */
  readonly platforms: readonly string[];
  readonly run: TurnRunner;
  /**
   * Called after a turn threw on every try. It waits for an operator or the next start. A queue that tries each
   * turn once may leave the call out. Must not reject.
   */
  readonly onAbandoned?: (turn: QueuedTurn) => Promise<void>;
}

/** Implemented by one file or folder per backend; `test/contracts/queue.ts` is the contract. */
export interface Queue {
  /**
   * Appends a turn to its thread. Does nothing for a turn that is already waiting or running.
   *
   * @param earlier - Turns of the same thread stored before this one, oldest first. Any that are missing
   *   from the queue, because their process died in between, are queued ahead of it.
   */
  add(turn: QueuedTurn, earlier?: readonly string[]): Promise<void>;
  /**
   * Starts running turns, beginning with those an earlier process left unfinished. Call it once; a process
   * that never calls it only adds.
   */
  start(start: QueueStart): Promise<void>;
  /** How many turns of a thread are waiting or running, i.e. ahead of a new one. */
  waiting(threadId: string): Promise<number>;
  /** Waits until no turn is waiting or running, in any of the processes that share the queue. */
  idle(): Promise<void>;
  /**
   * Takes no more turns and waits up to `graceMs` for the running ones, then aborts the rest. Those stay
   * unfinished in the store; other processes resume them at once.
   */
  stop(graceMs: number): Promise<void>;
}

/** How often a turn that throws is tried before it is abandoned: about three minutes with the pauses. */
export const defaultTries = 10;

/** The pause before a retry: 1 s, doubling each time, at most 30 s. */
export const pauseAfter = backOff(1000, 30_000);

/** Permits for what may go on at the same time, over all processes: calls to a provider, work on a thread. */

/** What a permit is wanted for. */
export interface PermitWanted {
  /** Of what, e.g. `calls:openai`. */
  readonly name: string;
  /** How many there are of it, at least 1. */
  readonly limit: number;
  /** On whose behalf, e.g. the workspace `discord:1`. */
  readonly share: string;
  /**
   * A permit of a process that died, or says nothing for so long, is free after this, in milliseconds.
   * Short where one too many does no harm, long where two at once would.
   */
  readonly leaseMs: number;
}

/** For what only one process may do at a time: add a name. */
export const lockOnce = { limit: 1, share: '', leaseMs: 30_000 } as const;

/** A backend in one file beside this one; `test/contracts/permits.ts` tells whether it is right. */
export interface Permits {
  /**
   * Waits for a permit. They go round robin: from one share to the next, and within a share in the order
   * in which they were asked for, so that a share with hundreds of callers keeps no other share waiting.
   *
   * While permits can't be reached none is given, and what has one goes on. A process that dies gives
   * back what it held when its lease ends.
   *
   * @returns A function that gives the permit back.
   * @throws The signal's reason when that is aborted first; the place in the line is given up then.
   */
  acquire(wanted: PermitWanted, signal: AbortSignal): Promise<() => void>;
}

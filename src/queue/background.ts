/** Work in the background: at intervals, or some time after it was asked for. */

import { backOff } from '../waiting.ts';

/** One kind of work. */
export interface BackgroundWork {
  /**
   * Does it.
   *
   * @param subject - What it was asked for; empty for work that repeats by itself.
   * @param signal - Aborted at shutdown: what is left is done by another process, or after the next request.
   * @throws What went wrong: it is tried again some times, with growing pauses.
   */
  run(subject: string, signal: AbortSignal): Promise<void>;
  /** It also runs by itself, this long after its last run has ended, in milliseconds. */
  readonly everyMs?: number;
}

/** A backend in one file beside this one; `test/contracts/background.ts` tells whether it is right. */
export interface BackgroundJobs {
  /**
   * Asks for work. Of several requests that wait the first stands; one without delay brings it
   * forward. No two runs of the same work on the same subject overlap, in whatever processes: asked
   * for while it runs, it runs once more afterwards, the last of these requests counting.
   *
   * @param delayMs - 0: as soon as possible.
   */
  request(work: string, subject: string, delayMs: number): Promise<void>;
  /** Begins to do the work in this process. Called once. @param works - By name. */
  start(works: Readonly<Record<string, BackgroundWork>>): Promise<void>;
  /** Begins nothing more, and waits at most `graceMs` for what runs; then it is aborted. */
  stop(graceMs: number): Promise<void>;
}

/** How often work that throws is run, the first time included. */
export const mostRuns = 5;

/** The pause after a run that threw: 2 s, then twice as long each time. */
export const pauseAfterRun = backOff(2000);

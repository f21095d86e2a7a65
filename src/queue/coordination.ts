/** All that the processes of a bot share beside the store; a process alone shares it with itself. */

import { AwayError } from '../domain/away-error.ts';
import type { BackgroundJobs } from './background.ts';
import type { Permits } from './permits.ts';
import type { Queue } from './queue.ts';
import type { Quotas } from './quotas.ts';

export interface Coordination {
  readonly queue: Queue;
  readonly quotas: Quotas;
  readonly permits: Permits;
  readonly stops: StopRequests;
  readonly background: BackgroundJobs;
  /** For the operator: whether it works at the moment, in a sentence without a secret. */
  health(): { readonly isReady: boolean; readonly text: string };
  /** Lets go of what they share; the queue and the background work are stopped before. */
  close(): Promise<void>;
}

/** What the processes share can't be reached, or takes no changes, at the moment. What was acknowledged stays. */
export class CoordinationError extends AwayError {
  override readonly name = 'CoordinationError';
  /** It is trouble of the server, which the operator is told of once for all callers. */
  readonly isTold: boolean;
  constructor(cause: unknown, isTold: boolean) {
    // One that only took too long says nothing but its name.
    const said = cause instanceof Error ? cause.message || cause.constructor.name : String(cause);
    super(
      `What the processes share can't be reached, or takes no changes: ${said}. Mend the Redis server; turns go on by themselves then.`,
      { cause },
    );
    this.isTold = isTold;
  }
}

/**
 * Tells the process that runs a turn, or will run it, to stop it.
 * `test/contracts/stop-requests.ts` tells whether a backend is right.
 */
export interface StopRequests {
  /** Asks for a turn to be stopped. It is known for a day, so that it also reaches one that still waits. */
  request(turnId: string): Promise<void>;
  /**
   * Calls back once when a stop is requested, by any process; before this resolves, when one was
   * requested already.
   *
   * @returns A function that ends the watch.
   */
  watch(turnId: string, onStop: () => void): Promise<() => void>;
  /** Lets go of the backend. */
  close(): Promise<void>;
}

/** How long a request is known, in milliseconds. */
export const stopKnownMs = 86_400_000;

/** What the processes of one bot share besides the store. A single process keeps it in memory. */

import { AwayError } from '../domain/failure.ts';
import { listed } from '../domain/words.ts';
import type { Queue, QueuedTurn } from './queue.ts';

export interface Coordination {
  readonly queue: Queue;
  readonly quotas: Quotas;
  readonly semaphores: Semaphores;
  readonly stops: StopRequests;
  /** Lists unfinished turns whose quotas ended with an earlier process. Call it before the queue starts. */
  unreserved(): Promise<readonly QueuedTurn[]>;
  /** Whether it works right now, with a sentence for the operator that contains no secret. */
  health(): { readonly isReady: boolean; readonly text: string };
  /** Disconnects. Stop the queue first. */
  close(): Promise<void>;
}

/** The shared server can't be reached or refuses writes. Everything acknowledged is still there. */
export class CoordinationError extends AwayError {
  override readonly name = 'CoordinationError';
  /** Whether the outage has been logged for the operator already, once for all callers. */
  readonly isLogged: boolean;
  constructor(cause: unknown, isLogged: boolean) {
    // A timeout has a name and no message.
    const reason = cause instanceof Error ? cause.message || cause.constructor.name : String(cause);
    super(
      `The shared queue can't be reached, or refuses writes: ${reason.replace(/\.$/, '')}. Fix the Redis server; turns then resume on their own.`,
      { cause },
    );
    this.isLogged = isLogged;
  }
}

/** Tells the operator that turns wait which nobody can run. @param platforms - Not empty. */
export function unservedText(platforms: readonly string[]): string {
  return `questions wait: no running process can post on ${listed(platforms)}`;
}

/**
 * Asks the process that runs a turn, or will run it, to stop.
 * `test/contracts/stop-requests.ts` is the contract.
 */
export interface StopRequests {
  /** Requests a stop. The request is kept for a day, so it also reaches a turn that is still waiting. */
  request(turnId: string): Promise<void>;
  /**
   * Calls back once when any process requests a stop; before this resolves, if one was requested already.
   *
   * @returns Ends the watch.
   */
  watch(turnId: string, onStop: () => void): Promise<() => void>;
}

/** How long a stop request is kept, in milliseconds. */
export const stopTtlMs = 86_400_000;

/** An amount to hold of one limited thing. */
export interface QuotaClaim {
  /** The thing, e.g. `open:thread:discord:1:2:3`. */
  readonly name: string;
  /** Above 0. */
  readonly amount: number;
  /** How much all holders together may hold. */
  readonly limit: number;
  /**
   * Before the facts behind the limit were read, by `performance.now()`. Absent: the limit doesn't change
   * with what was released.
   */
  readonly readAt?: number;
}

/**
 * The result of {@link Quotas.take}. `outdated`: taken, but something was released after a claim's `readAt`, so
 * its limit may be wrong: read again, then take again. `held`: how much others hold of the first thing that ran
 * short.
 */
export type TakeResult =
  | { readonly status: 'taken' | 'outdated' }
  | { readonly status: 'refused'; readonly name: string; readonly held: number };

/**
 * Amounts held for a while out of something limited, counted over all processes: places in a queue,
 * reserved money, calls to a provider. When a process dies, its amounts are freed as their leases
 * expire. `test/contracts/quotas.ts` is the contract.
 */
export interface Quotas {
  /**
   * Takes all claims or none, atomically: concurrent callers never exceed a limit. A new claim replaces
   * what the holder had of the same thing.
   *
   * @param holder - e.g. a turn's id.
   * @param leaseMs - Above 0; the amounts are freed after it.
   */
  take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<TakeResult>;
  /** Renews the lease of everything the holder has, counted from now. */
  keep(holder: string, leaseMs: number): Promise<void>;
  /** Frees everything the holder has; does nothing if that is nothing. */
  release(holder: string): Promise<void>;
}

/** Tolerance of the limit check: 0.1 + 0.2 has to fit into 0.3. */
export const epsilon = 1e-9;

/** How long a release is remembered, in milliseconds: longer than it takes to read facts and take. */
export const releaseKnownMs = 60_000;

/** A request for one permit. */
export interface SemaphoreRequest {
  /** The semaphore, e.g. `calls:openai`. */
  readonly name: string;
  /** How many permits it has, at least 1. */
  readonly limit: number;
  /** Who the permit is for, e.g. the workspace `discord:1`. */
  readonly share: string;
  /**
   * When a process dies or is silent for this long, its permits are freed, in milliseconds. Short where one
   * holder too many is harmless, long where it isn't.
   */
  readonly leaseMs: number;
}

/** A semaphore for one process at a time; add a name. */
export const mutex = { limit: 1, share: '', leaseMs: 30_000 } as const;

/**
 * Named counting semaphores over all processes, for calls to a provider and work on a thread.
 * `test/contracts/semaphores.ts` is the contract.
 */
export interface Semaphores {
  /**
   * Waits for a permit. Permits go round robin from share to share, and first come, first served within a
   * share, so a share with hundreds of callers doesn't delay the others.
   *
   * While the server is away no permits are granted, and work that has one continues. The permits of a
   * dead process are freed when their leases expire.
   *
   * @returns Releases the permit.
   * @throws The signal's reason if it is aborted first; the request is then withdrawn.
   */
  acquire(wanted: SemaphoreRequest, signal: AbortSignal): Promise<() => void>;
}

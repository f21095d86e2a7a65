/** All that the processes of a bot share beside the store; a process alone shares it with itself. */

import { AwayError } from '../domain/failure.ts';
import { backOff } from '../waiting.ts';
import type { Queue } from './queue.ts';

export interface Coordination {
  readonly queue: Queue;
  readonly quotas: Quotas;
  readonly semaphores: Semaphores;
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
      `The shared queue can't be reached, or refuses writes: ${said}. Fix the Redis server; turns then go on by themselves.`,
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

/** What is to be held of one thing. */
export interface QuotaClaim {
  /** Of what, e.g. `open:thread:discord:1:2:3`. */
  readonly name: string;
  /** Above 0. */
  readonly amount: number;
  /** What all holders may hold together. */
  readonly limit: number;
}

/** What {@link Quotas.take} comes to. `held`: what others hold of the first thing that is short. */
export type Taken =
  | { readonly status: 'taken' }
  | { readonly status: 'refused'; readonly name: string; readonly held: number };

/**
 * Amounts that are held for a while out of something limited, counted over all processes: places in
 * a queue, money set aside, calls to a provider. A process that dies gives back what it held when its
 * lease ends. `test/contracts/quotas.ts` tells whether a backend is right.
 */
export interface Quotas {
  /**
   * Takes all or nothing, in one step: of any number of callers at once no more get through than the
   * limits allow. Taking the same thing again replaces what the holder had of it.
   *
   * @param holder - Who holds it, e.g. a turn's id.
   * @param leaseMs - Above 0; after it the amounts count no more.
   */
  take(holder: string, claims: readonly QuotaClaim[], leaseMs: number): Promise<Taken>;
  /** Holds on to all that the holder has, from now. */
  keep(holder: string, leaseMs: number): Promise<void>;
  /** Gives all back; nothing happens when the holder has nothing. */
  release(holder: string): Promise<void>;
}

/** So that 0.1 + 0.2 fits into 0.3. */
export const roundingError = 1e-9;

/** Which semaphore, on whose behalf. */
export interface SemaphoreRequest {
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

/**
 * Named counting semaphores over all processes, for calls to a provider and work on a thread. What they give are permits.
 * `test/contracts/semaphores.ts` tells whether a backend is right.
 */
export interface Semaphores {
  /**
   * Waits for a permit. They go round robin: from one share to the next, and within a share in the order
   * in which they were asked for, so that a share with hundreds of callers keeps no other share waiting.
   *
   * While the server is out of reach, no permit is given, and work that holds one goes on. A process that dies gives
   * back what it held when its lease ends.
   *
   * @returns A function that gives the permit back.
   * @throws The signal's reason when that is aborted first; its request leaves the queue then.
   */
  acquire(wanted: SemaphoreRequest, signal: AbortSignal): Promise<() => void>;
}

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

/**
 * Work in the background: at intervals, or some time after it was asked for.
 * `test/contracts/background.ts` tells whether a backend is right.
 */
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

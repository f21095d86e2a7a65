/** Every number that decides how turns are handed out, with its reason, and the names of the keys. */

import { partsOf } from '../../domain/thread-id.ts';

/** Turns are taken over within 10 s of the death of their process: lock + two checks + what starting takes. */
export const worker = {
  /**
   * How long a worker may be silent before its turn is given to another, in milliseconds. It is
   * renewed at half of that. Shorter, and a process that is busy for a moment loses its turn.
   */
  lockDuration: 4000,
  /** How often workers look for such turns, in milliseconds: one of them each time, a script that reads what is locked. */
  stalledInterval: 500,
  /** No turn is given up because processes died: that is counted by {@link mostStarts}. */
  maxStalledCount: Number.MAX_SAFE_INTEGER,
  /**
   * How long a worker without work waits for the server to wake it, in seconds. Who is woken and dies
   * before it takes the turn takes the call with it: then the others look after this.
   */
  drainDelay: 2,
  /** Pause after a command that found no server, in milliseconds; the default of 15 s would delay every turn. */
  runRetryDelay: 500,
} as const;

/** Runs of one turn, ended by the death of its process or otherwise: then it is likely to be the cause. */
export const mostStarts = 50;

/** What a drained inbox leaves behind: nothing. What must be kept is in the store, or among the dead. */
export const job = {
  attempts: Number.MAX_SAFE_INTEGER,
  removeOnComplete: true,
  removeOnFail: true,
  // The trace of an error is in the log.
  stackTraceLimit: 0,
} as const;

/** BullMQ tells every step in a stream that is not read here. */
export const eventsKept = 100;

/** Of those that have not ended and wait or run, the oldest; so many waited for longer are in an inbox. */
export const mostAdopted = 1000;
/**
 * How often turns that the store knows and no inbox does are looked for, in milliseconds. Within 3 s, also
 * when the process that last looked died before it did so again.
 */
export const adoptEveryMs = 1500;
/** Of the time of the process that looks, at most: it takes as long as there are workspaces. */
export const mostAdopting = 0.05;

/** How long a command that no worker waits for may take, in milliseconds. Never set on a worker's connection. */
export const usualCommandTimeoutMs = 10_000;

/** The highest priority that BullMQ knows; later ones share it, in the order in which they come. */
export const lastPosition = 2_097_151;

// `docs/fleet.md` shows the keys. All are in one slot, because scripts and BullMQ reach several at once.

/** What all keys begin with. */
export const prefix = 'council:{queue}';
/** BullMQ's queue of inboxes to drain. */
export const turnsQueue = 'turns';
/** BullMQ's queue of background work. */
export const backgroundQueue = 'background';

export const threadsKey = `${prefix}:threads`;
export const deadKey = `${prefix}:dead`;
export const clockKey = `${prefix}:clock`;
export const adoptingKey = `${prefix}:adopting`;
export const heartbeatKey = `${prefix}:pulse`;
/** BullMQ's own, of those that wait. */
export const waitingKey = `${prefix}:${turnsQueue}:prioritized`;

/** BullMQ's own: it holds the token of the worker that has the job, for as long as that renews it. */
export function lockKey(job: string): string {
  return `${prefix}:${turnsQueue}:${job}:lock`;
}

export function inboxKey(threadId: string): string {
  return `${prefix}:inbox:${threadId}`;
}

/** The channel and the workspace whose share a turn is taken from: `platform:workspace:channel:thread`. */
export function shareOf(threadId: string): {
  readonly workspace: string;
  readonly channel: string;
} {
  const { platform, workspace, channel } = partsOf(threadId);
  return { workspace: `${platform}:${workspace}`, channel };
}

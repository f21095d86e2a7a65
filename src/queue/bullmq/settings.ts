/** Every number that decides how turns are handed out, with its reason. */

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
export const usualAdoptEveryMs = 1500;
/** Looks that a process alone on its server keeps to itself: whoever else begins looks as well until both know. */
export const mostUntold = 9;
/** Of the time of the process that looks, at most: it takes as long as there are workspaces. */
export const mostAdopting = 0.05;

/** How long a command that no worker waits for may take, in milliseconds. Never set on a worker's connection. */
export const usualCommandTimeoutMs = 10_000;

/** The highest priority that BullMQ knows; later ones share it, in the order in which they come. */
export const lastPlace = 2_097_151;

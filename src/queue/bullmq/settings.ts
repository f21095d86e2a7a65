/** The numbers that govern how turns are handed out, with their reasons, and the names of the keys. */

/** A dead process's turns are taken over within 10 s: lock + two checks + start-up. */
export const worker = {
  /**
   * How long a worker may be silent before its turn goes to another, in milliseconds. A shorter one would take
   * turns from processes that are only busy.
   */
  lockDuration: 3700,
  /**
   * How old a lock may be before it is renewed, in milliseconds; BullMQ looks every half of that. What a lock has
   * lost by then is missing from the silence that a worker may afford: the default of 2 s leaves half of it.
   */
  lockRenewTime: 800,
  /** How often workers look for such turns, in milliseconds: one worker at a time, in a script that reads the locked jobs. */
  stalledInterval: 500,
  /** Never abandon a turn because processes died; {@link maxStarts} counts those. */
  maxStalledCount: Number.MAX_SAFE_INTEGER,
  /**
   * How long an idle worker blocks on the server before it checks again, in seconds. If the worker that is
   * woken dies before it takes the turn, the others find the turn after this time.
   */
  drainDelay: 2,
  /** The pause after a command that found no server, in milliseconds; the default of 15 s would delay every turn. */
  runRetryDelay: 500,
} as const;

/** How often one turn may be started, ended by its process's death or otherwise. A turn beyond that is probably the cause. */
export const maxStarts = 50;

/** Finished jobs leave nothing behind: what matters is in the store or on the dead list. */
export const job = {
  attempts: Number.MAX_SAFE_INTEGER,
  removeOnComplete: true,
  removeOnFail: true,
  // The log has the stack trace.
  stackTraceLimit: 0,
} as const;

/** BullMQ appends every step to a stream that nothing here reads. */
export const maxEvents = 100;

/** How many unfinished turns are checked, oldest first. Newer ones are checked once these have ended. */
export const maxAdopted = 1000;
/**
 * How often to look for turns that are in the store and in no inbox, in milliseconds. They are found
 * within 3 s, even if the process that searched last has died.
 */
export const adoptEveryMs = 1500;
/** The largest share of a process's time to spend looking: a search takes longer the more workspaces there are. */
export const maxAdoptionShare = 0.05;

/** How often a process writes its heartbeat, in milliseconds. Some providers charge per command. */
export const heartbeatEveryMs = 5000;
/** After so many seconds without a heartbeat, no process runs the turns of a platform. */
export const silentAfterS = 15;

/** Timeout of commands, in milliseconds. Never set on a worker's connection. */
export const defaultCommandTimeoutMs = 10_000;

/** The highest priority that BullMQ knows; later turns share it, first come, first served. */
export const lastPosition = 2_097_151;

// `docs/fleet.md` lists the keys. They share one slot because scripts and BullMQ use several at once.

/** The prefix of all keys. */
export const prefix = 'council:{queue}';
export const threadsKey = `${prefix}:threads`;
export const deadKey = `${prefix}:dead`;
export const adoptingKey = `${prefix}:adopting`;
export const heartbeatKey = `${prefix}:pulse`;
/** Followed by a platform, the prefix of BullMQ's keys of its queue. */
export const queuesPrefix = `${prefix}:turns-`;

/** The name that BullMQ knows a platform's queue by. Each job of it means: run the first turn of an inbox. */
export function turnsQueue(platform: string): string {
  return `turns-${platform}`;
}

export function clockKey(platform: string): string {
  return `${prefix}:clock:${platform}`;
}

/** BullMQ's key of the waiting jobs. */
export function waitingKey(platform: string): string {
  return `${queuesPrefix}${platform}:prioritized`;
}

/** BullMQ's key of a job's lock: the token of its worker, for as long as that renews it. */
export function lockKey(platform: string, job: string): string {
  return `${queuesPrefix}${platform}:${job}:lock`;
}

export function inboxKey(threadId: string): string {
  return `${prefix}:inbox:${threadId}`;
}

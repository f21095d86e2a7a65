/**
 * Counts calls against a platform's rate limits and computes when the next one may begin, so that the platform
 * rarely has to refuse one. If it does, its Retry-After takes precedence.
 */

export type CallKind =
  | 'post'
  | 'edit'
  /** The final state of a message. */
  | 'last_edit'
  | 'webhook_post'
  /** Posts a message that is then streamed. */
  | 'stream_start'
  | 'stream_append'
  | 'stream_stop';

/**
 * Which calls a limit counts together. Both `everything` and `method` count all calls of the given kinds; a
 * refused call pauses its whole `method`, but not `everything`.
 */
export type CallScope = 'everything' | 'method' | 'channel' | 'thread' | 'webhook';

/** A limit of calls in any window of time. */
export interface CallLimit {
  readonly of: readonly CallKind[];
  /** The scope of each count. */
  readonly per: CallScope;
  readonly calls: number;
  readonly windowMs: number;
  /** `observed`: measured, not documented; the platform may change it. */
  readonly basis: 'documented' | 'observed';
}

export interface PacingLimits {
  readonly calls: readonly CallLimit[];
  /** Least time between the end of one edit of a message and the start of the next. */
  readonly editGapMs: number;
}

/** Where a call goes; decides its order and limits. */
export interface Destination {
  /** Posts of a thread keep their order. In places without threads, the channel. */
  readonly thread: string;
  readonly channel: string;
  /** Set if a webhook makes the call instead of the bot. */
  readonly webhook?: string;
}

interface Count {
  readonly limit: CallLimit;
  inFlight: number;
  /** End times of the last window's calls in ms, oldest first. */
  ended: number[];
  pausedUntil: number;
}

/** Counts the calls of one token. */
export class CallLedger {
  readonly #limits: readonly CallLimit[];
  readonly #counts = new Map<string, Count>();
  /** End times of pauses in ms, by kind of call and thread. */
  readonly #pauses = new Map<string, number>();
  #allPausedUntil = 0;

  constructor(limits: readonly CallLimit[]) {
    this.#limits = limits;
  }

  /**
   * When a call may begin, in ms: `now` at the earliest, `Infinity` while that depends on calls that
   * have not ended.
   *
   * A call counts from its start until one window after its end, because it is unknown when in between the
   * platform counts it.
   */
  freeAt(kind: CallKind, destination: Destination, now: number): number {
    const times = this.#countsOf(kind, destination).map((count) => {
      const { calls, windowMs } = count.limit;
      const tooMany = count.ended.length + count.inFlight - calls;
      if (tooMany < 0) return count.pausedUntil;
      const freeing = count.ended[tooMany];
      return freeing === undefined ? Infinity : Math.max(count.pausedUntil, freeing + windowMs);
    });
    const pausedUntil = this.#pauses.get(`${kind} ${destination.thread}`) ?? 0;
    return Math.max(now, this.#allPausedUntil, pausedUntil, ...times);
  }

  /** Counts a call as started. @returns Ends it, at a time in ms; without a time, it doesn't count. */
  begin(kind: CallKind, destination: Destination): (endedAt?: number) => void {
    const counts = this.#countsOf(kind, destination);
    for (const count of counts) count.inFlight += 1;
    return (endedAt) => {
      for (const count of counts) {
        count.inFlight -= 1;
        if (endedAt !== undefined) count.ended.push(endedAt);
      }
    };
  }

  /** Pauses this kind of call in the thread and everything under the same limits, except for limits per `everything`. */
  pause(kind: CallKind, destination: Destination, until: number): void {
    const key = `${kind} ${destination.thread}`;
    this.#pauses.set(key, Math.max(until, this.#pauses.get(key) ?? 0));
    for (const count of this.#countsOf(kind, destination)) {
      if (count.limit.per !== 'everything') count.pausedUntil = Math.max(count.pausedUntil, until);
    }
  }

  pauseAll(until: number): void {
    this.#allPausedUntil = Math.max(this.#allPausedUntil, until);
  }

  /** Drops expired counts and pauses. */
  forgetBefore(now: number): void {
    for (const [key, until] of this.#pauses) if (until <= now) this.#pauses.delete(key);
    for (const [key, count] of this.#counts) {
      const { windowMs } = count.limit;
      count.ended = count.ended.filter((endedAt) => endedAt + windowMs > now);
      if (count.ended.length + count.inFlight === 0 && count.pausedUntil <= now) {
        this.#counts.delete(key);
      }
    }
  }

  #countsOf(kind: CallKind, destination: Destination): readonly Count[] {
    return this.#limits.flatMap((limit, index) => {
      const { per } = limit;
      const counted = per === 'everything' || per === 'method' ? '' : destination[per];
      if (counted === undefined || !limit.of.includes(kind)) return [];
      const key = `${index} ${counted}`;
      const count = this.#counts.get(key) ?? { limit, inFlight: 0, ended: [], pausedUntil: 0 };
      this.#counts.set(key, count);
      return [count];
    });
  }
}

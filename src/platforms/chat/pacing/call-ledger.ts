/**
 * What a platform allows, and the count of calls against it, which says when the next one may begin.
 * Obeying the platform's Retry-After comes first: this keeps it from being needed.
 */

/** What each platform allows. Obeying its Retry-After comes first: these keep it from being needed. */
export type CallKind =
  | 'post'
  | 'edit'
  /** What a message is to show in the end; room is kept for it. */
  | 'last_edit'
  | 'webhook_post'
  | 'webhook_edit'
  /** A message that grows begins, and is there from then on. */
  | 'stream_start'
  | 'stream_append'
  | 'stream_stop';

/**
 * Whose calls a limit counts together. Both `everything` and `method` count all calls of these kinds
 * wherever they go; a refusal says nothing of `everything`, but holds back all calls of its `method`.
 */
export type CallScope = 'everything' | 'method' | 'channel' | 'thread' | 'webhook';

/** So many calls in any span of so long a time. */
export interface CallLimit {
  readonly of: readonly CallKind[];
  /** Each channel, thread or webhook has its own count. */
  readonly per: CallScope;
  readonly calls: number;
  readonly windowMs: number;
  /** `observed`: the platform promises nothing, and may change it. */
  readonly basis: 'documented' | 'observed';
}

export interface PacingLimits {
  readonly calls: readonly CallLimit[];
  /** From the end of one edit of a message to the beginning of its next. */
  readonly editGapMs: number;
}

/** Where a call goes, as far as order and limits are concerned. */
export interface Destination {
  /** Posts of one thread keep their order. Where a place has no threads, the channel. */
  readonly thread: string;
  readonly channel: string;
  /** Present: the call is the webhook's and not the bot's. */
  readonly webhook?: string;
}

interface Count {
  readonly limit: CallLimit;
  inFlight: number;
  /** When the calls of the last window ended, oldest first; ms. */
  ended: number[];
  pausedUntil: number;
}

export class CallLedger {
  readonly #limits: readonly CallLimit[];
  readonly #counts = new Map<string, Count>();
  /** By thread, and by the edits of a thread. */
  readonly #pauses = new Map<string, number>();
  /** How many calls of a kind are still to come for certain. */
  readonly #expected = new Map<CallKind, number>();
  #allPausedUntil = 0;

  constructor(limits: readonly CallLimit[]) {
    this.#limits = limits;
  }

  /**
   * When a call may begin, in ms: `now` at the earliest, `Infinity` while that depends on calls that
   * have not ended.
   *
   * A call takes up its place from its beginning until the window after its end is over, because
   * it is unknown when in between the platform counts it. Calls of another kind that are expected and
   * draw on the same limit have their room already.
   */
  freeAt(kind: CallKind, destination: Destination, now: number): number {
    const times = this.#countsOf(kind, destination).map((count) => {
      const { of, calls, windowMs } = count.limit;
      const kept = of.reduce(
        (sum, other) => (other === kind ? sum : sum + (this.#expected.get(other) ?? 0)),
        0,
      );
      const tooMany = count.ended.length + count.inFlight - Math.max(0, calls - kept);
      if (tooMany < 0) return count.pausedUntil;
      const freeing = count.ended[tooMany];
      return freeing === undefined ? Infinity : Math.max(count.pausedUntil, freeing + windowMs);
    });
    const { thread } = destination;
    const pauses = [thread, ...(isEdit(kind) ? [editsOf(thread)] : [])];
    const pausedUntil = pauses.map((key) => this.#pauses.get(key) ?? 0);
    return Math.max(now, this.#allPausedUntil, ...pausedUntil, ...times);
  }

  /** A call of this kind will come. @returns To be called when it has, or will not. */
  expect(kind: CallKind): () => void {
    const add = (change: number) =>
      this.#expected.set(kind, (this.#expected.get(kind) ?? 0) + change);
    add(1);
    return () => add(-1);
  }

  /** @returns To be called with the time at which the call ended, in ms; without one, it never counted. */
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

  /**
   * Holds back the thread and all that draws on the same limits, except for the limit that all calls
   * share. A refused edit holds back edits alone: what is new comes first.
   */
  pause(kind: CallKind, destination: Destination, until: number): void {
    const key = isEdit(kind) ? editsOf(destination.thread) : destination.thread;
    this.#pauses.set(key, Math.max(until, this.#pauses.get(key) ?? 0));
    for (const count of this.#countsOf(kind, destination)) {
      if (count.limit.per !== 'everything') count.pausedUntil = Math.max(count.pausedUntil, until);
    }
  }

  pauseAll(until: number): void {
    this.#allPausedUntil = Math.max(this.#allPausedUntil, until);
  }

  /** Lets go of what no longer counts. */
  forgetBefore(now: number): void {
    for (const [thread, until] of this.#pauses) if (until <= now) this.#pauses.delete(thread);
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

function isEdit(kind: CallKind): boolean {
  return kind === 'edit' || kind === 'webhook_edit';
}

function editsOf(thread: string): string {
  return `edits of ${thread}`;
}

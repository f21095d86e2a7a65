/** Makes calls as soon as the limits allow, those of older turns first. */

import { type CallKind, CallLedger, type CallLimit, type Destination } from './call-ledger.ts';
import type { RateLimitedError } from './platform-error.ts';

/** The next call of a source. */
export interface PlannedCall {
  readonly kind: CallKind;
  readonly destination: Destination;
  /** Calls of one lane are made one after another, in the order in which their sources came. */
  readonly lane: unknown;
  /** Comes before calls that are not urgent. */
  readonly isUrgent: boolean;
  /**
   * When its turn was asked. Urgent calls of earlier turns come first, so that under tight limits turns finish
   * one after another instead of all late. Other calls are ordered by sequence alone.
   */
  readonly since: number;
  /** Breaks ties; lower comes first. */
  readonly sequence: number;
  /** In ms by {@link Clock.now}. */
  readonly notBefore: number;
  /** Makes the call. Never rejects: the source handles errors. Returns the refusal if the call has to be repeated. */
  make(): Promise<RateLimitedError | undefined>;
}

export interface CallSource {
  /** The next call, or the one in progress, if any. */
  next(): PlannedCall | undefined;
}

export interface Clock {
  /** Milliseconds from any fixed moment; never goes back. */
  now(): number;
  /** Runs a function once after a delay. @returns Cancels it. */
  startTimer(run: () => void, delayMs: number): () => void;
}

export const processClock: Clock = {
  now: () => performance.now(),
  startTimer: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

export class CallScheduler {
  readonly clock: Clock;
  readonly #ledger: CallLedger;
  readonly #sources = new Set<CallSource>();
  readonly #busyLanes = new Set<unknown>();
  #sequence = 0;
  #cancelTimer: (() => void) | undefined;
  #isPlanning = false;

  constructor(limits: readonly CallLimit[], clock: Clock) {
    this.#ledger = new CallLedger(limits);
    this.clock = clock;
  }

  /** A number that rises with each call of this method. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Must be called whenever a source gains or loses a call. */
  changed(source: CallSource): void {
    this.#sources.add(source);
    this.#planSoon();
  }

  #planSoon(): void {
    if (this.#isPlanning) return;
    this.#isPlanning = true;
    // Deferred, so that several changes at once are planned together.
    queueMicrotask(() => {
      this.#isPlanning = false;
      this.#plan();
    });
  }

  #plan(): void {
    const now = this.clock.now();
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#ledger.forgetBefore(now);
    let wakeAt = Infinity;
    for (const call of this.#callsInOrder()) {
      const freeAt = this.#ledger.freeAt(call.kind, call.destination, now);
      const startsAt = Math.max(freeAt, call.notBefore);
      if (startsAt <= now) void this.#make(call);
      else wakeAt = Math.min(wakeAt, startsAt);
    }
    if (wakeAt !== Infinity) {
      this.#cancelTimer = this.clock.startTimer(() => this.#plan(), Math.ceil(wakeAt - now));
    }
  }

  #callsInOrder(): readonly PlannedCall[] {
    const first = new Map<unknown, PlannedCall>();
    for (const source of this.#sources) {
      const call = source.next();
      if (!call) this.#sources.delete(source);
      else if (!first.has(call.lane)) first.set(call.lane, call);
    }
    const calls = [...first.values()].filter(({ lane }) => !this.#busyLanes.has(lane));
    return calls.sort(
      (left, right) =>
        Number(right.isUrgent) - Number(left.isUrgent) ||
        (left.isUrgent ? left.since - right.since : 0) ||
        left.sequence - right.sequence,
    );
  }

  async #make(call: PlannedCall): Promise<void> {
    this.#busyLanes.add(call.lane);
    const end = this.#ledger.begin(call.kind, call.destination);
    const limited = await call.make();
    const now = this.clock.now();
    // Refused calls don't count against the limits.
    if (limited) end();
    else end(now);
    if (limited?.isGlobal) this.#ledger.pauseAll(now + limited.retryAfterMs);
    else if (limited) this.#ledger.pause(call.kind, call.destination, now + limited.retryAfterMs);
    this.#busyLanes.delete(call.lane);
    this.#planSoon();
  }
}

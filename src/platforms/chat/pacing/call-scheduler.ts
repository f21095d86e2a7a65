/** Makes calls as early as the limits allow, those of older turns first. */

import { type CallKind, CallLedger, type CallLimit, type Destination } from './call-ledger.ts';
import type { RateLimitedError } from './platform-error.ts';

/** A call that may be made now as far as its source is concerned. */
export interface PlannedCall {
  readonly kind: CallKind;
  readonly destination: Destination;
  /** Goes before all that are not. */
  readonly isUrgent: boolean;
  /**
   * Of urgent calls the one with the lower number goes first: when its turn was asked. So turns end one
   * after another where the limits are tight, instead of all of them late. The others go by sequence.
   */
  readonly since: number;
  /** Of two calls alike in that, the one with the lower number goes first. */
  readonly sequence: number;
  /** In ms, as the clock tells it. */
  readonly notBefore: number;
  /** Never rejects: an error is the source's own. A call that was refused is planned again. */
  make(): Promise<RateLimitedError | undefined>;
}

/** Something that has calls to make, one after another. */
export interface CallSource {
  /** Absent when there is none. Not asked for while one is being made. */
  next(): PlannedCall | undefined;
}

export interface Clock {
  /** Milliseconds from any fixed moment; never goes back. */
  now(): number;
  /** Runs something once, later. Gives what cancels it. */
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
  readonly #busy = new Set<CallSource>();
  #sequence = 0;
  #cancelTimer: (() => void) | undefined;
  #isPlanning = false;

  constructor(limits: readonly CallLimit[], clock: Clock) {
    this.#ledger = new CallLedger(limits);
    this.clock = clock;
  }

  /** Rises with each call. */
  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Keeps room for a call that will come. @returns To be called when it has, or will not. */
  expect(kind: CallKind): () => void {
    return this.#ledger.expect(kind);
  }

  /** To be told whenever a source has a new call, or one less. */
  changed(source: CallSource): void {
    this.#sources.add(source);
    if (this.#isPlanning) return;
    this.#isPlanning = true;
    // Later, so that of many changes at once only the last state is planned.
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
    for (const { call, source } of this.#callsInOrder()) {
      const freeAt = this.#ledger.freeAt(call.kind, call.destination, now);
      const startsAt = Math.max(freeAt, call.notBefore);
      if (startsAt <= now) void this.#make(call, source);
      else wakeAt = Math.min(wakeAt, startsAt);
    }
    if (wakeAt !== Infinity) {
      this.#cancelTimer = this.clock.startTimer(() => this.#plan(), Math.ceil(wakeAt - now));
    }
  }

  #callsInOrder(): readonly { readonly call: PlannedCall; readonly source: CallSource }[] {
    const calls: { call: PlannedCall; source: CallSource }[] = [];
    for (const source of this.#sources) {
      if (this.#busy.has(source)) continue;
      const call = source.next();
      if (call) calls.push({ call, source });
      else this.#sources.delete(source);
    }
    return calls.sort(
      ({ call: left }, { call: right }) =>
        Number(right.isUrgent) - Number(left.isUrgent) ||
        (left.isUrgent ? left.since - right.since : 0) ||
        left.sequence - right.sequence,
    );
  }

  async #make(call: PlannedCall, source: CallSource): Promise<void> {
    this.#busy.add(source);
    const end = this.#ledger.begin(call.kind, call.destination);
    const limited = await call.make();
    const now = this.clock.now();
    // A platform counts what it takes. Counted here, what it refused would take room from the next.
    if (limited) end();
    else end(now);
    if (limited?.isGlobal) this.#ledger.pauseAll(now + limited.retryAfterMs);
    else if (limited) this.#ledger.pause(call.kind, call.destination, now + limited.retryAfterMs);
    this.#busy.delete(source);
    this.changed(source);
  }
}

/** A message that is edited as its content changes, no more often than the platform likes. */

import { isDeepStrictEqual } from 'node:util';
import type { CallKind, Destination } from './call-ledger.ts';
import type { CallScheduler, CallSource, PlannedCall } from './call-scheduler.ts';
import { PlatformRefusal, RateLimitedError } from './platform-error.ts';

export interface PacedMessageOptions<State> {
  readonly destination: Destination;
  /**
   * What the call is to the limits, where they tell the last one apart: room is kept for it then.
   * Absent: an edit of the bot or of the webhook, whose last one goes as a post does.
   */
  readonly kindOf?: (isLast: boolean) => CallKind;
  /** How long it stays as it is at first, unless it is finished sooner; absent: not at all. */
  readonly quietMs?: number;
  /** What the message shows now. */
  readonly shown: State;
  /** Makes the message show a state. */
  readonly edit: (state: State, signal: AbortSignal) => Promise<void>;
  /** An edit failed that was not the last one; the next state is still sent, of a place that is closed the last one alone. */
  readonly onEditFailed: (error: unknown) => void;
  /** Ends the edits; what waits is given up. */
  readonly signal?: AbortSignal;
}

export class PacedMessage<State> implements CallSource {
  readonly #options: PacedMessageOptions<State> & { readonly signal: AbortSignal };
  readonly #scheduler: CallScheduler;
  readonly #editGapMs: number;
  readonly #since: number;
  /** Absent while it is not known what the message shows. */
  #shown: { readonly state: State } | undefined;
  #sending: { readonly state: State } | undefined;
  #waiting: { readonly state: State; readonly sequence: number } | undefined;
  readonly #quietUntil: number;
  #notBefore = 0;
  /** Its place was closed when it was edited last. */
  #isClosed = false;
  #finish: PromiseWithResolvers<void> | undefined;
  /** The last edit may have room of its own until it is made. */
  readonly #lastIsMade: () => void;

  constructor(
    options: PacedMessageOptions<State> & { readonly signal: AbortSignal },
    pacing: {
      readonly scheduler: CallScheduler;
      readonly editGapMs: number;
      readonly since: number;
    },
  ) {
    this.#options = options;
    this.#scheduler = pacing.scheduler;
    this.#editGapMs = pacing.editGapMs;
    this.#since = pacing.since;
    // Kept for edits that draw on the same limit as posts, room would be taken from all that is said.
    const last = options.kindOf?.(true);
    this.#lastIsMade = last === undefined ? () => undefined : once(this.#scheduler.expect(last));
    this.#quietUntil = this.#scheduler.clock.now() + (options.quietMs ?? 0);
    this.#shown = { state: options.shown };
    options.signal.addEventListener('abort', this.#giveUp);
  }

  next(): PlannedCall | undefined {
    const waiting = this.#waiting;
    if (!waiting) return undefined;
    const { destination } = this.#options;
    return {
      kind: this.#kind(this.#finish !== undefined),
      destination,
      isUrgent: this.#finish !== undefined,
      since: this.#since,
      sequence: waiting.sequence,
      notBefore: this.#finish ? this.#notBefore : Math.max(this.#notBefore, this.#quietUntil),
      make: () => this.#send(waiting),
    };
  }

  #kind(isLast: boolean): CallKind {
    const { kindOf, destination } = this.#options;
    if (kindOf) return kindOf(isLast);
    return destination.webhook === undefined ? 'edit' : 'webhook_edit';
  }

  /** Shows a state soon, unless a newer one comes first. After {@link finish} it is ignored. */
  show(state: State): void {
    if (this.#finish || this.#isClosed || this.#options.signal.aborted) return;
    this.#plan(state);
  }

  /**
   * Shows the last state, however long the limits make it wait. Call it once.
   *
   * @returns Resolves when the message shows it; rejects as `edit` does, and with the signal's reason.
   */
  finish(state: State): Promise<void> {
    const { signal } = this.#options;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#finish) throw new TypeError('The message is finished already. Call finish once.');
    this.#finish = Promise.withResolvers<void>();
    this.#plan(state);
    this.#settle();
    return this.#finish.promise;
  }

  #plan(state: State): void {
    const current = this.#sending ?? this.#shown;
    const sequence = this.#waiting?.sequence ?? this.#scheduler.nextSequence();
    const isSame = current !== undefined && isDeepStrictEqual(current.state, state);
    this.#waiting = isSame ? undefined : { state, sequence };
    this.#scheduler.changed(this);
  }

  async #send(waiting: { state: State; sequence: number }): Promise<RateLimitedError | undefined> {
    const { edit, signal } = this.#options;
    let limited: RateLimitedError | undefined;
    this.#waiting = undefined;
    this.#sending = waiting;
    try {
      await edit(waiting.state, signal);
      this.#shown = waiting;
    } catch (error) {
      if (error instanceof RateLimitedError && !signal.aborted) limited = error;
      else this.#fail(error);
    }
    this.#sending = undefined;
    this.#notBefore = this.#scheduler.clock.now() + this.#editGapMs;
    if (limited) this.#plan((this.#waiting ?? waiting).state);
    this.#settle();
    return limited;
  }

  #fail(error: unknown): void {
    this.#shown = undefined;
    if (this.#finish && !this.#waiting) this.#finish.reject(error);
    else this.#options.onEditFailed(error);
    this.#isClosed = error instanceof PlatformRefusal && error.closesPlace;
    if (this.#isClosed && !this.#finish) this.#waiting = undefined;
  }

  #settle(): void {
    if (!this.#finish || this.#waiting || this.#sending) return;
    this.#options.signal.removeEventListener('abort', this.#giveUp);
    this.#lastIsMade();
    this.#finish.resolve();
  }

  readonly #giveUp = (): void => {
    this.#waiting = undefined;
    this.#lastIsMade();
    this.#finish?.reject(this.#options.signal.reason);
    this.#scheduler.changed(this);
  };
}

/** However often it is called, it does it once. */
function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

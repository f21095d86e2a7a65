/** A message that is edited as its content changes, within the platform's limits. */

import { isDeepStrictEqual } from 'node:util';
import type { CallKind, Destination } from './call-ledger.ts';
import type { CallScheduler, CallSource, PlannedCall } from './call-scheduler.ts';
import { PlatformRefusal, RateLimitedError } from './platform-error.ts';

export interface PacedMessageOptions<State> {
  readonly destination: Destination;
  /** For limits that treat the last edit differently. Absent: all are edits alike. */
  readonly kindOf?: (isLast: boolean) => CallKind;
  /** How long to wait before the first edit, unless it is the last; absent: 0. */
  readonly quietMs?: number;
  /** The state that the message shows at first. */
  readonly shown: State;
  /** Edits the message to show a state. */
  readonly edit: (state: State) => Promise<void>;
  /** Called when an edit other than the last failed. Later states are still sent, but in a closed place only the last. */
  readonly onEditFailed: (error: unknown) => void;
  /** Aborted: pending edits are dropped. */
  readonly signal?: AbortSignal;
}

/** What the messages of a turn share. */
export interface Pacing {
  readonly scheduler: CallScheduler;
  readonly editGapMs: number;
  /** See {@link PlannedCall.since}. */
  readonly since: number;
}

export class PacedMessage<State> implements CallSource {
  readonly #options: PacedMessageOptions<State>;
  readonly #signal: AbortSignal | undefined;
  readonly #pacing: Pacing;
  /** What the message shows; absent while unknown. */
  #shown: { readonly state: State } | undefined;
  #sending: { readonly state: State } | undefined;
  #waiting: { readonly state: State; readonly sequence: number } | undefined;
  readonly #quietUntil: number;
  #notBefore = 0;
  /** The last edit failed because its place was closed. */
  #isClosed = false;
  #finish: PromiseWithResolvers<void> | undefined;

  constructor(options: PacedMessageOptions<State>, pacing: Pacing) {
    this.#options = options;
    this.#signal = options.signal;
    this.#pacing = pacing;
    this.#quietUntil = pacing.scheduler.clock.now() + (options.quietMs ?? 0);
    this.#shown = { state: options.shown };
    this.#signal?.addEventListener('abort', this.#giveUp);
  }

  next(): PlannedCall | undefined {
    const waiting = this.#waiting;
    if (!waiting) return undefined;
    const isLast = this.#finish !== undefined;
    const { destination, kindOf } = this.#options;
    return {
      kind: kindOf?.(isLast) ?? 'edit',
      destination,
      lane: this,
      isUrgent: isLast,
      since: this.#pacing.since,
      sequence: waiting.sequence,
      notBefore: isLast ? this.#notBefore : Math.max(this.#notBefore, this.#quietUntil),
      make: () => this.#send(waiting),
    };
  }

  /** Shows a state soon, unless a newer one replaces it. Ignored after {@link finish}. */
  show(state: State): void {
    if (this.#finish || this.#isClosed || this.#signal?.aborted) return;
    this.#plan(state);
  }

  /**
   * Shows the final state, however long the limits take. Call it again only if it rejects.
   *
   * @returns Resolves when the message shows it; rejects with the error of `edit` or the signal's reason.
   */
  finish(state: State): Promise<void> {
    if (this.#signal?.aborted) return Promise.reject(this.#signal.reason);
    if (this.#finish) throw new TypeError('The message is finished already.');
    this.#finish = Promise.withResolvers<void>();
    this.#plan(state);
    this.#settle();
    return this.#finish.promise;
  }

  #plan(state: State): void {
    const current = this.#sending ?? this.#shown;
    const sequence = this.#waiting?.sequence ?? this.#pacing.scheduler.nextSequence();
    const isSame = current !== undefined && isDeepStrictEqual(current.state, state);
    this.#waiting = isSame ? undefined : { state, sequence };
    this.#pacing.scheduler.changed(this);
  }

  async #send(waiting: { state: State; sequence: number }): Promise<RateLimitedError | undefined> {
    let limited: RateLimitedError | undefined;
    this.#waiting = undefined;
    this.#sending = waiting;
    try {
      await this.#options.edit(waiting.state);
      this.#shown = waiting;
    } catch (error) {
      if (error instanceof RateLimitedError && !this.#signal?.aborted) limited = error;
      else this.#fail(error);
    }
    this.#sending = undefined;
    this.#notBefore = this.#pacing.scheduler.clock.now() + this.#pacing.editGapMs;
    if (limited) this.#plan((this.#waiting ?? waiting).state);
    this.#settle();
    return limited;
  }

  #fail(error: unknown): void {
    this.#shown = undefined;
    this.#isClosed = error instanceof PlatformRefusal && error.closesPlace;
    if (this.#isClosed && !this.#finish) this.#waiting = undefined;
    if (this.#finish && !this.#waiting) {
      this.#finish.reject(error);
      this.#finish = undefined;
    } else this.#options.onEditFailed(error);
  }

  #settle(): void {
    if (!this.#finish || this.#waiting || this.#sending) return;
    this.#signal?.removeEventListener('abort', this.#giveUp);
    this.#finish.resolve();
  }

  readonly #giveUp = (): void => {
    this.#waiting = undefined;
    this.#finish?.reject(this.#signal?.reason);
    this.#pacing.scheduler.changed(this);
  };
}

/** A message that is edited as its content changes, within the platform's limits. */

import { isDeepStrictEqual } from 'node:util';
import type { CallKind, Destination } from './call-ledger.ts';
import type { CallScheduler, CallSource, PlannedCall } from './call-scheduler.ts';
import { PlatformRefusal, RateLimitedError } from './platform-error.ts';

export interface PacedMessageOptions<State> {
  readonly destination: Destination;
  /**
   * The kind of call, for limits that treat the last edit differently; capacity is then reserved for it.
   * Absent: an edit by the bot or webhook.
   */
  readonly kindOf?: (isLast: boolean) => CallKind;
  /** How long to wait before the first edit, unless it is the last; absent: 0. */
  readonly quietMs?: number;
  /** The state that the message shows at first. */
  readonly shown: State;
  /** Edits the message to show a state. */
  readonly edit: (state: State, signal: AbortSignal) => Promise<void>;
  /** Called when an edit other than the last failed. Later states are still sent, but in a closed place only the last. */
  readonly onEditFailed: (error: unknown) => void;
  /** Aborted: pending edits are dropped. */
  readonly signal?: AbortSignal;
}

export class PacedMessage<State> implements CallSource {
  readonly #options: PacedMessageOptions<State> & { readonly signal: AbortSignal };
  readonly #scheduler: CallScheduler;
  readonly #editGapMs: number;
  readonly #since: number;
  /** What the message shows; absent while unknown. */
  #shown: { readonly state: State } | undefined;
  #sending: { readonly state: State } | undefined;
  #waiting: { readonly state: State; readonly sequence: number } | undefined;
  readonly #quietUntil: number;
  #notBefore = 0;
  /** The last edit failed because its place was closed. */
  #isClosed = false;
  #finish: PromiseWithResolvers<void> | undefined;
  /** Releases the capacity reserved for the last edit. */
  readonly #releaseLast: () => void;

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
    // Not reserved for edits that share a limit with posts, since that would slow down all posts.
    const last = options.kindOf?.(true);
    this.#releaseLast = last === undefined ? () => undefined : once(this.#scheduler.expect(last));
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

  /** Shows a state soon, unless a newer one replaces it. Ignored after {@link finish}. */
  show(state: State): void {
    if (this.#finish || this.#isClosed || this.#options.signal.aborted) return;
    this.#plan(state);
  }

  /**
   * Shows the final state, however long the limits take. Call it once.
   *
   * @returns Resolves when the message shows it; rejects with the error of `edit` or the signal's reason.
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
    this.#releaseLast();
    this.#finish.resolve();
  }

  readonly #giveUp = (): void => {
    this.#waiting = undefined;
    this.#releaseLast();
    this.#finish?.reject(this.#options.signal.reason);
    this.#scheduler.changed(this);
  };
}

/** Wraps a function so that it runs only once. */
function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

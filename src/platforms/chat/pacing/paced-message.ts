/** A message that is edited as its content changes, within the platform's limits. */

import { isDeepStrictEqual } from 'node:util';
import type { CallKind, Destination } from './call-ledger.ts';
import type { CallScheduler, CallSource } from './call-scheduler.ts';
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

/**
 * Edits one message. Sends only the newest state, none that it already shows, and none before the gap between two
 * edits has passed. Posts and final states come before other edits.
 */
export function pacedEdits<State>(options: PacedMessageOptions<State>, pacing: Pacing) {
  const { destination, kindOf, quietMs = 0, signal } = options;
  const { scheduler, editGapMs, since } = pacing;
  const quietUntil = scheduler.clock.now() + quietMs;
  /** What the message shows; absent while unknown. */
  let shown: { readonly state: State } | undefined = { state: options.shown };
  let sending: { readonly state: State } | undefined;
  let waiting: { readonly state: State; readonly sequence: number } | undefined;
  let notBefore = 0;
  /** The last edit failed because its place was closed. */
  let isClosed = false;
  let finishing: PromiseWithResolvers<void> | undefined;

  const source: CallSource = {
    next() {
      if (!waiting) return undefined;
      const planned = waiting;
      const isLast = finishing !== undefined;
      return {
        destination,
        since,
        kind: kindOf?.(isLast) ?? 'edit',
        lane: source,
        isUrgent: isLast,
        sequence: planned.sequence,
        notBefore: isLast ? notBefore : Math.max(notBefore, quietUntil),
        make: () => send(planned),
      };
    },
  };

  function plan(state: State): void {
    const current = sending ?? shown;
    const sequence = waiting?.sequence ?? scheduler.nextSequence();
    const isSame = current !== undefined && isDeepStrictEqual(current.state, state);
    waiting = isSame ? undefined : { state, sequence };
    scheduler.changed(source);
  }

  async function send(planned: NonNullable<typeof waiting>): Promise<RateLimitedError | undefined> {
    let limited: RateLimitedError | undefined;
    waiting = undefined;
    sending = planned;
    try {
      await options.edit(planned.state);
      shown = planned;
    } catch (error) {
      if (error instanceof RateLimitedError && !signal?.aborted) limited = error;
      else fail(error);
    }
    sending = undefined;
    notBefore = scheduler.clock.now() + editGapMs;
    if (limited) plan((waiting ?? planned).state);
    settle();
    return limited;
  }

  function fail(error: unknown): void {
    shown = undefined;
    isClosed = error instanceof PlatformRefusal && error.closesPlace;
    if (isClosed && !finishing) waiting = undefined;
    if (finishing && !waiting) {
      finishing.reject(error);
      finishing = undefined;
    } else options.onEditFailed(error);
  }

  function settle(): void {
    if (!finishing || waiting || sending) return;
    signal?.removeEventListener('abort', giveUp);
    finishing.resolve();
  }

  function giveUp(): void {
    waiting = undefined;
    finishing?.reject(signal?.reason);
    scheduler.changed(source);
  }

  signal?.addEventListener('abort', giveUp);
  return {
    /** Shows a state soon, unless a newer one replaces it. Ignored after `finish`. */
    show(state: State): void {
      if (finishing || isClosed || signal?.aborted) return;
      plan(state);
    },

    /**
     * Shows the final state, however long the limits take. Call it again only if it rejects.
     *
     * @returns Resolves when the message shows it; rejects with the error of `edit` or the signal's reason.
     */
    finish(state: State): Promise<void> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (finishing) throw new TypeError('The message is finished already.');
      finishing = Promise.withResolvers<void>();
      const { promise } = finishing;
      plan(state);
      settle();
      return promise;
    },
  };
}

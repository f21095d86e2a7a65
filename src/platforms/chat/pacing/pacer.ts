/**
 * Schedules posts and edits within a platform's rate limits. A call that fails with a {@link RateLimitedError} is
 * repeated after the wait that it asks for.
 */

import { isDeepStrictEqual } from 'node:util';
import type { CallKind, Destination, PacingLimits } from './call-ledger.ts';
import {
  CallScheduler,
  type CallSource,
  type PlannedCall,
  processClock,
} from './call-scheduler.ts';
import { PlatformRefusal, RateLimitedError } from './platform-error.ts';

/** A message that is being edited. */
export type PacedEdits<State> = ReturnType<typeof pacedEdits<State>>;

/** Create one per token or workspace, because some limits apply to all of its channels together. */
export function createPacer(limits: PacingLimits, clock = processClock): Pacer {
  const scheduler = new CallScheduler(limits.calls, clock);
  return new Pacer({ scheduler, editGapMs: limits.editGapMs, since: 0 });
}

export class Pacer {
  readonly #pacing: Pacing;

  constructor(pacing: Pacing) {
    this.#pacing = pacing;
  }

  /**
   * A pacer for one turn: its calls come before those of later turns. Calls outside any turn, e.g. replies to
   * commands, come first of all.
   *
   * @param askedAt - Milliseconds since 1970.
   */
  inTurn(askedAt: number): Pacer {
    return new Pacer({ ...this.#pacing, since: askedAt });
  }

  /** @see pacedEdits */
  edits<State>(options: PacedMessageOptions<State>): PacedEdits<State> {
    return pacedEdits(options, this.#pacing);
  }

  /**
   * Posts after all earlier posts of the same thread, once the limits allow it. Never dropped.
   *
   * @param send - Called once; called again only after a rate limit.
   * @param signal - Aborted: a post that still waits is dropped.
   * @returns The result of `send`. Rejects with its error or the signal's reason; later posts continue.
   */
  post<Result>(
    destination: Destination,
    send: (signal: AbortSignal) => Promise<Result>,
    signal = new AbortController().signal,
    kind: CallKind = destination.webhook === undefined ? 'post' : 'webhook_post',
  ): Promise<Result> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { scheduler, since } = this.#pacing;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let state: 'waiting' | 'sending' | 'over' = 'waiting';
    const end = () => {
      state = 'over';
      signal.removeEventListener('abort', abort);
    };
    const abort = () => {
      if (state === 'sending') return; // `send` has the signal and knows whether the post was made
      end();
      reject(signal.reason);
      scheduler.changed(source);
    };
    const call: PlannedCall = {
      kind,
      destination,
      lane: destination.thread,
      isUrgent: true,
      since,
      notBefore: 0,
      sequence: scheduler.nextSequence(),
      make: async () => {
        state = 'sending';
        try {
          resolve(await send(signal));
        } catch (error) {
          const isLimited = error instanceof RateLimitedError;
          if (isLimited && !signal.aborted) {
            state = 'waiting';
            return error;
          }
          reject(isLimited ? signal.reason : error);
        }
        end();
        return undefined;
      },
    };
    const source: CallSource = { next: () => (state === 'over' ? undefined : call) };
    signal.addEventListener('abort', abort);
    scheduler.changed(source);
    return promise;
  }
}

interface PacedMessageOptions<State> {
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
interface Pacing {
  readonly scheduler: CallScheduler;
  readonly editGapMs: number;
  /** See {@link PlannedCall.since}. */
  readonly since: number;
}

/**
 * Edits one message. Sends only the newest state, none that it already shows, and none before the gap between two
 * edits has passed. Posts and final states come before other edits.
 */
function pacedEdits<State>(options: PacedMessageOptions<State>, pacing: Pacing) {
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

/**
 * Schedules posts and edits within a platform's rate limits. A call that fails with a {@link RateLimitedError} is
 * repeated after the wait that it asks for.
 */

import type { CallKind, Destination, PacingLimits } from './call-ledger.ts';
import {
  CallScheduler,
  type CallSource,
  type PlannedCall,
  processClock,
} from './call-scheduler.ts';
import { type PacedMessageOptions, type Pacing, pacedEdits } from './paced-message.ts';
import { RateLimitedError } from './platform-error.ts';

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

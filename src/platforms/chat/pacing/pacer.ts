/** Plans posts and edits so that a platform's limits are kept. Knows no platform: it is handed what to call. */

import type { Destination } from './call-ledger.ts';
import type { CallKind, PacingLimits } from './call-limits.ts';
import { CallScheduler, type Clock, processClock } from './call-scheduler.ts';
import { PacedMessage, type PacedMessageOptions } from './paced-message.ts';
import { PostQueue, type RateLimitOf } from './post-queue.ts';

export interface PacerOptions {
  readonly limits: PacingLimits;
  /**
   * Reads the platform's refusal out of an error that a post or an edit rejected with. Such a call is
   * made again when the time is over; any other error is the caller's.
   */
  readonly rateLimitOf: RateLimitOf;
  /** Ends everything: what waits rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Default: the process's own. */
  readonly clock?: Clock;
}

/** What is needed of a message to be edited; see {@link PacedMessageOptions}. */
export interface PacedEdits<State> {
  show(state: State): void;
  finish(state: State): Promise<void>;
}

export interface Pacer {
  /**
   * Posts after all earlier posts of the same thread, once the limits allow it. Never dropped.
   *
   * @param send - Called once; again only after the platform refused it because of its limits.
   * @param signal - Aborted while the post waits, it is not made, and its place is free.
   * @param kind - What it is to the limits; absent: a post of the bot or of the webhook.
   * @returns What `send` gives. Rejects as `send` does and with the signal's reason; the posts
   *   behind it go on.
   */
  post<Result>(
    destination: Destination,
    send: (signal: AbortSignal) => Promise<Result>,
    signal?: AbortSignal,
    kind?: CallKind,
  ): Promise<Result>;
  /**
   * Edits one message: only the newest state is sent, never the one it shows already, and never
   * sooner than the gap after the edit before. Posts go before edits, and a last state goes as a post.
   */
  edits<State>(options: PacedMessageOptions<State>): PacedEdits<State>;
  /** Waits until all posts and edits have been made or have failed. Never rejects. */
  flush(): Promise<void>;
}

/** One for each token or workspace, because some limits are shared by all its channels. */
export function createPacer(options: PacerOptions): Pacer {
  const { limits, rateLimitOf, clock = processClock } = options;
  const scheduler = new CallScheduler(limits.calls, clock);
  const queues = new Map<string, PostQueue>();
  const endedBy = (signal: AbortSignal | undefined) =>
    AbortSignal.any([signal, options.signal].filter((one) => one !== undefined));

  return {
    post(destination, send, signal, kind) {
      const { thread } = destination;
      const queue = queues.get(thread) ?? new PostQueue(scheduler, rateLimitOf);
      queues.set(thread, queue);
      const posted = queue.add(destination, send, endedBy(signal), kind);
      const forget = () => {
        if (queue.isIdle && queues.get(thread) === queue) queues.delete(thread);
      };
      posted.then(forget, forget);
      return posted;
    },
    edits(message) {
      const signal = endedBy(message.signal);
      const pacing = { scheduler, rateLimitOf, editGapMs: limits.editGapMs };
      return new PacedMessage({ ...message, signal }, pacing);
    },
    flush: () => scheduler.idle(),
  };
}

/**
 * Plans posts and edits so that a platform's limits are kept. Knows no platform: it is handed what to call.
 * What a platform refuses with a {@link RateLimitedError} is done again when the time is over.
 */

import type { CallKind, Destination, PacingLimits } from './call-ledger.ts';
import {
  CallScheduler,
  type CallSource,
  type Clock,
  type PlannedCall,
  processClock,
} from './call-scheduler.ts';
import { PacedMessage, type PacedMessageOptions } from './paced-message.ts';
import { RateLimitedError } from './platform-error.ts';

export interface PacerOptions {
  readonly limits: PacingLimits;
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
  /**
   * The same for one turn: what it says goes before what turns say that were asked later. What is said by
   * no turn, e.g. a reply to a command, goes before all.
   *
   * @param askedAt - Milliseconds since 1970.
   */
  inTurn(askedAt: number): Pacer;
}

/** One for each token or workspace, because some limits are shared by all its channels. */
export function createPacer({ limits, clock = processClock }: PacerOptions): Pacer {
  const scheduler = new CallScheduler(limits.calls, clock);
  const queues = new Map<string, PostQueue>();

  const pacerOf = (since: number): Pacer => ({
    post(destination, send, signal = endless(), kind) {
      const { thread } = destination;
      const queue = queues.get(thread) ?? new PostQueue(scheduler);
      queues.set(thread, queue);
      const posted = queue.add(destination, send, { signal, since, kind });
      const forget = () => {
        if (queue.isIdle && queues.get(thread) === queue) queues.delete(thread);
      };
      posted.then(forget, forget);
      return posted;
    },
    edits(message) {
      const { signal = endless() } = message;
      const pacing = { scheduler, editGapMs: limits.editGapMs, since };
      return new PacedMessage({ ...message, signal }, pacing);
    },
    inTurn: pacerOf,
  });
  return pacerOf(0);
}

function endless(): AbortSignal {
  return new AbortController().signal;
}

/** The posts of one thread, one after another. */
class PostQueue implements CallSource {
  readonly #scheduler: CallScheduler;
  readonly #waiting: PlannedCall[] = [];

  constructor(scheduler: CallScheduler) {
    this.#scheduler = scheduler;
  }

  /** No post waits or is being made. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  next(): PlannedCall | undefined {
    return this.#waiting[0];
  }

  /** Posts after all that were added before. Rejects as `send` does, and with the signal's reason. */
  add<Result>(
    destination: Destination,
    send: (signal: AbortSignal) => Promise<Result>,
    {
      signal,
      since,
      kind = destination.webhook === undefined ? 'post' : 'webhook_post',
    }: {
      readonly signal: AbortSignal;
      readonly since: number;
      readonly kind: CallKind | undefined;
    },
  ): Promise<Result> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let isSending = false;
    const leave = () => {
      const index = this.#waiting.indexOf(post);
      if (index >= 0) this.#waiting.splice(index, 1);
      signal.removeEventListener('abort', abort);
      this.#scheduler.changed(this);
    };
    const abort = () => {
      if (isSending) return; // `send` has the signal, and knows whether the post was still made
      leave();
      reject(signal.reason);
    };
    const post: PlannedCall = {
      ...{ kind, destination, isUrgent: true, since, notBefore: 0 },
      sequence: this.#scheduler.nextSequence(),
      make: async () => {
        isSending = true;
        try {
          resolve(await send(signal));
        } catch (error) {
          const isLimited = error instanceof RateLimitedError;
          if (isLimited && !signal.aborted) return error;
          reject(isLimited ? signal.reason : error);
        } finally {
          isSending = false;
        }
        leave();
        return undefined;
      },
    };
    this.#waiting.push(post);
    signal.addEventListener('abort', abort);
    this.#scheduler.changed(this);
    return promise;
  }
}

/**
 * Schedules posts and edits within a platform's rate limits. A call that fails with a {@link RateLimitedError} is
 * repeated after the wait that it asks for.
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

/** A message that is being edited. */
export type PacedEdits<State> = Pick<PacedMessage<State>, 'show' | 'finish'>;

export interface Pacer {
  /**
   * Posts after all earlier posts of the same thread, once the limits allow it. Never dropped.
   *
   * @param send - Called once; called again only after a rate limit.
   * @param signal - Aborted: a post that still waits is dropped.
   * @param kind - Absent: a post by the bot or webhook.
   * @returns The result of `send`. Rejects with its error or the signal's reason; later posts continue.
   */
  post<Result>(
    destination: Destination,
    send: (signal: AbortSignal) => Promise<Result>,
    signal?: AbortSignal,
    kind?: CallKind,
  ): Promise<Result>;
  /**
   * Edits one message. Sends only the newest state, none that it already shows, and none before
   * {@link PacingLimits.editGapMs} has passed. Posts and final states come before other edits.
   */
  edits<State>(options: PacedMessageOptions<State>): PacedEdits<State>;
  /**
   * A pacer for one turn: its calls come before those of later turns. Calls outside any turn, e.g. replies to
   * commands, come first of all.
   *
   * @param askedAt - Milliseconds since 1970.
   */
  inTurn(askedAt: number): Pacer;
}

/** Create one per token or workspace, because some limits apply to all of its channels together. */
export function createPacer({
  limits,
  clock = processClock,
}: {
  readonly limits: PacingLimits;
  readonly clock?: Clock;
}): Pacer {
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
      const pacing = { scheduler, editGapMs: limits.editGapMs, since };
      return new PacedMessage(message, message.signal ?? endless(), pacing);
    },
    inTurn: pacerOf,
  });
  return pacerOf(0);
}

function endless(): AbortSignal {
  return new AbortController().signal;
}

/** Makes the posts of one thread in order. */
class PostQueue implements CallSource {
  readonly #scheduler: CallScheduler;
  readonly #waiting: PlannedCall[] = [];

  constructor(scheduler: CallScheduler) {
    this.#scheduler = scheduler;
  }

  /** No post is waiting or in progress. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  next(): PlannedCall | undefined {
    return this.#waiting[0];
  }

  /** Adds a post; see {@link Pacer.post}. */
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
      if (isSending) return; // `send` has the signal and knows whether the post was made
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

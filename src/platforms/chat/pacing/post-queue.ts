/** The posts of one thread, one after another. */

import type { Destination } from './call-ledger.ts';
import type { CallKind } from './call-limits.ts';
import type { CallScheduler, CallSource, PlannedCall, RateLimited } from './call-scheduler.ts';

/** Tells whether an error is the platform's refusal because of its limits. */
export type RateLimitOf = (error: unknown) => RateLimited | undefined;

interface WaitingPost {
  readonly kind: CallKind;
  readonly destination: Destination;
  readonly sequence: number;
  /** Makes the post and settles its promise, unless it is to be made again. */
  readonly make: () => Promise<RateLimited | undefined>;
}

export class PostQueue implements CallSource {
  readonly #scheduler: CallScheduler;
  readonly #rateLimitOf: RateLimitOf;
  readonly #waiting: WaitingPost[] = [];

  constructor(scheduler: CallScheduler, rateLimitOf: RateLimitOf) {
    this.#scheduler = scheduler;
    this.#rateLimitOf = rateLimitOf;
  }

  /** No post waits or is being made. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  next(): PlannedCall | undefined {
    const [post] = this.#waiting;
    if (!post) return undefined;
    const { kind, destination, sequence, make } = post;
    return {
      kind,
      destination,
      isUrgent: true,
      sequence,
      notBefore: 0,
      make,
    };
  }

  /** Posts after all that were added before. Rejects as `send` does, and with the signal's reason. */
  add<Result>(
    destination: Destination,
    send: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
    kind: CallKind = destination.webhook === undefined ? 'post' : 'webhook_post',
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
    const post: WaitingPost = {
      kind,
      destination,
      sequence: this.#scheduler.nextSequence(),
      make: async () => {
        isSending = true;
        try {
          resolve(await send(signal));
        } catch (error) {
          const limited = this.#rateLimitOf(error);
          if (limited && !signal.aborted) return limited;
          reject(limited ? signal.reason : error);
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

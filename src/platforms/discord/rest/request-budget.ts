/** Discord's rate limits, and the request budget of a token. */

import type { CallLimit, PacingLimits } from '../../chat/pacing/call-ledger.ts';
import type { Clock } from '../../chat/pacing/call-scheduler.ts';
import { createPacer, type Pacer } from '../../chat/pacing/pacer.ts';
import { RateLimitedError } from '../../chat/pacing/platform-error.ts';

/**
 * To Discord, a thread is a channel of its own, but it uses its parent channel's webhook. Webhook requests
 * count for the IP address that they come from, not for the bot.
 */
export const discordLimits = {
  calls: [
    { of: ['post', 'edit'], per: 'everything', calls: 50, windowMs: 1000, basis: 'documented' },
    { of: ['webhook_post'], per: 'everything', calls: 50, windowMs: 1000, basis: 'documented' },
    { of: ['post'], per: 'thread', calls: 5, windowMs: 5000, basis: 'observed' },
    { of: ['edit'], per: 'thread', calls: 5, windowMs: 5000, basis: 'observed' },
    { of: ['webhook_post'], per: 'webhook', calls: 5, windowMs: 2000, basis: 'observed' },
    { of: ['webhook_post'], per: 'channel', calls: 30, windowMs: 60_000, basis: 'observed' },
  ],
  editGapMs: 1500,
} as const satisfies PacingLimits;

/** Discord allows 50; the rest is left to the gateway's client. */
const perSecond = { per: 'everything', calls: 45, windowMs: 1000, basis: 'documented' } as const;

/** Requests authorized by their path count by IP address, not by token. */
const requestLimits: readonly CallLimit[] = [
  { of: ['post'], ...perSecond },
  { of: ['webhook_post'], ...perSecond },
];

export class RequestBudget {
  readonly #first: Pacer;
  readonly #last: Pacer;
  #made = 0;

  constructor(clock: Clock) {
    this.#first = createPacer({ calls: requestLimits, editGapMs: 0 }, clock);
    this.#last = this.#first.inTurn(1);
  }

  /**
   * Makes a request as soon as the limit allows. Requests that can't wait go first, each kind in the order
   * of the calls.
   *
   * @param send - Called again when Discord's global limit rejects it.
   * @returns The result of `send`; rejects as it does.
   */
  async make<Result>(
    request: { readonly isAuthorizedByPath: boolean; readonly canWait: boolean },
    send: () => Promise<Result>,
  ): Promise<Result> {
    const pacer = request.canWait ? this.#last : this.#first;
    const kind = request.isAuthorizedByPath ? 'webhook_post' : 'post';
    this.#made += 1;
    const destination = { thread: `${this.#made}`, channel: '' };
    const sendOnce = async () => {
      const [result] = await Promise.allSettled([send()]);
      const { reason } = result.status === 'rejected' ? result : {};
      if (reason instanceof RateLimitedError && reason.isGlobal) throw reason;
      return result;
    };
    const result = await pacer.post(destination, sendOnce, undefined, kind);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }
}

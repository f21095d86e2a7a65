/** Keeps to the limit that all requests of a token share. */

import type { CallLimit } from '../../chat/pacing/call-limits.ts';
import { CallScheduler, type Clock, type PlannedCall } from '../../chat/pacing/call-scheduler.ts';
import { DiscordRateLimited } from '../discord-error.ts';

/** Discord takes 50; the gateway's client has requests of its own. */
const perSecond = { per: 'everything', calls: 45, windowMs: 1000, basis: 'documented' } as const;

/** Requests that their path authorises are counted by address and not by token. */
const limits: readonly CallLimit[] = [
  { of: ['post'], ...perSecond },
  { of: ['webhook_post'], ...perSecond },
];

export class RequestBudget {
  readonly #scheduler: CallScheduler;

  constructor(clock: Clock) {
    this.#scheduler = new CallScheduler(limits, clock);
  }

  /**
   * Makes a request as soon as the limit allows it; after those that were asked for before, if it
   * has to do without waiting, and after all that have to, if it can wait.
   *
   * @param send - Called again when Discord refuses it because of the limit of the whole token.
   * @returns What `send` gives; rejects as it does.
   */
  make<Result>(
    request: { readonly isAuthorizedByPath: boolean; readonly canWait: boolean },
    send: () => Promise<Result>,
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let isOver = false;
    const call: PlannedCall = {
      kind: request.isAuthorizedByPath ? 'webhook_post' : 'post',
      destination: { thread: '', channel: '' },
      isUrgent: !request.canWait,
      sequence: this.#scheduler.nextSequence(),
      notBefore: 0,
      make: async () => {
        try {
          resolve(await send());
        } catch (error) {
          if (error instanceof DiscordRateLimited && error.isGlobal) return error;
          reject(error);
        }
        isOver = true;
        return undefined;
      },
    };
    this.#scheduler.changed({ next: () => (isOver ? undefined : call) });
    return promise;
  }
}

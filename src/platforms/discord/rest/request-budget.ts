/** What Discord allows, and the budget that all requests of a token share. */

import type { CallKind, CallLimit, PacingLimits } from '../../chat/pacing/call-ledger.ts';
import { CallScheduler, type Clock, type PlannedCall } from '../../chat/pacing/call-scheduler.ts';
import { DiscordRateLimited } from '../discord-error.ts';

const ofBot: readonly CallKind[] = ['post', 'edit'];
const ofWebhook: readonly CallKind[] = ['webhook_post', 'webhook_edit'];

/**
 * A thread is a channel of its own to Discord, but its webhook is its parent channel's. What a webhook
 * does is counted for the address that it comes from, and not for the bot.
 */
export const discordLimits = {
  calls: [
    { of: ofBot, per: 'everything', calls: 50, windowMs: 1000, basis: 'documented' },
    { of: ofWebhook, per: 'everything', calls: 50, windowMs: 1000, basis: 'documented' },
    { of: ['post'], per: 'thread', calls: 5, windowMs: 5000, basis: 'observed' },
    { of: ['edit'], per: 'thread', calls: 5, windowMs: 5000, basis: 'observed' },
    { of: ['webhook_post'], per: 'webhook', calls: 5, windowMs: 2000, basis: 'observed' },
    { of: ['webhook_edit'], per: 'webhook', calls: 5, windowMs: 2000, basis: 'observed' },
    { of: ['webhook_post'], per: 'channel', calls: 30, windowMs: 60_000, basis: 'observed' },
  ],
  editGapMs: 1500,
} as const satisfies PacingLimits;

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
      since: 0,
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

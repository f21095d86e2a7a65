/** What is held for work that calls models, and what its calls have cost so far. */

import type { Log } from '../../domain/log.ts';
import type { CallUsage } from '../../models/chat-model.ts';
import type { Quotas } from '../../queue/quotas.ts';
import type { Store } from '../../store/store.ts';
import type { CallCosts } from './call-costs.ts';
import type { HourlyPlace } from './hourly-limit.ts';

/** A turn that is stored is run to its end, which gives back what it holds; this is for what nobody foresees. */
const turnMs = 86_400_000;
/**
 * While work goes on, what was spent is stored so often at most, in milliseconds: each time is a command
 * or two of the store, and what the work may cost is set aside as long as it lasts.
 */
const settleEveryMs = 2000;

export interface ReservationOptions {
  readonly store: Pick<Store, 'spend'>;
  readonly quotas: Quotas;
  readonly costs: CallCosts;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Names of the purses that pay. */
  readonly purses: readonly string[];
  /** Under which it is held, e.g. a turn's id. */
  readonly holder: string;
  /** Absent: the work was handed over to whoever has this now. */
  readonly place?: HourlyPlace;
}

/**
 * Disposing of it stores what was spent and gives everything back, unless the work was handed over. It
 * never rejects: what was paid is paid, whatever the store says, and a process that dies or can't give
 * back holds nothing for longer than its lease.
 */
export class Reservation implements AsyncDisposable {
  readonly #options: ReservationOptions;
  #isHandedOver: boolean;
  /** A model was called: the hour's place is used, whatever came of the call. */
  #isUsed = false;
  /** Spent, and on its way to no store yet. */
  #owedUsd = 0;
  #settled: Promise<unknown> = Promise.resolve();
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReservationOptions) {
    this.#options = options;
    this.#isHandedOver = options.place === undefined;
  }

  /** Counts a call. */
  count(call: CallUsage): void {
    this.#isUsed = true;
    this.#owedUsd += this.#options.costs.ofCall(call);
  }

  /** As {@link settle}, unless that was done in the last two seconds: a death loses no more than these. */
  settleSometimes(): void {
    if (this.#options.now() - this.#settledAt >= settleEveryMs) void this.settle();
  }

  /** Takes what was counted so far out of the purses. What can't be stored is owed until the next time. */
  async settle(): Promise<void> {
    const { store, purses, log, now } = this.#options;
    const usd = this.#owedUsd;
    this.#owedUsd = 0;
    if (usd > 0) {
      this.#settledAt = now();
      const stored = store.spend(purses, usd).catch((error: unknown) => {
        this.#owedUsd += usd;
        log.warn({ error, purses }, 'what was spent is not counted yet: the store failed');
      });
      this.#settled = Promise.all([this.#settled, stored]);
    }
    await this.#settled;
  }

  /** Holds everything for a turn that is stored by now, until that has ended, in whichever process. */
  async handOver(): Promise<void> {
    const { quotas, holder, place, log } = this.#options;
    this.#isHandedOver = true;
    const kept = place?.keep().catch((error: unknown) => {
      log.warn({ error, holder }, 'a question was not counted: the store failed');
    });
    await Promise.all([quotas.keep(holder, turnMs), kept]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { quotas, holder, place, log } = this.#options;
    await this.settle();
    if (this.#isHandedOver) return;
    const given = [this.#isUsed ? place?.keep() : place?.release(), quotas.release(holder)];
    for (const result of await Promise.allSettled(given)) {
      if (result.status === 'fulfilled') continue;
      log.warn({ error: result.reason, holder }, 'what was held stays held until its lease ends');
    }
  }
}

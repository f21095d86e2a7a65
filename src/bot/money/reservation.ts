/** Reserves a slot in the hourly limit and the cost of work that calls models, and counts what it has cost. */

import { randomUUID } from 'node:crypto';
import type { PlannedCalls } from '../../council/estimate.ts';
import type { Log } from '../../domain/log.ts';
import { channelOf } from '../../domain/thread-id.ts';
import { momentMark, waitInWords } from '../../domain/words.ts';
import type { CallUsage } from '../../models/chat-model.ts';
import type { PriceOf } from '../../models/prices.ts';
import type { Quotas } from '../../queue/coordination.ts';
import { amountKnownMs, Notes, type Store } from '../../store/store.ts';
import { type Bill, type Payer, RefusedError, thisQuestion } from './budgets.ts';

const hourMs = 60 * 60 * 1000;

/**
 * A slot in the hourly limit of a person and channel.
 *
 * @param holder - Identifies it, e.g. a turn's id.
 * @param options.now - Milliseconds since 1970.
 * @returns `undefined`: there is no limit.
 */
export function hourlySlot(
  { threadId, userId, settings }: Payer,
  holder: string,
  {
    store,
    now,
    log,
  }: Pick<ReservationOptions, 'now' | 'log'> & { readonly store: Pick<Store, 'settings'> },
) {
  const limit = settings.questionsPerUserPerHour;
  if (userId === undefined || limit === 'unlimited') return undefined;
  const scope = `rate:${channelOf(threadId)}:${userId}`;
  const notes = new Notes(store.settings, scope, { now, keptMs: hourMs });
  return {
    /**
     * Takes it. Its time is stored at once, so that neither questions at the same moment nor a restart can exceed
     * the limit.
     *
     * @throws {RefusedError} if the person has used up the limit.
     */
    take: async (bill: Bill): Promise<void> => {
      if (await notes.putUpTo(limit, { [holder]: bill.now })) return;
      const asked = [...(await notes.list()).values()];
      const refused = refusal(asked.map(Number), limit, bill);
      const facts = { threadId, userId, reason: refused.message };
      log.info(facts, `${bill.what} exceeds a budget or limit`);
      throw refused;
    },
    /** Releases it unused. */
    release: () => notes.drop([holder]),
  };
}

function refusal(times: readonly number[], limit: number, { now, what }: Bill): RefusedError {
  // If the limit was lowered, several must expire first.
  const surplus = Math.max(0, times.length - limit);
  const freeAt = (times.toSorted((one, other) => one - other)[surplus] ?? now) + hourMs;
  return new RefusedError(
    `You have reached the limit of ${limit === 1 ? 'one question' : `${limit} questions`} an hour in this channel. ` +
      `${what === thisQuestion ? '' : 'Drafts and minutes count as questions. '}` +
      `The next is free in ${waitInWords(freeAt - now)}, at ${momentMark(freeAt)}.`,
    freeAt - now,
  );
}

/** How long a stored turn can hold its reservation, in milliseconds. Normally its end releases it. */
export const turnMs = 86_400_000;
/**
 * The least time between stores of what running work has spent, in milliseconds. Each costs a command or two,
 * and the estimated cost stays reserved anyway.
 */
const settleEveryMs = 2000;

/** Spending that is not stored yet, or only seems not to be. Counted once, however often it is sent in time. */
export interface Amount {
  readonly id: string;
  readonly purses: readonly string[];
  readonly usd: number;
  /** Milliseconds since 1970. */
  readonly spentAt: number;
}

interface ReservationOptions {
  readonly store: Pick<Store, 'spend'>;
  readonly quotas: Quotas;
  readonly costs: CallCosts;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Names of the paying purses. */
  readonly purses: readonly string[];
  /** What the store failed to count, of all reservations of this process. */
  readonly uncounted: Set<Amount>;
  /** Identifies the reservation, e.g. a turn's id. */
  readonly holder: string;
  readonly slot: ReturnType<typeof hourlySlot>;
  /** A stored turn has it already, see {@link Reservation.handOver}. */
  readonly isHandedOver: boolean;
}

/**
 * Disposing of it stores what was spent and releases everything, unless it was handed over. That never rejects:
 * a reservation that can't be released, or whose process dies, expires with its lease.
 */
export class Reservation implements AsyncDisposable {
  readonly #options: ReservationOptions;
  /** Absent: there is no hourly limit. */
  readonly slot: ReturnType<typeof hourlySlot>;
  #isHandedOver: boolean;
  #isUsed = false;
  /** Spent but not sent to the store yet. */
  #owedUsd = 0;
  #settled: Promise<unknown> = Promise.resolve();
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReservationOptions) {
    this.#options = options;
    this.slot = options.slot;
    this.#isHandedOver = options.isHandedOver;
  }

  /** Whether a model was called, which uses up the hourly slot even if the call failed. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Counts a call. */
  count(call: CallUsage): void {
    this.#isUsed = true;
    this.#owedUsd += this.#options.costs.ofCall(call);
  }

  /** Calls {@link settle} unless it ran in the last two seconds. A crash loses no more than these. */
  settleIfDue(): void {
    if (this.#options.now() - this.#settledAt >= settleEveryMs) void this.settle();
  }

  /** Charges the counted calls to the purses. If the store fails, the next call of any reservation retries. */
  async settle(): Promise<void> {
    const { store, purses, uncounted, log, now } = this.#options;
    const spentAt = now();
    if (this.#owedUsd > 0) {
      this.#settledAt = spentAt;
      uncounted.add({ id: randomUUID(), purses, usd: this.#owedUsd, spentAt });
    }
    this.#owedUsd = 0;
    const amounts = [...uncounted].filter((amount) => spentAt - amount.spentAt < amountKnownMs);
    uncounted.clear();
    for (const amount of amounts) {
      const stored = store.spend(amount.purses, amount.usd, amount.id).catch((error: unknown) => {
        uncounted.add(amount);
        log.warn({ error, ...amount }, 'spending is not counted yet: the store failed');
      });
      this.#settled = Promise.all([this.#settled, stored]);
    }
    await this.#settled;
  }

  /** Keeps everything reserved until the stored turn has ended, in any process. */
  async handOver(): Promise<void> {
    const { quotas, holder } = this.#options;
    this.#isHandedOver = true;
    await quotas.keep(holder, turnMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { quotas, holder, log } = this.#options;
    await this.settle();
    if (this.#isHandedOver) return;
    const given = [this.#isUsed ? undefined : this.slot?.release(), quotas.release(holder)];
    for (const result of await Promise.allSettled(given)) {
      if (result.status === 'fulfilled') continue;
      log.warn({ error: result.reason, holder }, 'a reservation stays until its lease ends');
    }
  }
}

/**
 * US dollars charged for a call of a model without a known price: about the cost of a short call of a small
 * model.
 */
export const unknownCallUsd = 0.001;
const unknownEmbeddingUsd = 0.00001;

/** The average adapts to about the last 50 calls. */
const averagedCalls = 50;

/**
 * The cost of calls for budgets, which must hold even without prices. A call without a price costs what earlier calls
 * of its model cost on average, as far as the server stated that, or else a minimum. These figures are not shown:
 * the receipt says that the cost is unknown. A planned call reasons as much as earlier calls of its model did.
 */
export class CallCosts {
  readonly #priceOf: PriceOf;
  /** Of earlier calls, by model. */
  readonly #averages = new Map<string, { calls: number; usd: number; reasoningTokens: number }>();

  constructor(priceOf: PriceOf) {
    this.#priceOf = priceOf;
  }

  /** The cost of a call in US dollars. Call it once per call. */
  ofCall(call: CallUsage): number {
    const { model, inputTokens, outputTokens, costUsd = this.#usdOf(call) } = call;
    // A call without tokens says nothing about the price.
    if (inputTokens + outputTokens > 0) {
      const known = this.#averages.get(model) ?? { calls: 0, usd: 0, reasoningTokens: 0 };
      const calls = Math.min(known.calls + 1, averagedCalls);
      const moved = (average: number, value: number) => average + (value - average) / calls;
      const reasoningTokens = moved(known.reasoningTokens, call.reasoningTokens);
      this.#averages.set(model, { calls, usd: moved(known.usd, costUsd), reasoningTokens });
    }
    return costUsd;
  }

  /** The estimated cost of planned calls in US dollars. */
  ofPlan(plan: readonly PlannedCalls[]): number {
    return plan.reduce((sum, calls) => {
      const { reasoningTokens = 0 } = this.#averages.get(calls.model) ?? {};
      const outputTokens = calls.outputTokens + reasoningTokens;
      return sum + calls.count * this.#usdOf({ ...calls, outputTokens });
    }, 0);
  }

  #usdOf(call: Pick<PlannedCalls, 'model' | 'inputTokens' | 'outputTokens'>): number {
    const { model, inputTokens, outputTokens } = call;
    const floor = outputTokens === 0 ? unknownEmbeddingUsd : unknownCallUsd;
    return (
      this.#priceOf(model, inputTokens, outputTokens) ?? this.#averages.get(model)?.usd ?? floor
    );
  }
}

/** What is held for work that calls models: a slot in the hourly limit, and what its calls may cost and have cost. */

import type { PlannedCalls } from '../../council/estimate.ts';
import type { Log } from '../../domain/log.ts';
import { channelOf } from '../../domain/thread-id.ts';
import { momentMark } from '../../domain/words.ts';
import type { CallUsage } from '../../models/chat-model.ts';
import type { PriceOf } from '../../models/prices.ts';
import type { Quotas } from '../../queue/coordination.ts';
import { Notes, type SettingsStore, type Store } from '../../store/store.ts';
import { type Bill, type Payer, RefusedError, thisQuestion } from './budgets.ts';

const hourMs = 60 * 60 * 1000;

/** A slot in the hourly limit of a person and channel. */
export interface HourlySlot {
  /** Stores it: then it is known when the next one is free, and it outlives the process. */
  keep(): Promise<void>;
  /** Gives it back if it was not used. */
  release(): Promise<void>;
}

const unlimited: HourlySlot = { keep: async () => undefined, release: async () => undefined };

/** When a person had models called in a channel: by what they asked for, in milliseconds since 1970. */
function hourlyNotes({ threadId, userId }: Asker, settings: SettingsStore, now: () => number) {
  const scope = `rate:${channelOf(threadId)}:${userId}`;
  return { scope, notes: new Notes(settings, scope, { now, keptMs: hourMs }) };
}

type Asker = Pick<Payer, 'threadId' | 'userId'>;

/** When a person had models called in this channel, in milliseconds since 1970; times over an hour ago may be missing. */
export async function timesAsked(
  asker: Asker,
  settings: SettingsStore,
  now: () => number,
): Promise<readonly number[]> {
  if (asker.userId === undefined) return [];
  const asked = await hourlyNotes(asker, settings, now).notes.list();
  return [...asked.values()].filter((time) => typeof time === 'number');
}

interface HourlyOptions extends Pick<Bill, 'what' | 'now'> {
  readonly store: { readonly settings: SettingsStore };
  readonly quotas: Quotas;
  /** See {@link timesAsked}. */
  readonly asked: readonly number[];
  /** What the slot is for, e.g. a turn's id. */
  readonly holder: string;
}

/**
 * Takes a slot in the hourly limit.
 *
 * @throws {RefusedError} when the person has used up the limit.
 */
export async function takeHourlySlot(
  payer: Payer,
  { store, quotas, asked, holder, now, what }: HourlyOptions,
): Promise<HourlySlot> {
  const limit = payer.settings.questionsPerUserPerHour;
  if (payer.userId === undefined || limit === 'unlimited') return unlimited;
  const recent = asked.filter((askedAt) => askedAt > now - hourMs);
  if (recent.length >= limit) throw refusal(recent, limit, now, what);
  const { scope, notes } = hourlyNotes(payer, store.settings, () => now);
  // Held separately: everything else is given back when the work has ended.
  const hourly = `asked:${holder}`;
  // Counted in one step, so that none of many at once slips past.
  const taken = await quotas.take(hourly, [{ name: scope, amount: 1, limit }], hourMs);
  if (taken.status === 'refused') {
    // Those that are not stored yet were taken just now.
    const others = Array<number>(limit - recent.length).fill(now);
    throw refusal([...recent, ...others], limit, now, what);
  }
  return { keep: () => notes.put({ [holder]: now }), release: () => quotas.release(hourly) };
}

function refusal(times: readonly number[], limit: number, now: number, what: string): RefusedError {
  // After the limit was lowered, several must expire first.
  const [freesAt = now] = times.toSorted((one, other) => one - other).slice(times.length - limit);
  const freeAt = freesAt + hourMs;
  const minutes = Math.max(1, Math.ceil((freeAt - now) / 60_000));
  return new RefusedError(
    `One person may ask ${limit === 1 ? 'one question' : `${limit} questions`} an hour in this channel, and you have. ` +
      `${what === thisQuestion ? '' : 'Drafts and minutes count as questions. '}` +
      `The next is free in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, at ${momentMark(freeAt)}.`,
    freeAt - now,
  );
}

/** How long a stored turn holds its reservation at most, in milliseconds; normally its end gives it back. */
const turnMs = 86_400_000;
/**
 * How often running work stores what it has spent, at most, in milliseconds. Each time costs the store a
 * command or two, and what the work may cost stays reserved anyway.
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
  /** The name it is held under, e.g. a turn's id. */
  readonly holder: string;
  /** Absent: the turn was handed over, and holds its slot already. */
  readonly slot?: HourlySlot;
}

/**
 * Disposing of it stores what was spent and gives everything back, unless it was handed over. It never
 * rejects: calls are paid for whatever the store says, and a process that dies or can't give back holds
 * nothing for longer than its lease.
 */
export class Reservation implements AsyncDisposable {
  readonly #options: ReservationOptions;
  #isHandedOver: boolean;
  /** A model was called: the hour's slot is used, whatever the call returned. */
  #isUsed = false;
  /** Spent, and not sent to the store yet. */
  #owedUsd = 0;
  #settled: Promise<unknown> = Promise.resolve();
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReservationOptions) {
    this.#options = options;
    this.#isHandedOver = options.slot === undefined;
  }

  /** Counts a call. */
  count(call: CallUsage): void {
    this.#isUsed = true;
    this.#owedUsd += this.#options.costs.ofCall(call);
  }

  /** Calls {@link settle}, unless that was done in the last two seconds: a crash loses no more than these. */
  settleSometimes(): void {
    if (this.#options.now() - this.#settledAt >= settleEveryMs) void this.settle();
  }

  /** Takes what was counted so far out of the purses. What can't be stored is tried again next time. */
  async settle(): Promise<void> {
    const { store, purses, log, now } = this.#options;
    const usd = this.#owedUsd;
    this.#owedUsd = 0;
    if (usd > 0) {
      this.#settledAt = now();
      const stored = store.spend(purses, usd).catch((error: unknown) => {
        this.#owedUsd += usd;
        log.warn({ error, purses }, 'spending is not counted yet: the store failed');
      });
      this.#settled = Promise.all([this.#settled, stored]);
    }
    await this.#settled;
  }

  /** Holds everything for a stored turn until that has ended, in whichever process. */
  async handOver(): Promise<void> {
    const { quotas, holder, slot, log } = this.#options;
    this.#isHandedOver = true;
    const kept = slot?.keep().catch((error: unknown) => {
      log.warn({ error, holder }, 'a question was not counted: the store failed');
    });
    await Promise.all([quotas.keep(holder, turnMs), kept]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { quotas, holder, slot, log } = this.#options;
    await this.settle();
    if (this.#isHandedOver) return;
    const given = [this.#isUsed ? slot?.keep() : slot?.release(), quotas.release(holder)];
    for (const result of await Promise.allSettled(given)) {
      if (result.status === 'fulfilled') continue;
      log.warn({ error: result.reason, holder }, 'a reservation stays until its lease ends');
    }
  }
}

/**
 * US dollars that a call counts for while nothing is known of its model's price: about what a short call of
 * a small model costs.
 */
export const unknownCallUsd = 0.001;
const unknownEmbeddingUsd = 0.00001;

/** How many of the last calls the average follows. */
const averagedCalls = 50;

/**
 * A budget must hold whatever is known. A call of a model without a price counts for the average that its
 * server has stated for earlier calls of this process, and before the first of them for a floor. These
 * figures are shown nowhere: the receipt says that the cost is unknown.
 */
export class CallCosts {
  readonly #priceOf: PriceOf;
  /** By model: the costs that its server has stated. */
  readonly #stated = new Map<string, { readonly calls: number; readonly averageUsd: number }>();

  constructor(priceOf: PriceOf) {
    this.#priceOf = priceOf;
  }

  /** US dollars that a call counts for. Ask once for each call. */
  ofCall({ model, costUsd, inputTokens, outputTokens }: CallUsage): number {
    if (costUsd !== undefined) {
      const { calls, averageUsd } = this.#stated.get(model) ?? { calls: 0, averageUsd: 0 };
      const next = Math.min(calls + 1, averagedCalls);
      // A call that failed before any work says nothing about the price.
      if (inputTokens + outputTokens > 0) {
        const moved = averageUsd + (costUsd - averageUsd) / next;
        this.#stated.set(model, { calls: next, averageUsd: moved });
      }
      return costUsd;
    }
    if (inputTokens + outputTokens === 0) return 0;
    return this.#usdOf({ model, inputTokens, outputTokens });
  }

  /** US dollars that planned calls will count for, roughly. */
  ofPlan(plan: readonly PlannedCalls[]): number {
    return plan.reduce((sum, calls) => sum + calls.count * this.#usdOf(calls), 0);
  }

  #usdOf(call: Pick<PlannedCalls, 'model' | 'inputTokens' | 'outputTokens'>): number {
    const { model, inputTokens, outputTokens } = call;
    const floor = outputTokens === 0 ? unknownEmbeddingUsd : unknownCallUsd;
    return (
      this.#priceOf(model, inputTokens, outputTokens) ??
      this.#stated.get(model)?.averageUsd ??
      floor
    );
  }
}

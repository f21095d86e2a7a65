/** What model calls count for a budget, also when their price is unknown. */

import type { PlannedCalls } from '../../council/estimate.ts';
import type { CallUsage } from '../../models/chat-model.ts';
import type { PriceOf } from '../../models/prices.ts';

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

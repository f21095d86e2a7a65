/** Work in the background that is no person's own: its channel and workspace pay, and it is left when a budget of theirs is spent. */

import type { Store } from '../store/store.ts';
import { type BudgetGuard, type Budgets, budgetsOf, placeSpendScopes } from './budget.ts';
import type { Channel } from './channels.ts';

/** A budget is spent: the work waits until it renews. */
export class BudgetSpentError extends Error {
  override readonly name = 'BudgetSpentError';
}

export interface PaidByPlaceOptions {
  readonly store: Pick<Store, 'spend'>;
  readonly budget: BudgetGuard;
  readonly budgets: Omit<Budgets, 'channelUsdPerDay' | 'userUsdPerDay'>;
}

export interface PaidWork {
  /** Under which what it may cost is set aside; one of a name at a time. */
  readonly name: string;
  readonly threadId: string;
  readonly channel: Pick<Channel, 'settings'>;
  readonly estimatedUsd: number;
  /** What its calls have cost so far. */
  readonly spentUsd: () => number;
}

/** Asks a spent budget also where no price is known. */
const leastUsd = 1e-6;

/** @throws {BudgetSpentError}, and what the work or the store throws. */
export async function paidByPlace<Result>(
  { store, budget, budgets }: PaidByPlaceOptions,
  { name, threadId, channel, estimatedUsd, spentUsd }: PaidWork,
  work: () => Promise<Result>,
): Promise<Result> {
  const { workspaceUsdPerDay } = budgets;
  const payer = { turnId: name, threadId, userId: '' };
  const refusal = await budget.reserve(
    payer,
    Math.max(leastUsd, estimatedUsd),
    budgetsOf(channel, { workspaceUsdPerDay }),
    'remembering this',
  );
  if (refusal) throw new BudgetSpentError(refusal);
  try {
    return await work();
  } finally {
    // Before what was made is kept: what was spent counts, whatever becomes of it.
    const usd = spentUsd();
    if (usd > 0) await store.spend(placeSpendScopes(threadId), usd);
    await budget.release(payer.turnId);
  }
}

/** Compresses what was said, at the cost of its channel and workspace: counted, and left when a budget is spent. */

import type { PriceOf } from '../council/estimate.ts';
import { fence } from '../council/prompts/fence.ts';
import { compressWindow } from '../memory/shards/compress-window.ts';
import type { Compress } from '../memory/shards/keep-windows.ts';
import type { CallUsage } from '../models/chat-model.ts';
import type { Store } from '../store/store.ts';
import { type BudgetGuard, type Budgets, placeSpendScopes } from './budget.ts';
import type { Channel } from './channels.ts';
import type { Log } from './log.ts';
import type { OpenModels } from './turn-run.ts';

/** A budget is spent: what was said waits until it renews. */
export class BudgetSpentError extends Error {
  override readonly name = 'BudgetSpentError';
}

export interface ShardCompressorOptions {
  readonly store: Pick<Store, 'spend'>;
  readonly budget: BudgetGuard;
  readonly budgets: Omit<Budgets, 'channelUsdPerDay' | 'userUsdPerDay'>;
  readonly openModels: OpenModels;
  readonly priceOf: PriceOf;
  readonly log: Log;
}

/** Gives what compresses in a thread. It throws `BudgetSpentError`, or what the model or the store throws. */
export type ShardCompressor = (threadId: string, channel: Channel) => Compress;

/** One window may take so long, in milliseconds. */
const timeoutMs = 120_000;
const charsPerToken = 4;
/** Of the instructions, and of what is made, at most. */
const tokens = { instructions: 300, shard: 400 };
/** Asks a spent budget also where no price is known. */
const leastUsd = 1e-6;

export function shardCompressor(options: ShardCompressorOptions): ShardCompressor {
  const { store, budget, openModels, priceOf, log } = options;
  return (threadId, { settings }) => {
    const { chairModel, channelUsdPerDay, language } = settings;
    const budgets: Budgets = {
      workspaceUsdPerDay: options.budgets.workspaceUsdPerDay,
      ...(channelUsdPerDay === 'unlimited' ? {} : { channelUsdPerDay }),
    };
    return async (sources, signal) => {
      let spentUsd = 0;
      const count = (call: CallUsage) => {
        log.info({ threadId, call }, 'what was said was compressed');
        spentUsd += call.costUsd ?? 0;
      };
      const { compactor: model } = openModels(count, { chair: chairModel });
      const chars = sources.reduce((sum, { text }) => sum + text.length, 0);
      const input = tokens.instructions + chars / charsPerToken;
      const estimatedUsd = Math.max(leastUsd, priceOf(model.id, input, tokens.shard));
      // Nobody's own: a thread's shards are made by one at a time.
      const payer = { turnId: `shards:${threadId}`, threadId, userId: '' };
      const refusal = await budget.reserve(payer, estimatedUsd, budgets, 'remembering this');
      if (refusal) throw new BudgetSpentError(refusal);
      try {
        const compress = compressWindow({ model, language, fencing: fence });
        return await compress(sources, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      } finally {
        // Before the shard is kept: what was spent counts, whatever becomes of it.
        if (spentUsd > 0) await store.spend(placeSpendScopes(threadId), spentUsd);
        await budget.release(payer.turnId);
      }
    };
  };
}

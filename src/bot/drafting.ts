/** Drafts the prompts of custom sages at the cost of whoever asks: refused beforehand where no budget reaches, and counted. */

import { randomUUID } from 'node:crypto';
import { CommandError } from '../../commands/command.ts';
import { estimateDraftUsd, type PriceOf } from '../council/estimate.ts';
import { draftPrompt } from '../council/sage-draft.ts';
import type { Log } from '../domain/log.ts';
import type { CallUsage } from '../models/chat-model.ts';
import type { Store } from '../store/store.ts';
import { type BudgetGuard, type Budgets, budgetsOf, spendScopes } from './budget.ts';
import type { Channel } from './channels.ts';
import type { OpenModels } from './turn-run.ts';

export interface DraftingOptions {
  readonly store: Pick<Store, 'spend'>;
  readonly budget: BudgetGuard;
  readonly budgets: Omit<Budgets, 'channelUsdPerDay'>;
  readonly openModels: OpenModels;
  readonly priceOf: PriceOf;
  readonly log: Log;
}

/** Writes a prompt. Throws `CommandError` when a budget does not reach, or the model can't. */
export type DraftPrompt = (asked: {
  readonly name: string;
  readonly description: string;
}) => Promise<string>;

export function draftingIn(
  channel: Channel,
  threadId: string,
  userId: string,
  options: DraftingOptions,
): DraftPrompt {
  const { store, budget, openModels, priceOf, log } = options;
  const budgets = budgetsOf(channel, options.budgets);
  return async (asked) => {
    let spentUsd = 0;
    const count = (call: CallUsage) => {
      log.info({ call }, 'sage drafted');
      spentUsd += call.costUsd ?? 0;
    };
    const { moderator } = openModels(count, channel.settings);
    const chars = asked.name.length + asked.description.length;
    const estimatedUsd = estimateDraftUsd(moderator.id, priceOf, chars);
    const asker = { turnId: `draft:${randomUUID()}`, threadId, userId };
    const refusal = await budget.reserve(asker, estimatedUsd, budgets, 'this draft');
    if (refusal) throw new CommandError(refusal);
    try {
      const timeoutMs = channel.council.limits.moderatorTimeoutMs;
      const drafted = await draftPrompt(moderator, asked, timeoutMs);
      if (drafted.status === 'drafted') return drafted.prompt;
      throw new CommandError(`No prompt could be drafted. ${drafted.explanation}`);
    } finally {
      if (spentUsd > 0) await store.spend(spendScopes(threadId, userId), spentUsd);
      await budget.release(asker.turnId);
    }
  };
}

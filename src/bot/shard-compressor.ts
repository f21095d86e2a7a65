/** Compresses what was said, at the cost of its channel and workspace: counted, and left when a budget is spent. */

import type { PriceOf } from '../council/estimate.ts';
import type { Log } from '../domain/log.ts';
import { compressWindow } from '../memory/shards/compress-window.ts';
import type { Compress } from '../memory/shards/keep-windows.ts';
import type { CallUsage } from '../models/chat-model.ts';
import type { Channel } from './channels.ts';
import { type PaidByPlaceOptions, paidByPlace } from './paid-by-place.ts';
import type { OpenModels } from './turn-run.ts';

export interface ShardCompressorOptions extends PaidByPlaceOptions {
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

export function shardCompressor(options: ShardCompressorOptions): ShardCompressor {
  const { openModels, priceOf, log } = options;
  return (threadId, channel) => {
    const { language } = channel.settings;
    // A thread's shards are made by one at a time.
    const name = `shards:${threadId}`;
    return async (sources, signal) => {
      let spentUsd = 0;
      const count = (call: CallUsage) => {
        log.info({ threadId, call }, 'what was said was compressed');
        spentUsd += call.costUsd ?? 0;
      };
      const { compactor: model } = openModels(count, channel.settings);
      const chars = sources.reduce((sum, { text }) => sum + text.length, 0);
      const input = tokens.instructions + chars / charsPerToken;
      const estimatedUsd = priceOf(model.id, input, tokens.shard);
      const work = { name, threadId, channel, estimatedUsd, spentUsd: () => spentUsd };
      return paidByPlace(options, work, () => {
        const compress = compressWindow({ model, language });
        return compress(sources, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      });
    };
  };
}

/** Compresses what was said, at the cost of its channel and workspace: counted, and left when a budget is spent. */

import { planShard } from '../../council/estimate.ts';
import { compressWindow } from '../../memory/shards/compress-window.ts';
import type { Compress } from '../../memory/shards/keep-windows.ts';
import { linkSignals } from '../../waiting.ts';
import { workInBackground } from '../money/claims.ts';
import type { Money } from '../money/money.ts';
import type { Channel } from '../places/channels.ts';
import type { TurnModels } from '../running/turn-models.ts';

/** Gives what compresses in a thread. It throws `RefusedError`, or what the model or the store throws. */
export type ShardCompressor = (threadId: string, channel: Channel) => Compress;

/** One window may take so long, in milliseconds. */
const timeoutMs = 120_000;

export function shardCompressor(money: Money): ShardCompressor {
  return (threadId, { settings }) =>
    async (sources, signal) => {
      const chars = sources.reduce((sum, { text }) => sum + text.length, 0);
      const estimate = {
        what: workInBackground,
        calls: ({ compactor }: TurnModels) => [planShard(compactor.id, chars)],
      };
      return money.pay({ threadId, settings }, estimate, async ({ compactor: model }) => {
        const { language } = settings;
        const compress = compressWindow({ model, language });
        using ended = linkSignals(signal, AbortSignal.timeout(timeoutMs));
        return await compress(sources, ended.signal);
      });
    };
}

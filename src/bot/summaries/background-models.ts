/** Models that work in the background. Their calls are paid by the channel and its workspace, and stop when a budget is spent. */

import { planEmbedding, planShard } from '../../council/estimate.ts';
import { compressWindow } from '../../memory/shards/compress-window.ts';
import type { Compress } from '../../memory/shards/keep-windows.ts';
import type { Embedder } from '../../models/embeddings.ts';
import { linkSignals } from '../../waiting.ts';
import { workInBackground } from '../money/budgets.ts';
import type { Estimate, Money } from '../money/money.ts';
import { type Channel, type ChannelsOptions, readChannel } from '../places/channels.ts';

export interface PlaceEmbedderOptions extends ChannelsOptions {
  readonly money: Money;
  /** Name of the embedding model, `provider:model`. */
  readonly model: string;
}

/** Gives the embedder of a thread. It throws `RefusedError`, or what the model or the store throws. */
export function placeEmbedder(options: PlaceEmbedderOptions): (threadId: string) => Embedder {
  const { model, money } = options;
  return (threadId) => ({
    id: model,
    embed: async (texts, signal) => {
      const { channel } = await readChannel(options, threadId);
      const chars = texts.reduce((sum, text) => sum + text.length, 0);
      const estimate = { what: workInBackground, calls: () => [planEmbedding(model, chars)] };
      return money.pay({ threadId, settings: channel.settings }, estimate, async ({ embedder }) => {
        if (!embedder) throw new TypeError(`${model} is not among the models that were opened.`);
        return embedder.embed(texts, signal);
      });
    },
  });
}

/** Gives the function that compresses a thread's messages. It throws `RefusedError`, or what the model or the store throws. */
export type ShardCompressor = (threadId: string, channel: Channel) => Compress;

/** How long compressing one window may take, in milliseconds. */
const timeoutMs = 120_000;

export function shardCompressor(money: Money): ShardCompressor {
  return (threadId, { settings }) =>
    async (sources, signal) => {
      const chars = sources.reduce((sum, { text }) => sum + text.length, 0);
      const estimate: Estimate = {
        what: workInBackground,
        calls: ({ compactor }) => [planShard(compactor.id, chars)],
      };
      return money.pay({ threadId, settings }, estimate, async ({ compactor: model }) => {
        const compress = compressWindow({ model, language: settings.language });
        using ended = linkSignals(signal, AbortSignal.timeout(timeoutMs));
        return await compress(sources, ended.signal);
      });
    };
}

/** Embeds what is remembered, at the cost of its channel and workspace: counted, and left when a budget is spent. */

import { randomUUID } from 'node:crypto';
import { estimateEmbeddingUsd, type PriceOf } from '../council/estimate.ts';
import type { Log } from '../domain/log.ts';
import type { CallUsage } from '../models/chat-model.ts';
import type { Embedder } from '../models/embeddings.ts';
import type { Store } from '../store/store.ts';
import { type ChannelsOptions, readChannel } from './channels.ts';
import { type PaidByPlaceOptions, paidByPlace } from './paid-by-place.ts';
import type { OpenModels } from './turn-run.ts';

export interface PlaceEmbedderOptions extends ChannelsOptions, PaidByPlaceOptions {
  readonly store: Store;
  /** Name of the embedding model, `provider:model`. */
  readonly model: string;
  readonly openModels: OpenModels;
  readonly priceOf: PriceOf;
  readonly log: Log;
}

/** Gives what embeds for a thread. It throws `BudgetSpentError`, or what the model or the store throws. */
export function placeEmbedder(options: PlaceEmbedderOptions): (threadId: string) => Embedder {
  const { model, openModels, priceOf, log } = options;
  return (threadId) => ({
    id: model,
    embed: async (texts, signal) => {
      const { channel } = await readChannel(options, threadId);
      const chars = texts.reduce((sum, text) => sum + text.length, 0);
      const estimatedUsd = estimateEmbeddingUsd(model, priceOf, chars);
      const name = `embedding:${randomUUID()}`;
      let spentUsd = 0;
      const count = (call: CallUsage) => {
        log.info({ threadId, call }, 'what is remembered was embedded');
        spentUsd += call.costUsd ?? 0;
      };
      const { embedder } = openModels(count, channel.settings);
      if (!embedder) throw new TypeError(`${model} is not among the models that were opened.`);
      const work = { name, threadId, channel, estimatedUsd, spentUsd: () => spentUsd };
      return paidByPlace(options, work, () => embedder.embed(texts, signal));
    },
  });
}

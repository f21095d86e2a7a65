/** Embeds what is remembered, at the cost of its channel and workspace: counted, and left when a budget is spent. */

import { planEmbedding } from '../../council/estimate.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { Store } from '../../store/store.ts';
import { type ChannelsOptions, readChannel } from '../places/channels.ts';
import { workInBackground } from './claims.ts';
import type { Money } from './money.ts';

export interface PlaceEmbedderOptions extends ChannelsOptions {
  readonly store: Store;
  readonly money: Money;
  /** Name of the embedding model, `provider:model`. */
  readonly model: string;
}

/** Gives what embeds for a thread. It throws `RefusedError`, or what the model or the store throws. */
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

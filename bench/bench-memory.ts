import type { BotOptions } from '../src/bot/bot.ts';
import { Recollection } from '../src/memory/recall/recollection.ts';
import type { Store } from '../src/store/store.ts';

/** What the bots of the benches remember by: no embedding model, and trouble ends the bench. */
export function benchMemory(store: Store): BotOptions['memory'] {
  return {
    limits: { interactions: 3, chairTurns: 3, memories: 10, budgetTokens: 4000 },
    recollection: new Recollection({
      store: store.memories,
      onTrouble: (error) => {
        throw error;
      },
    }),
    compacted: new Map(),
    // Nothing is made in the background of what is measured.
    shards: { begun: async () => undefined, ended: async () => undefined },
    lock: async () => () => undefined,
    forgetting: {
      preview: () => Promise.reject(new Error('Nothing is forgotten here.')),
      forget: () => Promise.reject(new Error('Nothing is forgotten here.')),
      forgetLater: () => Promise.reject(new Error('Nothing is forgotten here.')),
    },
  };
}

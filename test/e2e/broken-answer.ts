/** A turn whose first answer is stopped within a word. */

import { once } from 'node:events';
import type { CouncilModels } from '../../src/council/council.ts';
import type { ChatModel } from '../../src/models/chat-model.ts';
import { scriptedModels, seating } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';

/** Ada has written `Rewrite the eng` and Ben nothing; both go on until they are stopped. */
export function brokenAnswer(): { readonly models: CouncilModels; readonly begun: Promise<void> } {
  const scripted = scriptedModels({ moderator: [seating(['ada', 'ben'])], sages: { ben: [hang] } });
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const breaking: ChatModel = {
    id: 'test:sage-ada',
    complete: async () => {
      throw new Error('It is asked for a stream alone.');
    },
    async *stream({ signal }) {
      yield { type: 'text', text: '{"answer": "Rewrite the eng' };
      resolve();
      await once(signal, 'abort');
      signal.throwIfAborted();
    },
  };
  const sage: CouncilModels['sage'] = (one) => (one.key === 'ada' ? breaking : scripted.sage(one));
  return { models: { ...scripted, sage }, begun };
}

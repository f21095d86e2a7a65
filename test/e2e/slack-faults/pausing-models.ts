import type { CouncilModels } from '../../../src/council/council.ts';
import type { ChatModel } from '../../../src/models/chat-model.ts';

/** Sages that wait after each piece of their answers, so that what they say is seen to grow. */
export function pausing(models: CouncilModels, pause: () => Promise<unknown>): CouncilModels {
  return {
    ...models,
    sage: (sage) => {
      const model = models.sage(sage);
      return {
        id: model.id,
        complete: (request) => model.complete(request),
        stream: async function* (request) {
          for await (const chunk of model.stream(request)) {
            yield chunk;
            if (chunk.type === 'text') await pause();
          }
        },
      } satisfies ChatModel;
    },
  };
}

/** An answer in as many pieces as it has words, as a sage streams it. */
export function inWords(answer: string): readonly string[] {
  return answer.split(/(?<= )/);
}

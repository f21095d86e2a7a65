/** A turn that is held at each of its stages, for what may happen to its question meanwhile. */

import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import type { CouncilModels } from '../../src/council/council.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../../src/models/chat-model.ts';
import { answer, ranks, scriptedModels, seating, verdict } from '../council/scripted-council.ts';
import { hang, type ScriptedModel } from '../fakes/scripted-model.ts';

/** Stands in the question, and in what is quoted of it before the turn has come to its end. */
export const quoted = 'orchids';

const wordEveryMs = 50;

export interface HeldAt {
  readonly models: CouncilModels;
  /** Resolves when the turn goes no further by itself. */
  held(): Promise<void>;
  /** The calls that are in flight then. */
  inFlight(): readonly ChatRequest[];
}

/** A model that has begun to say something, and goes on until its call is aborted. */
function growing(id: string, begun: string): ChatModel & Pick<ScriptedModel, 'requests'> {
  const requests: ChatRequest[] = [];
  return {
    id,
    requests,
    complete: async () => {
      throw new Error(`${id} is asked for a stream alone.`);
    },
    async *stream(request): AsyncGenerator<ChatChunk> {
      requests.push(request);
      for (let text = begun; ; text = 'and more ') {
        yield { type: 'text', text };
        await wait(wordEveryMs, undefined, { signal: request.signal }).catch(() => undefined);
        request.signal.throwIfAborted();
      }
    },
  };
}

const moderator = [seating(['ada', 'ben'])];
const sages = { ada: [answer('Ada says yes.')], ben: [answer('Ben says no.')] };
const ranking = ranks('Ada says yes.', 'Ben says no.');
const reviews = { ada: [ranking], ben: [ranking] };

function at(models: CouncilModels, ...held: readonly Pick<ScriptedModel, 'requests'>[]): HeldAt {
  const inFlight = () => held.flatMap(({ requests }) => requests);
  return {
    models,
    inFlight,
    held: async () => {
      await expect.poll(() => inFlight().length).toBe(held.length);
    },
  };
}

export const stages = {
  'while it is seated': () => {
    const models = scriptedModels({ moderator: [hang] });
    return at(models, models.moderator);
  },
  'while it is answered': () => {
    const scripted = scriptedModels({ moderator, sages: { ada: sages.ada } });
    const ben = growing('test:sage-ben', `{"answer": "Your ${quoted} need more light, and the `);
    const sage: CouncilModels['sage'] = (one) => (one.key === 'ben' ? ben : scripted.sage(one));
    return at({ ...scripted, sage }, ben);
  },
  'while it is reviewed': () => {
    const models = scriptedModels({ moderator, sages, reviews: { ada: [hang], ben: [hang] } });
    return at(models, models.reviewer({ key: 'ada' }), models.reviewer({ key: 'ben' }));
  },
  'while the verdict is written': () => {
    const scripted = scriptedModels({ moderator, sages, reviews });
    const writing = growing('test:chair', `{"verdict": "Water the ${quoted} less, and `);
    const chair = { ...writing, complete: scripted.chair.complete };
    return at({ ...scripted, chair }, writing);
  },
  'after it has ended': () => at(scriptedModels({ moderator, sages, reviews, chair: [verdict] })),
} satisfies Readonly<Record<string, () => HeldAt>>;

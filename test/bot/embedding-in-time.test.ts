import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import type { Embedder } from '../../src/models/embeddings.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { MemoryKey, Store } from '../../src/store/store.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { inlineLock, noShards, question, startBot } from './bot-fixture.ts';
import { forgetting } from './forgetting.ts';
import { liveShards, pace, sharding, toldTurn } from './sharding.ts';

let store: Store;

beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

const model = 'test:embedding';

function recollect(embed: Embedder['embed']): Recollection {
  return new Recollection({
    store: store.memories,
    embedderOf: () => ({ id: model, embed }),
    onTrouble: (error) => {
      throw error;
    },
  });
}

/** Whether the store has a vector of each. */
async function haveVectors(keys: readonly MemoryKey[]): Promise<readonly boolean[]> {
  return (await store.memories.vectors(model, keys)).map((vector) => vector !== undefined);
}

const toVectors: Embedder['embed'] = async (texts) => ({ vectors: texts.map(() => [1, 0]) });

describe('what was just saved gets its vector without a further question', () => {
  test('a question and each answer to it, the later ones too', async () => {
    const recollection = recollect(toVectors);
    const models = scriptedModels({ sages: { ben: [answer('No.')], ada: [answer('Yes.')] } });
    const { bot, idle, shutDown } = await startBot(
      models,
      {
        memory: {
          limits: { interactions: 3, chairTurns: 3, memories: 10, budgetTokens: 4000 },
          recollection,
          shards: noShards,
          lock: inlineLock(),
          forgetting: forgetting(store),
        },
      },
      store,
    );
    const asked = await bot.ask({ ...question, sages: ['ada', 'ben'], depth: 'quick' });
    await idle();
    await recollection.embedded();
    const { turnId } = asked.status === 'accepted' ? asked : { turnId: '' };
    const { threadId } = question;
    const keys = ['question', 'ada', 'ben'].map(
      (id) => ({ kind: 'message', threadId, id: `${turnId}:${id}` }) as const,
    );
    expect(await haveVectors(keys)).toEqual([true, true, true]);
    await shutDown();
  });

  test('a shard', async () => {
    let now = Date.now();
    const recollection = recollect(toVectors);
    const shards = sharding(store, {
      now: () => now,
      embed: (scope) => recollection.embedSoon(scope),
    });
    await toldTurn(shards, store, 'turn1');
    now += pace.everyMs;
    await shards.runAll();
    await recollection.embedded();
    const made = await liveShards(store);
    expect(made).toHaveLength(1);
    const keys = made.map(({ threadId, id }) => ({ kind: 'shard', threadId, id }) as const);
    expect(await haveVectors(keys)).toEqual([true]);
  });

  test('also what is saved while the model is still busy with what came before', async () => {
    const { promise: isBusy, resolve: beginFirst } = Promise.withResolvers<void>();
    const { promise: first, resolve: endFirst } = Promise.withResolvers<void>();
    const recollection = recollect(async (texts) => {
      beginFirst();
      await first;
      return { vectors: texts.map(() => [1, 0]) };
    });
    const scope = { threadId: question.threadId, reach: 'channel' } as const;
    const message = (id: string, createdAt: number) => ({
      ...({ id, role: 'human', type: 'user_query', status: 'complete' } as const),
      threadId: question.threadId,
      content: { text: id },
      createdAt,
    });
    await store.messages.append([message('one', 1)]);
    recollection.embedSoon(scope);
    await isBusy;
    await store.messages.append([message('two', 2)]);
    recollection.embedSoon(scope);
    endFirst();
    await recollection.embedded();
    const keys = ['one', 'two'].map(
      (id) => ({ kind: 'message', threadId: question.threadId, id }) as const,
    );
    expect(await haveVectors(keys)).toEqual([true, true]);
  });
});

test('a process that ends waits for the vectors it has asked for, until it may wait no longer', async () => {
  const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
  const recollection = recollect(async (texts) => {
    await hold;
    return { vectors: texts.map(() => [1, 0]) };
  });
  const { threadId } = question;
  await store.messages.append([
    {
      ...({ id: 'one', role: 'human', type: 'user_query', status: 'complete' } as const),
      threadId,
      content: { text: 'One.' },
      createdAt: 1,
    },
  ]);
  recollection.embedSoon({ threadId, reach: 'thread' });
  const closing = recollection.close(new AbortController().signal);
  letGo();
  await closing;
  expect(await haveVectors([{ kind: 'message', threadId, id: 'one' }])).toEqual([true]);
});

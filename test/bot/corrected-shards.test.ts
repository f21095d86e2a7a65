/** What becomes of a corrected summary while the background goes on. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { Recollection } from '../../src/memory/recall/recollection.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { scriptedModel } from '../fakes/scripted-model.ts';
import { forgettingIn, inlineLock, startBot } from './bot-fixture.ts';
import { channelManager, here, textOf } from './commanding.ts';
import { askMore, idOf, memory } from './remembered-here.ts';
import { liveShards, pace, type ShardingChanges, sharding } from './sharding.ts';

let store: Store;
let now: number;

beforeEach(() => {
  now = Date.UTC(2026, 10, 20, 10);
  store = openSqliteStore({ path: ':memory:', now: () => now });
});
afterEach(() => store.close());

/** A bot whose summaries are made when the test says so, and what is embedded for it. */
async function start(changes: ShardingChanges = {}) {
  const lock = inlineLock();
  const shards = sharding(store, { ...changes, lock, now: () => now });
  const embedded: string[] = [];
  const recollection = new Recollection({
    store: store.memories,
    embedderOf: () => ({
      id: 'test:embedding',
      embed: async (texts) => {
        embedded.push(...texts);
        return { vectors: texts.map(() => [1, 0]) };
      },
    }),
    onTrouble: (error) => {
      throw error;
    },
  });
  const models = scriptedModels({ sages: { ben: [answer('One.'), answer('Two.')] } });
  const started = await startBot(
    models,
    {
      now: () => now,
      memory: {
        limits: { interactions: 3, chairTurns: 3, memories: 10, budgetTokens: 4000 },
        recollection,
        lock,
        shards: shards.work,
        forgetting: forgettingIn(store),
      },
    },
    store,
  );
  return {
    ...started,
    embedded,
    recollection,
    async sumUp() {
      now += pace.everyMs;
      await shards.runAll();
    },
  };
}

async function live() {
  const shards = await liveShards(store, here.threadId);
  return shards.map(({ text, sourceIds, mark }) => ({ text, mark, sources: sourceIds.length }));
}

const correct = (started: Awaited<ReturnType<typeof start>>, what: string) =>
  memory(started, { do: 'edit', what, text: 'It was May.' }, channelManager);

test('it stays as it is while what is said after it is summed up', async () => {
  const started = await start();
  await askMore(started, 'Should we?');
  await started.sumUp();
  expect(await live()).toMatchObject([{ mark: 'as_said', sources: 2 }]);
  await correct(started, await idOf(started, 'Summary of 2'));
  await askMore(started, 'And then?');
  await started.sumUp();
  expect(await live()).toEqual([
    { text: 'It was May.', mark: 'edited', sources: 2 },
    { text: expect.stringContaining('And then?'), mark: 'as_said', sources: 2 },
  ]);
});

test('it gets a vector of its own text', async () => {
  const started = await start();
  await askMore(started, 'Should we?');
  await started.sumUp();
  await started.recollection.embedded();
  await correct(started, await idOf(started, 'Summary of 2'));
  await started.recollection.embedded();
  expect(started.embedded.at(-1)).toBe('It was May.');
  const [shard] = await liveShards(store, here.threadId);
  const key = { kind: 'shard', threadId: here.threadId, id: shard?.id ?? '' } as const;
  expect(await store.memories.vectors('test:embedding', [key])).toMatchObject([{ dimensions: 2 }]);
});

test('a correction waits for a summary that is being made, and does not undo what it did not see', async () => {
  const released = Promise.withResolvers<string>();
  const compactor = scriptedModel('test:compactor', [
    'Uma asked whether we should. ben said One.',
    () => released.promise,
  ]);
  const started = await start({ model: compactor });
  await askMore(started, 'Should we?');
  await started.sumUp();
  const id = await idOf(started, 'Summary of 2');
  await askMore(started, 'And then?');
  const summing = started.sumUp();
  await expect.poll(() => compactor.requests.length).toBe(2);
  const corrected = correct(started, id);
  const text = 'Uma asked whether we should, and then. ben said One and Two.';
  released.resolve(text);
  await summing;
  expect(textOf(await corrected)).toContain('is remembered here');
  expect(await live()).toEqual([{ text, mark: undefined, sources: 4 }]);
});

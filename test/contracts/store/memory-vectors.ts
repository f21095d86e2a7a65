import { expect } from 'vitest';
import type { MemoryKey, StoredVector } from '../../../src/store/store.ts';
import type { StoreCase } from './case.ts';
import { open, shard } from './memory-samples.ts';
import { answer, newTurn, runningTurn, threadId } from './samples.ts';

const message = (id: string, thread = threadId): MemoryKey => ({
  kind: 'message',
  threadId: thread,
  id,
});
const ofShard = (id: string): MemoryKey => ({ kind: 'shard', threadId, id });
const vector = (model: string, ...values: number[]): StoredVector => ({
  model,
  dimensions: values.length,
  values: Int8Array.from(values),
});

export const memoryVectorCases: readonly StoreCase[] = [
  {
    name: 'keeps vectors of messages and shards, each for the model that made it',
    async run(place) {
      const store = await place.open();
      const other = 'terminal:home:other:thread';
      const elsewhere = open('one', { threadId: other });
      await store.messages.append([open('one'), open('two'), elsewhere]);
      await store.memories.keepShard(shard('one'));
      const here = vector('p:m 1', -128, 0, 127);
      const kept = [
        { key: message('one'), vector: here },
        { key: message('one', other), vector: vector('p:m 1', 3) },
        { key: ofShard('one'), vector: vector('p:m 1', 1, 2) },
      ];
      await store.memories.keepVectors(kept);
      const keys = [message('two'), ...kept.map(({ key }) => key)];
      expect(await store.memories.vectors('p:m 1', keys)).toEqual([
        undefined,
        ...kept.map((one) => one.vector),
      ]);
      expect(await store.memories.vectors('p:m', keys)).toEqual(keys.map(() => undefined));
      await store.memories.keepVectors([{ key: message('one'), vector: vector('p:other', 7) }]);
      expect(await store.memories.vectors('p:m 1', [message('one')])).toEqual([undefined]);
      expect(await store.memories.vectors('p:other', [message('one')])).toEqual([
        vector('p:other', 7),
      ]);
      expect(await store.memories.vectors('p:m 1', [])).toEqual([]);
    },
  },
  {
    name: 'keeps no vector of what is not there, or was superseded',
    async run(place) {
      const store = await place.open();
      await store.messages.append([open('one'), open('two')]);
      await store.memories.keepShard(shard('old'));
      await store.memories.keepVectors([{ key: ofShard('old'), vector: vector('p:m', 1) }]);
      await store.memories.keepShard(shard('new'), ['old']);
      const keys = [message('gone'), ofShard('gone'), ofShard('old')];
      expect(await store.memories.vectors('p:m', keys)).toEqual(keys.map(() => undefined));
      await store.memories.keepVectors(keys.map((key) => ({ key, vector: vector('p:m', 1) })));
      expect(await store.memories.vectors('p:m', keys)).toEqual(keys.map(() => undefined));
    },
  },
  {
    name: 'drops the vector of a text that has changed',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const write = (text: string) => {
        const messages = [answer('one', 'taleb', { content: { text } })];
        return store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages });
      };
      await write('first');
      const key = message('taleb-in-one');
      await store.memories.keepVectors([{ key, vector: vector('p:m', 1) }]);
      await write('second');
      expect(await store.memories.vectors('p:m', [key])).toEqual([undefined]);
    },
  },
];

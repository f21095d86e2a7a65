import { expect } from 'vitest';
import {
  type ForgetRequest,
  forgottenKnownMs,
  type Store,
  SupersededError,
} from '../../../src/store/store.ts';
import { handClock, type StoreCase, startOfTime } from './case.ts';
import { idsIn, open, readAll, shard } from './memory-samples.ts';
import {
  answer,
  endedTurn,
  idsOf,
  imported,
  newTurn,
  otherThreadId,
  runningTurn,
  threadId,
  turnIdsOf,
  turnKey,
} from './samples.ts';

const nothing = { turns: 0, messages: 0, shards: 0 };
const made = [1, -2, 3];

export const forgettingCases: readonly StoreCase[] = [
  {
    name: 'forgets a turn with everything that belongs to it, and nothing else',
    async run(place) {
      const store = await place.open();
      for (const turnId of ['one', 'two']) await endedTurn(store, newTurn(turnId));
      await store.messages.append([imported('kept', 'human')]);
      const before = await store.turns.read(turnKey('two'));
      expect(await forget(store, { turnIds: ['one', 'unknown'] })).toEqual({
        turns: 1,
        messages: 2,
        shards: 0,
      });
      expect(await store.turns.read(turnKey('one'))).toBeUndefined();
      expect(await store.turns.read({ eventId: newTurn('one').eventId, threadId })).toBeUndefined();
      expect(await store.turns.take(turnKey('one'))).toBeUndefined();
      expect(
        await store.turns.remark(turnKey('one'), { kind: 'feedback', key: '', data: {} }),
      ).toBe(false);
      expect(turnIdsOf(await store.turns.list(threadId, { limit: 9 }))).toEqual(['two']);
      expect(turnIdsOf(await store.messages.recent(threadId, { limit: 9 }))).toEqual([
        ...['two', undefined],
      ]);
      const page = await store.messages.page(threadId, { limit: 9 });
      expect(idsOf(page)).toEqual(['kept', 'taleb-in-two', 'question-of-two']);
      expect(await store.turns.read(turnKey('two'))).toEqual(before);
      expect(await forget(store, { turnIds: ['one'] })).toEqual(nothing);
    },
  },
  {
    name: 'forgets the whole turn of a message, and an imported message alone',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one'), ['taleb', 'seneca']);
      await store.messages.append([
        ...[imported('q', 'human'), imported('a', 'ai')],
        imported('of elsewhere', 'ai', { turnId: 'elsewhere' }),
      ]);
      const messageIds = ['seneca-in-one', 'taleb-in-one', 'q', 'q', 'of elsewhere', 'unknown'];
      expect(await forget(store, { messageIds })).toEqual({ turns: 1, messages: 5, shards: 0 });
      expect(idsOf(await store.messages.page(threadId, { limit: 9 }))).toEqual(['a']);
      expect(await store.turns.read(turnKey('one'))).toBeUndefined();
    },
  },
  {
    name: 'forgets nothing of another thread',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one'));
      await store.messages.append([imported('q', 'human')]);
      const elsewhere = { threadId: otherThreadId, turnIds: ['one'], messageIds: ['q'] };
      expect(await store.forget(elsewhere)).toEqual(nothing);
      expect(await store.messages.page(threadId, { limit: 9 })).toHaveLength(3);
    },
  },
  {
    name: 'fences a turn that is forgotten while it runs',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      await forget(store, { turnIds: ['one'] });
      const messages = [answer('one', 'taleb')];
      const late = store.turns.checkpoint({ ...turnKey('one'), attempt, messages });
      await expect(late).rejects.toThrow(SupersededError);
      expect(await store.turns.unfinished(9)).toEqual([]);
      expect(await store.messages.page(threadId, { limit: 9 })).toEqual([]);
    },
  },
  {
    name: 'makes no other turn of an event whose turn was forgotten, for a day',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await endedTurn(store, newTurn('one'));
      await forget(store, { turnIds: ['one'] });
      clock.advance(forgottenKnownMs - 1);
      await store.sweep(100);
      const again = { ...newTurn('again'), eventId: newTurn('one').eventId };
      expect(await store.turns.begin(again)).toMatchObject({ turnId: 'again', isNew: false });
      expect(await store.turns.read(turnKey('again'))).toBeUndefined();
      expect(await store.messages.page(threadId, { limit: 9 })).toEqual([]);
      expect(await store.turns.begin(newTurn('other'))).toMatchObject({ isNew: true });
    },
  },
  {
    name: 'makes no turn of an event that is forgotten before its turn, for a day, and lets one that is there be',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await endedTurn(store, newTurn('one'));
      const eventIds = ['one', 'late'].map((turnId) => newTurn(turnId).eventId);
      expect(await forget(store, { eventIds })).toEqual({ turns: 0, messages: 0, shards: 0 });
      clock.advance(forgottenKnownMs - 1);
      await store.sweep(100);
      expect(await store.turns.begin(newTurn('late'))).toMatchObject({
        turnId: 'late',
        isNew: false,
      });
      expect(await store.turns.read(turnKey('late'))).toBeUndefined();
      expect(await store.turns.read(turnKey('one'))).toBeDefined();
      expect(await store.turns.begin(newTurn('other'))).toMatchObject({ isNew: true });
    },
  },
  {
    name: 'lets go of what a forgotten turn leaves of its id',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one'));
      await forget(store, { turnIds: ['one'] });
      const again = newTurn('one', { eventId: 'terminal:home:another' });
      expect(await store.turns.begin(again)).toMatchObject({ turnId: 'one', isNew: true });
    },
  },
  {
    name: 'keeps what forgotten turns have cost',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one'));
      await store.spend(['user:terminal:home:ada'], 0.25);
      await forget(store, { turnIds: ['one'] });
      expect(await store.spent(['user:terminal:home:ada'], startOfTime)).toEqual([0.25]);
    },
  },
  {
    name: 'forgets vectors, and tells anyone who had read the workspace that it is void',
    async run(place) {
      const store = await place.open();
      const neighbour = open('far', { threadId: 'terminal:home:other:thread' });
      await store.messages.append([open('one'), open('two'), neighbour]);
      const keys = ['one', 'two'].map((id) => ({ kind: 'message', threadId, id }) as const);
      const vector = { model: 'p:m', dimensions: 3, values: Int8Array.from(made) };
      await store.memories.keepVectors(keys.map((key) => ({ key, vector })));
      const elsewhere = await readAll(store, 'channel', { thread: neighbour.threadId });
      await forget(store, { messageIds: ['one'] });
      expect(await store.memories.vectors('p:m', keys)).toEqual([undefined, vector]);
      const { version: since } = elsewhere;
      const anew = await readAll(store, 'channel', { thread: neighbour.threadId, since });
      expect(anew.isAnew).toBe(true);
      expect(idsIn(anew)).toEqual(['far']);
      for (const reach of ['thread', 'channel', 'workspace'] as const) {
        expect(idsIn(await readAll(store, reach)), reach).not.toContain('one');
      }
    },
  },
  {
    name: 'forgets every shard made of what is forgotten, and takes its mark off the rest',
    async run(place) {
      const store = await place.open();
      await store.messages.append(['one', 'two', 'three', 'four'].map((id) => open(id)));
      await store.memories.keepShard(shard('mixed'));
      await store.memories.keepShard(shard('kept', { sourceIds: ['three', 'four'] }));
      const key = { kind: 'shard', threadId, id: 'mixed' } as const;
      const vector = { model: 'p:m', dimensions: 3, values: Int8Array.from(made) };
      await store.memories.keepVectors([{ key, vector }]);
      expect(await forget(store, { messageIds: ['two'] })).toEqual({
        turns: 0,
        messages: 1,
        shards: 1,
      });
      const { messages, shards } = await readAll(store);
      expect(shards).toEqual([shard('kept', { sourceIds: ['three', 'four'] })]);
      expect(messages.map(({ message, shardId }) => [message.id, shardId])).toEqual([
        ...[
          ['one', undefined],
          ['three', 'kept'],
        ],
        ['four', 'kept'],
      ]);
      expect(await store.memories.vectors('p:m', [key])).toEqual([undefined]);
    },
  },
  {
    name: 'forgets what superseded a shard, so that the same can be made anew',
    async run(place) {
      const store = await place.open();
      await store.messages.append(['one', 'two', 'three'].map((id) => open(id)));
      await store.memories.keepShard(shard('first'));
      const whole = { sourceIds: ['one', 'two', 'three'], createdAt: startOfTime + 1 };
      await store.memories.keepShard(shard('second', whole), ['first']);
      expect(await forget(store, { messageIds: ['three'] })).toMatchObject({ shards: 1 });
      expect((await readAll(store)).shards).toEqual([]);
      expect(await store.memories.keepShard(shard('first'))).toBe(true);
      expect((await readAll(store)).shards).toEqual([shard('first')]);
      // A message that only the superseded one was made of is in none.
      await store.messages.append([open('four')]);
      const rest = { sourceIds: ['two', 'four'] };
      await store.memories.keepShard(shard('third', rest), ['first']);
      expect(await forget(store, { messageIds: ['one'] })).toMatchObject({ shards: 0 });
      expect((await readAll(store)).shards).toEqual([shard('third', rest)]);
    },
  },
  {
    name: 'names who asked in the header of each turn',
    async run(place) {
      const store = await place.open();
      await store.turns.begin(newTurn('one', { askedBy: 'ada' }));
      await store.turns.begin(newTurn('two'));
      const [two, one] = await store.turns.list(threadId, { limit: 9 });
      expect(one?.askedBy).toBe('ada');
      expect(two && 'askedBy' in two).toBe(false);
      expect((await store.turns.unfinished(1))[0]?.askedBy).toBe('ada');
      expect((await store.turns.read(turnKey('one')))?.askedBy).toBe('ada');
    },
  },
  {
    name: 'has everything that is kept after it was scrubbed',
    async run(place) {
      const store = await place.open();
      for (const turnId of ['one', 'two']) await endedTurn(store, newTurn(turnId));
      await forget(store, { turnIds: ['one'] });
      const kept = await store.turns.read(turnKey('two'));
      await store.scrub();
      expect(await store.turns.read(turnKey('two'))).toEqual(kept);
      await endedTurn(store, newTurn('three'));
      expect(turnIdsOf(await store.turns.list(threadId, { limit: 9 }))).toEqual(['three', 'two']);
    },
  },
];

function forget(store: Store, named: Partial<Omit<ForgetRequest, 'threadId'>>) {
  return store.forget({ threadId, turnIds: [], messageIds: [], ...named });
}

import { expect } from 'vitest';
import { dayMs, handClock, type StoreCase, startOfTime } from './case.ts';
import { idsIn, open, readAll, shard } from './memory-samples.ts';
import { answer, newTurn, otherThreadId, question, runningTurn, threadId } from './samples.ts';

const sources = [open('one'), open('two')];

export const memoryShardCases: readonly StoreCase[] = [
  {
    name: 'keeps a shard and marks its sources with it',
    async run(place) {
      const store = await place.open();
      await store.messages.append([...sources, open('three')]);
      const made = shard('short', { mark: 'incomplete' });
      expect(await store.memories.keepShard(made)).toBe(true);
      const { messages, shards } = await readAll(store);
      expect(shards).toEqual([made]);
      expect(messages.map(({ message, shardId }) => [message.id, shardId])).toEqual([
        ...[
          ['one', 'short'],
          ['two', 'short'],
        ],
        ['three', undefined],
      ]);
    },
  },
  {
    name: 'keeps a shard that is made twice once, as it was at first',
    async run(place) {
      const store = await place.open();
      await store.messages.append(sources);
      await store.memories.keepShard(shard('short'));
      const { version: since } = await readAll(store);
      expect(await store.memories.keepShard(shard('short', { text: 'Otherwise' }))).toBe(true);
      expect(idsIn(await readAll(store, 'channel', { since }))).toEqual([]);
      expect((await readAll(store)).shards).toEqual([shard('short')]);
    },
  },
  {
    name: 'keeps no shard of what is gone, pending, or of another thread',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('turn'));
      const messages = [answer('turn', 'taleb', { id: 'pending', status: 'pending' })];
      await store.turns.checkpoint({ turnId: 'turn', threadId, attempt, messages });
      await store.messages.append([...sources, open('far', { threadId: otherThreadId })]);
      for (const source of ['gone', 'pending', 'far']) {
        const made = shard(source, { sourceIds: ['one', source] });
        expect(await store.memories.keepShard(made), source).toBe(false);
      }
      const { messages: read, shards } = await readAll(store);
      expect(shards).toEqual([]);
      expect(read.every(({ shardId }) => shardId === undefined)).toBe(true);
    },
  },
  {
    name: 'puts a shard in the place of others, and says so to anyone who had read them',
    async run(place) {
      const store = await place.open();
      await store.messages.append(sources);
      await store.memories.keepShard(shard('old'));
      const { version: since } = await readAll(store);
      const made = shard('new', { createdAt: startOfTime + 5 });
      await store.memories.keepShard(made, ['old', 'unknown']);
      const { shards } = await readAll(store, 'channel', { since });
      const old = shard('old', { text: '', sourceIds: [], supersededAt: startOfTime + 5 });
      expect(shards).toEqual([old, made]);
      expect((await readAll(store)).shards).toEqual([made]);
      const [first] = (await readAll(store)).messages;
      expect(first?.shardId).toBe('new');
    },
  },
  {
    name: 'has no message in two shards: what was made of it before makes room',
    async run(place) {
      const store = await place.open();
      await store.messages.append([...sources, open('three')]);
      await store.memories.keepShard(shard('first'));
      const second = shard('second', { sourceIds: ['two', 'three'] });
      await store.memories.keepShard(second);
      expect((await readAll(store)).shards).toEqual([second]);
      // The first of the same messages is made again.
      expect(await store.memories.keepShard(shard('first'))).toBe(true);
      expect((await readAll(store)).shards).toEqual([shard('first')]);
    },
  },
  {
    name: 'forgets the shard of a question that was imported before it was asked here',
    async run(place) {
      const store = await place.open();
      await store.messages.append([open('one'), open('two')]);
      await store.memories.keepShard(shard('short'));
      const asked = question('turn', { id: 'one', isPrivate: false });
      await store.turns.begin(newTurn('turn', { question: asked }));
      const forgotten = await store.forget({ threadId, turnIds: ['turn'], messageIds: [] });
      expect(forgotten).toMatchObject({ turns: 1, messages: 1, shards: 1 });
      expect((await readAll(store)).shards).toEqual([]);
    },
  },
  {
    name: 'lets a shard be read as far as its sources are',
    async run(place) {
      const store = await place.open();
      const [workspace, channel] = [otherThreadId.split(':', 2).join(':'), threadId];
      await store.messages.append([
        ...sources,
        ...sources.map((one) => ({ ...one, threadId: `${workspace}:c:t` })),
      ]);
      await store.memories.keepShard(shard('secret', { isPrivate: true }));
      await store.memories.keepShard(shard('open', { threadId: `${workspace}:c:t` }));
      const shardsOf = async (thread: string) =>
        (await readAll(store, 'workspace', { thread })).shards.map(({ id }) => id);
      expect(await shardsOf(channel)).toEqual(['secret']);
      expect(await shardsOf('terminal:home:other:t')).toEqual([]);
      expect(await shardsOf(`${workspace}:other:t`)).toEqual(['open']);
      // The channel becomes private, and what was made of it with it.
      const hidden = open('x', { threadId: `${workspace}:c:t`, isPrivate: true });
      await store.messages.append([hidden]);
      expect(await shardsOf(`${workspace}:other:t`)).toEqual([]);
    },
  },
  {
    name: 'forgets a shard whose text was cut in the midst of a sign',
    async run(place) {
      const store = await place.open();
      await store.messages.append([open('one'), open('two')]);
      const cut = String.raw`In short: \ud83d, ${'🦉'.slice(0, 1)}`;
      await store.memories.keepShard(shard('cut', { text: cut }));
      expect(await store.forget({ threadId, turnIds: [], messageIds: ['one'] })).toMatchObject({
        messages: 1,
        shards: 1,
      });
      expect((await readAll(store)).shards).toEqual([]);
    },
  },
  {
    name: 'lets a shard expire with the source that expires first, and sweeps it',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays: 1 });
      const later = startOfTime + dayMs;
      const others = [open('three'), open('four')];
      await store.messages.append(
        [...sources, ...others].map((one) => ({ ...one, createdAt: later })),
      );
      await store.memories.keepShard(shard('short', { createdAt: later }));
      const ofOthers = { sourceIds: ['three', 'four'], createdAt: later, agesFrom: later };
      await store.memories.keepShard(shard('kept', ofOthers));
      clock.advance(dayMs + 1);
      expect((await readAll(store)).shards.map(({ id }) => id)).toEqual(['kept']);
      expect(await store.sweep(100)).toBe(1);
      expect((await readAll(store)).shards.map(({ id }) => id)).toEqual(['kept']);
    },
  },
];

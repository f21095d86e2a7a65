import { expect } from 'vitest';
import { type StoreCase, startOfTime } from './case.ts';
import {
  answer,
  endedTurn,
  idsOf,
  imported,
  newTurn,
  otherThreadId,
  runningTurn,
  threadId,
  turnKey,
} from './samples.ts';

export const messageCases: readonly StoreCase[] = [
  {
    name: 'leaves a message that is appended again as it is',
    async run(place) {
      const store = await place.open();
      const first = imported('one', 'human');
      await store.messages.append([first]);
      await store.messages.append([
        imported('one', 'human', { content: { text: 'Something else' } }),
        imported('two', 'ai'),
      ]);
      const page = await store.messages.page(threadId, { limit: 9 });
      expect(page).toEqual([imported('two', 'ai'), first]);
    },
  },
  {
    name: 'reads a message of long ago, whose content is a bare string, as its text',
    async run(place) {
      const store = await place.open();
      const one = imported('one', 'human', { content: JSON.parse('"Why?"') });
      const two = imported('two', 'ai', { content: JSON.parse('["Because."]') });
      await store.messages.append([one, two]);
      const page = await store.messages.page(threadId, { limit: 9 });
      expect(page.map(({ content }) => content)).toEqual([
        { text: '["Because."]' },
        { text: 'Why?' },
      ]);
      const [interaction] = await store.messages.recent(threadId, { limit: 3 });
      expect(interaction?.question.content).toEqual({ text: 'Why?' });
      const { messages } = await store.memories.read({ threadId, reach: 'thread' }, { limit: 9 });
      expect(messages).toHaveLength(2);
    },
  },
  {
    name: 'leaves the message of a turn as it is when it is appended too',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one'));
      await store.messages.append([imported('taleb-in-one', 'ai')]);
      expect((await store.turns.read(turnKey('one')))?.messages[1]).toEqual(answer('one', 'taleb'));
    },
  },
  {
    name: 'makes an imported message the question of the turn that is asked with its id',
    async run(place) {
      const store = await place.open();
      await store.messages.append([imported('question-of-one', 'human')]);
      const turn = newTurn('one');
      await runningTurn(store, turn);
      expect((await store.turns.read(turnKey('one')))?.messages).toEqual([turn.question]);
      expect(await store.messages.page(threadId, { limit: 9 })).toEqual([turn.question]);
    },
  },
  {
    name: 'keeps messages of two threads apart, even under one id',
    async run(place) {
      const store = await place.open();
      const here = imported('same', 'human', { content: { text: 'here' } });
      const there = imported('same', 'human', {
        threadId: otherThreadId,
        content: { text: 'there' },
      });
      await store.messages.append([here, there]);
      expect(await store.messages.page(threadId, { limit: 9 })).toEqual([here]);
      expect(await store.messages.page(otherThreadId, { limit: 9 })).toEqual([there]);
      expect(await store.messages.page('terminal:home:main', { limit: 9 })).toEqual([]);
    },
  },
  {
    name: 'pages through a thread, newest first, ties by when they were stored',
    async run(place) {
      const store = await place.open();
      await store.messages.append([
        imported('c', 'human', { createdAt: startOfTime + 1 }),
        imported('d', 'ai', { createdAt: startOfTime + 1 }),
        imported('b', 'ai', { createdAt: startOfTime }),
        imported('a', 'human', { createdAt: startOfTime - 1 }),
      ]);
      const page = async (limit: number, before?: number) =>
        idsOf(
          await store.messages.page(threadId, { limit, ...(before !== undefined && { before }) }),
        );
      expect(await page(500)).toEqual(['d', 'c', 'b', 'a']);
      expect(await page(2)).toEqual(['d', 'c']);
      expect(await page(500, startOfTime + 1)).toEqual(['b', 'a']);
      expect(await page(500, startOfTime - 1)).toEqual([]);
    },
  },
  {
    name: 'shows pending messages in a page',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const pending = answer('one', 'taleb', { status: 'pending' });
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages: [pending] });
      expect((await store.messages.page(threadId, { limit: 1 }))[0]).toEqual(pending);
    },
  },
];

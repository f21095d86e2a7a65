import { expect } from 'vitest';
import { type StoreCase, startOfTime } from './case.ts';
import {
  answer,
  endedTurn,
  idsOf,
  imported,
  newTurn,
  otherThreadId,
  question,
  runningTurn,
  threadId,
  turnIdsOf,
} from './samples.ts';

export const recentCases: readonly StoreCase[] = [
  {
    name: 'recalls the last interactions, oldest first, each with its own answers',
    async run(place) {
      const store = await place.open();
      for (const [index, turnId] of ['one', 'two', 'three', 'four'].entries()) {
        await endedTurn(store, newTurn(turnId, { createdAt: startOfTime + index }), ['b', 'a']);
      }
      const recent = await store.messages.recent(threadId, { limit: 3 });
      expect(turnIdsOf(recent)).toEqual(['two', 'three', 'four']);
      expect(recent[0]).toEqual({
        turnId: 'two',
        question: question('two', { createdAt: startOfTime + 1 }),
        answers: ['b', 'a'].map((sage) => answer('two', sage, { createdAt: startOfTime + 1 })),
      });
    },
  },
  {
    name: 'recalls interactions of one moment in the order in which they were stored',
    async run(place) {
      const store = await place.open();
      for (const turnId of ['z', 'a', 'm']) await endedTurn(store, newTurn(turnId));
      const recent = await store.messages.recent(threadId, { limit: 2 });
      expect(turnIdsOf(recent)).toEqual(['a', 'm']);
    },
  },
  {
    name: 'recalls the last interactions before a moment, however many have followed',
    async run(place) {
      const store = await place.open();
      for (const [index, turnId] of ['one', 'two', 'three', 'four'].entries()) {
        await endedTurn(store, newTurn(turnId, { createdAt: startOfTime + index }));
      }
      await store.messages.append([imported('old', 'human', { createdAt: startOfTime - 1 })]);
      const before = startOfTime + 2;
      const recent = await store.messages.recent(threadId, { limit: 2, before });
      expect(turnIdsOf(recent)).toEqual(['one', 'two']);
      const all = await store.messages.recent(threadId, { limit: 50, before });
      expect(turnIdsOf(all)).toEqual([undefined, 'one', 'two']);
    },
  },
  {
    name: 'recalls nothing of another thread',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('theirs', { threadId: otherThreadId }));
      await store.messages.append([imported('theirs', 'human', { threadId: otherThreadId })]);
      expect(await store.messages.recent(threadId, { limit: 50 })).toEqual([]);
      expect(await store.messages.recent(otherThreadId, { limit: 50 })).toHaveLength(2);
    },
  },
  {
    name: 'leaves out turns that have not ended and the one that asks',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one', { createdAt: startOfTime }));
      await endedTurn(store, newTurn('two', { createdAt: startOfTime + 1 }));
      await store.turns.begin(newTurn('queued', { createdAt: startOfTime + 2 }));
      await runningTurn(store, newTurn('running', { createdAt: startOfTime + 3 }));
      await store.messages.append([imported('old', 'human', { createdAt: startOfTime - 1 })]);
      const all = await store.messages.recent(threadId, { limit: 50 });
      expect(turnIdsOf(all)).toEqual([undefined, 'one', 'two']);
      const others = await store.messages.recent(threadId, { limit: 2, exceptTurnId: 'two' });
      expect(turnIdsOf(others)).toEqual([undefined, 'one']);
    },
  },
  {
    name: 'leaves out answers that are still pending',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const pending = answer('one', 'taleb', { status: 'pending' });
      const end = { outcome: 'stopped', endedAt: startOfTime };
      const messages = [pending, answer('one', 'naval')];
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages, end });
      await store.messages.append([
        imported('old', 'human', { createdAt: startOfTime + 1 }),
        imported('half', 'ai', { createdAt: startOfTime + 2, status: 'pending' }),
      ]);
      const recent = await store.messages.recent(threadId, { limit: 3 });
      expect(recent.map(({ answers }) => idsOf(answers))).toEqual([['naval-in-one'], []]);
    },
  },
  {
    name: "recalls a turn's verdict, the last one stored",
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const verdict = (key: string, text: string) => ({
        kind: 'verdict',
        key,
        data: { verdict: text },
      });
      const steps = [
        verdict('draft', 'Perhaps.'),
        verdict('', 'No.'),
        { kind: 'x', key: '', data: {} },
      ];
      const end = { outcome: 'answered', endedAt: startOfTime };
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, steps, end });
      const recent = await store.messages.recent(threadId, { limit: 1 });
      expect(recent[0]?.verdict).toEqual({ verdict: 'No.' });
    },
  },
  {
    name: 'groups imported messages from a human one to the next',
    async run(place) {
      const store = await place.open();
      await store.messages.append([
        imported('stray', 'ai', { createdAt: startOfTime - 1 }),
        imported('q1', 'human'),
        imported('a1', 'ai'),
        imported('a2', 'ai', { createdAt: startOfTime + 1 }),
        imported('q2', 'human', { createdAt: startOfTime + 2 }),
        imported('a3', 'ai', { createdAt: startOfTime + 2 }),
        imported('q3', 'human', { createdAt: startOfTime + 2 }),
      ]);
      const recent = await store.messages.recent(threadId, { limit: 50 });
      expect(recent.map((one) => [one.question.id, ...idsOf(one.answers)])).toEqual([
        ['q1', 'a1', 'a2'],
        ['q2', 'a3'],
        ['q3'],
      ]);
      expect(recent[0]).not.toHaveProperty('turnId');
      const last = await store.messages.recent(threadId, { limit: 1 });
      expect(last.map((one) => one.question.id)).toEqual(['q3']);
    },
  },
  {
    name: 'tells imported messages and turns apart where they are mixed',
    async run(place) {
      const store = await place.open();
      await store.messages.append([
        imported('q1', 'human', { createdAt: startOfTime }),
        imported('a1', 'ai', { createdAt: startOfTime + 1 }),
      ]);
      await endedTurn(store, newTurn('one', { createdAt: startOfTime + 2 }), ['taleb']);
      await store.messages.append([
        imported('a2', 'ai', { createdAt: startOfTime + 3 }),
        imported('q2', 'human', { createdAt: startOfTime + 4 }),
        imported('q4', 'human', { createdAt: startOfTime + 5, turnId: 'from elsewhere' }),
        imported('a4', 'ai', { createdAt: startOfTime + 6, turnId: 'from elsewhere' }),
        imported('a5', 'ai', { createdAt: startOfTime + 7 }),
      ]);
      const recent = await store.messages.recent(threadId, { limit: 50 });
      expect(recent.map((one) => [one.turnId, one.question.id, ...idsOf(one.answers)])).toEqual([
        [undefined, 'q1', 'a1'],
        ['one', 'question-of-one', 'taleb-in-one'],
        [undefined, 'q2'],
        ['from elsewhere', 'q4', 'a4'],
      ]);
    },
  },
  {
    name: 'recalls the first hundred of what follows an imported question',
    async run(place) {
      const store = await place.open();
      const following = Array.from({ length: 101 }, (_, index) => imported(`a${index}`, 'ai'));
      await store.messages.append([imported('q', 'human'), ...following]);
      const [interaction] = await store.messages.recent(threadId, { limit: 1 });
      expect(interaction?.answers).toEqual(following.slice(0, 100));
    },
  },
];

import { expect } from 'vitest';
import { type StoreCase, startOfTime } from './case.ts';
import {
  answer,
  endedTurn,
  idsOf,
  newTurn,
  otherThreadId,
  question,
  runningTurn,
  threadId,
  turnIdsOf,
  turnKey,
  usage,
} from './samples.ts';

export const turnCases: readonly StoreCase[] = [
  {
    name: 'begins a turn with its question, queued and not yet taken',
    async run(place) {
      const store = await place.open();
      const turn = newTurn('one');
      const begun = { turnId: 'one', isNew: true, earlier: [] };
      expect(await store.turns.begin(turn)).toEqual(begun);
      expect(await store.turns.read(turnKey('one'))).toEqual({
        turnId: 'one',
        threadId,
        status: 'queued',
        attempt: 0,
        createdAt: startOfTime,
        request: turn.request,
        messages: [turn.question],
        steps: [],
        usage: [],
      });
    },
  },
  {
    name: 'begins a turn with what is known of it before it runs',
    async run(place) {
      const store = await place.open();
      const steps = [{ kind: 'heard', key: '', data: { messages: ['one', 'two'] } }];
      await store.turns.begin(newTurn('one', { steps }));
      expect((await store.turns.read(turnKey('one')))?.steps).toEqual(steps);
      const emptied = { kind: 'heard', key: '', data: { messages: [] } };
      await store.turns.remark(turnKey('one'), emptied);
      expect((await store.turns.take(turnKey('one')))?.steps).toEqual([emptied]);
    },
  },
  {
    name: 'makes one turn of an event that is delivered twice',
    async run(place) {
      const store = await place.open();
      await store.turns.begin(newTurn('one', { eventId: 'same' }));
      const again = await store.turns.begin(newTurn('two', { eventId: 'same' }));
      expect(again).toMatchObject({ turnId: 'one', isNew: false });
      expect(await store.turns.read(turnKey('two'))).toBeUndefined();
      expect(idsOf(await store.messages.page(threadId, { limit: 9 }))).toEqual(['question-of-one']);
    },
  },
  {
    name: 'tells of a turn which of its thread were stored before it and have not ended',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('ended'));
      await store.turns.begin(newTurn('one'));
      await store.turns.begin(newTurn('beside', { threadId: otherThreadId }));
      await runningTurn(store, newTurn('two'));
      // By the clock of a process that is a little behind.
      const three = newTurn('three', { createdAt: startOfTime - 1 });
      const earlier = ['one', 'two'];
      expect(await store.turns.begin(three)).toEqual({ turnId: 'three', isNew: true, earlier });
      await store.turns.begin(newTurn('four'));
      const again = { ...newTurn('five'), eventId: three.eventId };
      expect(await store.turns.begin(again)).toEqual({ turnId: 'three', isNew: false, earlier });
    },
  },
  {
    name: 'does not look behind the last turn of a thread that has ended',
    async run(place) {
      const store = await place.open();
      await store.turns.begin(newTurn('put aside'));
      for (let number = 0; number < 20; number += 1) await endedTurn(store, newTurn(`n${number}`));
      await store.turns.begin(newTurn('one'));
      for (let number = 0; number < 20; number += 1) {
        await store.turns.begin(newTurn(`later ${number}`, { createdAt: startOfTime + number }));
      }
      const { earlier } = await store.turns.begin(newTurn('last'));
      expect(earlier[0]).toBe('one');
      expect(earlier).toHaveLength(21);
    },
  },
  {
    name: 'lists unfinished turns of one moment in the order in which they were stored',
    async run(place) {
      const store = await place.open();
      const names = ['d', 'b', 'a', 'c'];
      for (const name of names) await store.turns.begin(newTurn(name));
      expect(turnIdsOf(await store.turns.unfinished(9))).toEqual(names);
    },
  },
  {
    name: 'finds a turn by the event that made it',
    async run(place) {
      const store = await place.open();
      await store.turns.begin(newTurn('one', { eventId: 'first' }));
      await endedTurn(store, newTurn('two', { eventId: 'second', threadId: otherThreadId }));
      const found = await store.turns.read({ eventId: 'second', threadId: otherThreadId });
      expect(found).toEqual(await store.turns.read({ turnId: 'two', threadId: otherThreadId }));
      expect(found).toMatchObject({ turnId: 'two', status: 'ended' });
      expect(await store.turns.read({ eventId: 'third', threadId })).toBeUndefined();
      expect(await store.turns.read({ eventId: 'two', threadId })).toBeUndefined();
    },
  },
  {
    name: 'finds a turn from any thread of its workspace, and from none of another',
    async run(place) {
      const store = await place.open();
      const turn = newTurn('one');
      await store.turns.begin(turn);
      const { eventId } = turn;
      const beside = 'terminal:home:other:thread';
      expect(await store.turns.read({ turnId: 'one', threadId: beside })).toBeDefined();
      expect(await store.turns.read({ eventId, threadId: beside })).toBeDefined();
      const elsewhere = { turnId: 'one', threadId: otherThreadId };
      const feedback = { kind: 'feedback', key: '', data: {} };
      expect(await store.turns.read(elsewhere)).toBeUndefined();
      expect(await store.turns.read({ eventId, threadId: otherThreadId })).toBeUndefined();
      expect(await store.turns.take(elsewhere)).toBeUndefined();
      expect(await store.turns.remark(elsewhere, feedback)).toBe(false);
      expect(await store.turns.read(turn)).toMatchObject({ attempt: 0, steps: [] });
    },
  },
  {
    name: 'makes one turn of an event that is delivered many times at once',
    async run(place) {
      const store = await place.open();
      const begun = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.turns.begin(newTurn(`turn-${index}`, { eventId: 'same' })),
        ),
      );
      expect(begun.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(turnIdsOf(begun)).size).toBe(1);
      expect(await store.turns.list(threadId, { limit: 50 })).toHaveLength(1);
    },
  },
  {
    name: 'refuses a second turn under a known id and stores nothing of it',
    async run(place) {
      const store = await place.open();
      await store.turns.begin(newTurn('one'));
      const double = newTurn('one', {
        eventId: 'another event',
        question: question('one', { id: 'another question' }),
      });
      await expect(store.turns.begin(double)).rejects.toThrow();
      expect(idsOf(await store.messages.page(threadId, { limit: 9 }))).toEqual(['question-of-one']);
    },
  },
  {
    name: "refuses a question under the id of another turn's message and stores nothing of it",
    async run(place) {
      const store = await place.open();
      await store.turns.begin(newTurn('one'));
      const clash = newTurn('two', { question: question('two', { id: 'question-of-one' }) });
      await expect(store.turns.begin(clash)).rejects.toThrow(RangeError);
      expect(await store.turns.read(turnKey('two'))).toBeUndefined();
      expect((await store.turns.read(turnKey('one')))?.messages).toEqual([question('one')]);
    },
  },
  {
    name: 'raises the attempt each time a turn is taken, and hands out what is finished',
    async run(place) {
      const store = await place.open();
      const first = await runningTurn(store, newTurn('one'));
      expect(first).toMatchObject({ attempt: 1, status: 'running' });
      const done = {
        messages: [answer('one', 'taleb')],
        steps: [{ kind: 'seated', key: '', data: { seats: ['taleb'] } }],
        usage: [usage('one', 'call-1')],
      };
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt: 1, ...done });
      const second = await store.turns.take(turnKey('one'));
      expect(second).toMatchObject({ attempt: 2, steps: done.steps, usage: done.usage });
      expect(second?.messages).toEqual([question('one'), ...done.messages]);
    },
  },
  {
    name: 'gives nothing to take for a turn that is unknown or has ended',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one'));
      expect(await store.turns.take(turnKey('one'))).toBeUndefined();
      expect(await store.turns.take(turnKey('nobody asked'))).toBeUndefined();
      expect(await store.turns.read(turnKey('nobody asked'))).toBeUndefined();
    },
  },
  {
    name: 'lists the turns of one thread, newest first, ties by when they were stored',
    async run(place) {
      const store = await place.open();
      for (const [turnId, createdAt] of [
        ['second', startOfTime + 1],
        ['third', startOfTime + 1],
        ['first', startOfTime],
        ['fourth', startOfTime + 2],
      ] as const) {
        await store.turns.begin(newTurn(turnId, { createdAt }));
      }
      await store.turns.begin(newTurn('elsewhere', { threadId: otherThreadId }));
      const list = async (limit: number, before?: number) =>
        turnIdsOf(
          await store.turns.list(threadId, { limit, ...(before !== undefined && { before }) }),
        );
      expect(await list(100)).toEqual(['fourth', 'third', 'second', 'first']);
      expect(await list(2)).toEqual(['fourth', 'third']);
      expect(await list(100, startOfTime + 2)).toEqual(['third', 'second', 'first']);
      expect(await list(100, startOfTime)).toEqual([]);
    },
  },
  {
    name: 'gives the turns that have not ended, oldest first',
    async run(place) {
      const store = await place.open();
      await store.turns.begin(newTurn('newest', { createdAt: startOfTime + 9 }));
      await runningTurn(store, newTurn('running', { createdAt: startOfTime + 1 }));
      await store.turns.begin(newTurn('elsewhere', { threadId: otherThreadId }));
      await endedTurn(store, newTurn('ended'));
      const unfinished = await store.turns.unfinished(10);
      expect(turnIdsOf(unfinished)).toEqual(['elsewhere', 'running', 'newest']);
      expect(unfinished[1]).toMatchObject({ status: 'running', attempt: 1 });
      expect(turnIdsOf(await store.turns.unfinished(1))).toEqual(['elsewhere']);
    },
  },
  {
    name: 'has everything when it is opened again',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('one'));
      await runningTurn(store, newTurn('two'));
      await store.settings.write('channel:1', { depth: 'quick' }, { setBy: 'ada', setAt: 1 });
      await store.claim('once', 1000);
      const before = await store.turns.read(turnKey('one'));
      await store.close();
      const again = await place.open();
      expect(await again.turns.read(turnKey('one'))).toEqual(before);
      expect(turnIdsOf(await again.turns.unfinished(9))).toEqual(['two']);
      expect(await again.settings.read(['channel:1'])).toMatchObject([{ depth: { setBy: 'ada' } }]);
      expect(await again.claim('once', 1000)).toBe(false);
    },
  },
];

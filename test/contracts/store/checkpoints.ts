import fc from 'fast-check';
import { expect } from 'vitest';
import { type JsonObject, SupersededError } from '../../../src/store/store.ts';
import { type StoreCase, startOfTime } from './case.ts';
import {
  answer,
  endedTurn,
  newTurn,
  otherThreadId,
  question,
  runningTurn,
  threadId,
  turnKey,
  usage,
} from './samples.ts';

export const checkpointCases: readonly StoreCase[] = [
  {
    name: 'refuses a checkpoint of an attempt that was superseded and stores nothing of it',
    async run(place) {
      const store = await place.open();
      await runningTurn(store, newTurn('one'));
      await store.turns.take(turnKey('one'));
      const late = {
        turnId: 'one',
        threadId,
        attempt: 1,
        messages: [answer('one', 'taleb')],
        steps: [{ kind: 'seated', key: '', data: {} }],
        usage: [usage('one', 'call-1')],
        end: { outcome: 'answered', endedAt: startOfTime },
      };
      await expect(store.turns.checkpoint(late)).rejects.toThrow(SupersededError);
      const record = await store.turns.read(turnKey('one'));
      expect(record).toMatchObject({ status: 'running', attempt: 2, steps: [], usage: [] });
      expect(record?.messages).toHaveLength(1);
    },
  },
  {
    name: 'refuses a checkpoint of a turn that has ended, was never taken or is unknown',
    async run(place) {
      const store = await place.open();
      await endedTurn(store, newTurn('ended'));
      await store.turns.begin(newTurn('queued'));
      await runningTurn(store, newTurn('running'));
      for (const [turnId, attempt, thread] of [
        ['ended', 1, threadId],
        ['queued', 0, threadId],
        ['unknown', 1, threadId],
        // Only under its own thread.
        ['running', 1, 'terminal:home:other:thread'],
        ['running', 1, otherThreadId],
      ] as const) {
        const steps = [{ kind: 'reviewed', key: 'taleb', data: {} }];
        const written = store.turns.checkpoint({ turnId, threadId: thread, attempt, steps });
        await expect(written).rejects.toThrow(SupersededError);
      }
      expect((await store.turns.read(turnKey('ended')))?.steps).toEqual([]);
      expect((await store.turns.read(turnKey('running')))?.steps).toEqual([]);
    },
  },
  {
    name: 'takes a remark at any time, and in the place of one before it',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const bad = { kind: 'feedback', key: 'ada', data: { rating: 'bad' } };
      expect(await store.turns.remark(turnKey('one'), bad)).toBe(true);
      const end = { outcome: 'answered', endedAt: startOfTime };
      const verdict = { kind: 'verdict', key: '', data: { verdict: 'Wait.' } };
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, steps: [verdict], end });
      const good = { ...bad, data: { rating: 'good' } };
      const byBob = { ...bad, key: 'bob' };
      expect(await store.turns.remark(turnKey('one'), byBob)).toBe(true);
      expect(await store.turns.remark(turnKey('one'), good)).toBe(true);
      expect(await store.turns.read(turnKey('one'))).toMatchObject({
        status: 'ended',
        attempt: 1,
        steps: [good, verdict, byBob],
      });
    },
  },
  {
    name: 'takes no remark on a turn that is not there',
    async run(place) {
      const store = await place.open();
      const step = { kind: 'feedback', key: 'ada', data: {} };
      expect(await store.turns.remark(turnKey('one'), step)).toBe(false);
      expect(await store.turns.read(turnKey('one'))).toBeUndefined();
    },
  },
  {
    name: 'stores all of a checkpoint or nothing',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const strays = [
        { messages: [answer('one', 'taleb'), answer('one', 'naval', { threadId: otherThreadId })] },
        { messages: [answer('one', 'taleb'), answer('another turn', 'naval')] },
        { messages: [answer('one', 'taleb', { id: 'question-of-one' })] },
        { usage: [usage('one', 'call-1'), usage('another turn', 'call-2')] },
        { usage: [usage('one', 'call-1'), usage('one', 'call-2', { threadId: otherThreadId })] },
      ];
      for (const stray of strays) {
        const written = store.turns.checkpoint({
          turnId: 'one',
          threadId,
          attempt,
          steps: [{ kind: 'seated', key: '', data: {} }],
          ...stray,
        });
        await expect(written).rejects.toThrow(RangeError);
      }
      const record = await store.turns.read(turnKey('one'));
      expect(record).toMatchObject({ steps: [], usage: [], messages: [question('one')] });
      expect(await store.messages.page(otherThreadId, { limit: 9 })).toEqual([]);
    },
  },
  {
    name: 'completes a pending message under its id, at the place that it had',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const pending = ['taleb', 'naval'].map((sage) =>
        answer('one', sage, { status: 'pending', content: { type: 'sage_output' } }),
      );
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages: pending });
      const post = { platformMessageId: 'post-7', createdAt: startOfTime + 5000 };
      await store.turns.checkpoint({
        turnId: 'one',
        threadId,
        attempt,
        messages: [answer('one', 'taleb', post)],
      });
      expect((await store.turns.read(turnKey('one')))?.messages).toEqual([
        question('one'),
        answer('one', 'taleb', { platformMessageId: 'post-7' }),
        pending[1],
      ]);
    },
  },
  {
    name: 'keeps steps in the order in which they were first stored, the last data of each',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const step = (kind: string, key: string, data: JsonObject) => ({ kind, key, data });
      const stored = [
        step('seated', '', { seats: 2 }),
        step('reviewed', 'taleb', { text: 'first' }),
        step('reviewed', 'naval', { text: 'mine' }),
        step('reviewed', 'taleb', { text: 'second' }),
      ];
      for (const one of stored) {
        await store.turns.checkpoint({ turnId: 'one', threadId, attempt, steps: [one] });
      }
      expect((await store.turns.read(turnKey('one')))?.steps).toEqual([
        stored[0],
        stored[3],
        stored[2],
      ]);
    },
  },
  {
    name: 'ends a turn with its outcome',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const end = { outcome: 'stopped', endedAt: startOfTime + 1234 };
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, end });
      expect(await store.turns.read(turnKey('one'))).toMatchObject({ status: 'ended', ...end });
    },
  },
  {
    name: 'gives back every field exactly, with and without the optional ones',
    async run(place) {
      const store = await place.open();
      const turn = newTurn('one', {
        question: question('one', { parentId: 'parent', platformMessageId: 'post-1' }),
      });
      const { attempt } = await runningTurn(store, turn);
      const full = usage('one', 'call-1', { sageName: 'taleb', estimated: true, costUsd: 1e-7 });
      const { costUsd: _, ...unpriced } = usage('one', 'call-2', { outcome: 'rate_limited' });
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, usage: [full, unpriced] });
      const record = await store.turns.read(turnKey('one'));
      expect(record?.messages).toStrictEqual([turn.question]);
      expect(record?.usage).toStrictEqual([full, unpriced]);
    },
  },
  {
    name: 'gives back any text and any JSON exactly',
    async run(place) {
      const store = await place.open();
      const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
      const json = fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' }));
      let count = 0;
      await fc.assert(
        fc.asyncProperty(text, json, async (author, wild) => {
          count += 1;
          const turnId = `turn-${count}`;
          // JSON has no -0, and nothing but own keys: what it can say is what must come back.
          const data: JsonObject = JSON.parse(JSON.stringify(wild));
          const asked = question(turnId, { author, content: data });
          await runningTurn(store, newTurn(turnId, { request: data, question: asked }));
          const steps = [{ kind: 'verdict', key: author, data }];
          await store.turns.checkpoint({ turnId, threadId, attempt: 1, steps });
          const record = await store.turns.read(turnKey(turnId));
          expect(record).toMatchObject({ messages: [asked], steps });
          expect(JSON.stringify(record?.request)).toBe(JSON.stringify(data));
        }),
        { numRuns: 50 },
      );
    },
  },
];

import { expect } from 'vitest';
import { SupersededError, spendingKeptDays } from '../../../src/store/store.ts';
import { dayMs, handClock, type StoreCase, startOfTime } from './case.ts';
import {
  answer,
  endedTurn,
  idsOf,
  imported,
  newTurn,
  runningTurn,
  threadId,
  turnIdsOf,
  turnKey,
} from './samples.ts';

const retentionDays = 30;

export const expiryCases: readonly StoreCase[] = [
  {
    name: 'keeps what is just as old as the retention',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays });
      await endedTurn(store, newTurn('one'));
      clock.advance(retentionDays * dayMs);
      expect(await store.turns.read(turnKey('one'))).toBeDefined();
      expect(await store.sweep(100)).toBe(0);
      expect(await store.messages.recent(threadId, { limit: 3 })).toHaveLength(1);
    },
  },
  {
    name: 'hides what has expired from every read before it is swept',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays });
      await endedTurn(store, newTurn('ended'));
      const { attempt } = await runningTurn(store, newTurn('running'));
      await store.messages.append([imported('q', 'human'), imported('a', 'ai')]);
      clock.advance(retentionDays * dayMs + 1);
      expect(await store.turns.read(turnKey('ended'))).toBeUndefined();
      expect(
        await store.turns.read({ eventId: newTurn('ended').eventId, threadId }),
      ).toBeUndefined();
      expect(
        await store.turns.remark(turnKey('ended'), { kind: 'feedback', key: '', data: {} }),
      ).toBe(false);
      expect(await store.turns.take(turnKey('running'))).toBeUndefined();
      expect(await store.turns.list(threadId, { limit: 9 })).toEqual([]);
      expect(await store.turns.unfinished(9)).toEqual([]);
      expect(await store.messages.recent(threadId, { limit: 9 })).toEqual([]);
      expect(await store.messages.page(threadId, { limit: 9 })).toEqual([]);
      const written = store.turns.checkpoint({ turnId: 'running', threadId, attempt });
      await expect(written).rejects.toThrow(SupersededError);
    },
  },
  {
    name: 'lets the messages of a turn expire with it, however late they were made',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays });
      const { attempt } = await runningTurn(store, newTurn('one'));
      const late = answer('one', 'taleb', { createdAt: startOfTime + dayMs });
      const end = { outcome: 'answered', endedAt: startOfTime + dayMs };
      await store.turns.checkpoint({ turnId: 'one', threadId, attempt, messages: [late], end });
      clock.advance(retentionDays * dayMs + 1);
      expect(await store.messages.page(threadId, { limit: 9 })).toEqual([]);
    },
  },
  {
    name: 'makes a new turn of an event, under the same ids, whose turn has expired',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays });
      await endedTurn(store, newTurn('one'));
      clock.advance(retentionDays * dayMs + 1);
      const again = newTurn('one', { createdAt: clock.now() });
      expect(await store.turns.begin(again)).toMatchObject({ turnId: 'one', isNew: true });
      expect(await store.turns.read(turnKey('one'))).toMatchObject({
        status: 'queued',
        messages: [again.question],
      });
    },
  },
  {
    name: 'sweeps what has expired in batches, turn groups whole, and nothing else',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays });
      for (const turnId of ['one', 'two']) await endedTurn(store, newTurn(turnId));
      await store.messages.append([imported('q', 'human'), imported('a', 'ai')]);
      clock.advance(retentionDays * dayMs + 1);
      const kept = newTurn('kept', { createdAt: clock.now() });
      await endedTurn(store, kept);
      await store.messages.append([imported('kept', 'human', { createdAt: clock.now() })]);
      expect(await store.sweep(1)).toBe(1);
      expect(await store.sweep(2)).toBe(2);
      expect(await store.sweep(100)).toBe(1);
      expect(await store.sweep(100)).toBe(0);
      await store.close();
      const unlimited = await place.open({ now: clock.now });
      expect(turnIdsOf(await unlimited.turns.list(threadId, { limit: 9 }))).toEqual(['kept']);
      expect(idsOf(await unlimited.messages.page(threadId, { limit: 9 }))).toEqual([
        'kept',
        'taleb-in-kept',
        'question-of-kept',
      ]);
    },
  },
  {
    name: 'sweeps expired claims',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await store.claim('short', 10);
      await store.claim('long', 1000);
      clock.advance(10);
      expect(await store.sweep(100)).toBe(1);
      expect(await store.claim('long', 1000)).toBe(false);
    },
  },
  {
    name: 'keeps the sums of spending longer than what was said, but not for ever',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays });
      await store.spend(['user:terminal:home:ada'], 0.25);
      clock.advance(spendingKeptDays * dayMs);
      while ((await store.sweep(100)) > 0);
      expect(await store.spent(['user:terminal:home:ada'], startOfTime)).toEqual([0.25]);
      clock.advance(dayMs);
      expect(await store.spent(['user:terminal:home:ada'], startOfTime)).toEqual([0]);
      expect(await store.sweep(100)).toBe(1);
    },
  },
  {
    name: 'lets nothing expire without a retention',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await endedTurn(store, newTurn('one', { createdAt: 0 }));
      clock.advance(10_000 * dayMs);
      expect(await store.sweep(100)).toBe(0);
      expect(await store.messages.recent(threadId, { limit: 1 })).toHaveLength(1);
    },
  },
];

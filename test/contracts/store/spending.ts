import { expect } from 'vitest';
import { dayMs, handClock, hourMs, type StoreCase, startOfTime } from './case.ts';
import { newTurn, runningTurn, threadId, turnKey, usage } from './samples.ts';

export const spendingCases: readonly StoreCase[] = [
  {
    name: 'adds what was spent to every scope once, and tells it in the order asked for',
    async run(place) {
      const store = await place.open();
      await store.spend(['user:terminal:home:ada', 'all:terminal:home'], 0.5);
      await store.spend(
        ['user:terminal:home:bob', 'all:terminal:home', 'all:terminal:home', 'total:any:any'],
        1,
      );
      const scopes = [
        'all:terminal:home',
        'user:terminal:home:bob',
        'user:terminal:home:nobody',
        'user:terminal:home:ada',
        'total:any:any',
      ];
      expect(await store.spent(scopes, startOfTime)).toEqual([1.5, 1, 0, 0.5, 1]);
      expect(await store.spent([], startOfTime)).toEqual([]);
    },
  },
  {
    name: 'keeps a call that is stored twice once, and one whose cost no one knows',
    async run(place) {
      const store = await place.open();
      const { attempt } = await runningTurn(store, newTurn('one'));
      const event = usage('one', 'call-1');
      const { costUsd: _, ...unpriced } = usage('one', 'call-2');
      for (const calls of [
        [event, event],
        [event, unpriced],
      ]) {
        await store.turns.checkpoint({ turnId: 'one', threadId, attempt, usage: calls });
      }
      expect((await store.turns.read(turnKey('one')))?.usage).toEqual([event, unpriced]);
    },
  },
  {
    name: 'counts by whole UTC days',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      const scopes = ['user:terminal:home:ada'];
      await store.spend(scopes, 1);
      clock.advance(12 * hourMs - 1);
      await store.spend(scopes, 1);
      clock.advance(1);
      await store.spend(scopes, 0.125);
      const spent = async (since: number) => (await store.spent(scopes, since))[0];
      expect(await spent(startOfTime - dayMs)).toBe(2.125);
      expect(await spent(startOfTime + hourMs)).toBe(2.125);
      expect(await spent(startOfTime + dayMs)).toBe(0.125);
      expect(await spent(startOfTime + 2 * dayMs)).toBe(0);
    },
  },
];

import { expect } from 'vitest';
import type { Store, UsageEvent } from '../../../src/store/store.ts';
import { dayMs, handClock, hourMs, type StoreCase, startOfTime } from './case.ts';
import { newTurn, runningTurn, threadId, turnKey, usage } from './samples.ts';

async function spend(store: Store, events: readonly UsageEvent[], spendScopes: readonly string[]) {
  await store.turns.checkpoint({ turnId: 'one', threadId, attempt: 1, usage: events, spendScopes });
}

export const spendingCases: readonly StoreCase[] = [
  {
    name: 'adds what calls cost to every scope, in the order asked for',
    async run(place) {
      const store = await place.open();
      await runningTurn(store, newTurn('one'));
      await spend(
        store,
        [usage('one', 'call-1'), usage('one', 'call-2')],
        ['user:terminal:home:ada', 'all:terminal:home'],
      );
      await spend(
        store,
        [usage('one', 'call-3', { costUsd: 1 })],
        ['user:terminal:home:bob', 'all:terminal:home', 'all:terminal:home'],
      );
      const scopes = [
        'all:terminal:home',
        'user:terminal:home:bob',
        'user:terminal:home:nobody',
        'user:terminal:home:ada',
      ];
      expect(await store.spent(scopes, startOfTime)).toEqual([1.5, 1, 0, 0.5]);
      expect(await store.spent([], startOfTime)).toEqual([]);
    },
  },
  {
    name: 'counts a usage event that is stored twice once',
    async run(place) {
      const store = await place.open();
      await runningTurn(store, newTurn('one'));
      const event = usage('one', 'call-1');
      await spend(store, [event, event], ['user:terminal:home:ada']);
      await spend(store, [event, usage('one', 'call-2')], ['user:terminal:home:ada']);
      expect(await store.spent(['user:terminal:home:ada'], startOfTime)).toEqual([0.5]);
      expect((await store.turns.read(turnKey('one')))?.usage).toEqual([
        event,
        usage('one', 'call-2'),
      ]);
    },
  },
  {
    name: 'counts by whole UTC days',
    async run(place) {
      const store = await place.open();
      await runningTurn(store, newTurn('one'));
      const at = (id: string, createdAt: number) => usage('one', id, { createdAt, costUsd: 1 });
      await spend(
        store,
        [
          at('yesterday', startOfTime - dayMs),
          at('this morning', startOfTime - 11 * hourMs),
          at('tomorrow', startOfTime + dayMs),
        ],
        ['user:terminal:home:ada'],
      );
      const spent = async (since: number) =>
        (await store.spent(['user:terminal:home:ada'], since))[0];
      expect(await spent(startOfTime - dayMs)).toBe(3);
      expect(await spent(startOfTime)).toBe(2);
      expect(await spent(startOfTime + dayMs)).toBe(1);
      expect(await spent(startOfTime + 2 * dayMs)).toBe(0);
    },
  },
  {
    name: 'stores a call whose cost nobody knows without counting it',
    async run(place) {
      const store = await place.open();
      await runningTurn(store, newTurn('one'));
      const { costUsd: _, ...unpriced } = usage('one', 'call-1');
      await spend(store, [unpriced], ['user:terminal:home:ada']);
      expect(await store.spent(['user:terminal:home:ada'], startOfTime)).toEqual([0]);
      expect((await store.turns.read(turnKey('one')))?.usage).toEqual([unpriced]);
    },
  },
  {
    name: 'adds what calls of no turn cost to each scope, at the day on which they are told',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now });
      await runningTurn(store, newTurn('one'));
      await spend(store, [usage('one', 'call-1')], ['user:terminal:home:ada']);
      await store.spend(['user:terminal:home:ada', 'all:terminal:home', 'all:terminal:home'], 0.5);
      clock.advance(dayMs);
      await store.spend(['user:terminal:home:ada'], 0.125);
      const scopes = ['user:terminal:home:ada', 'all:terminal:home', 'user:terminal:home:bob'];
      expect(await store.spent(scopes, startOfTime)).toEqual([0.875, 0.5, 0]);
      expect(await store.spent(scopes, startOfTime + dayMs)).toEqual([0.125, 0, 0]);
    },
  },
];

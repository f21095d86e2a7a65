import { expect } from 'vitest';
import type { Store, TurnSteps } from '../../../src/store/store.ts';
import { dayMs, handClock, type StoreCase, startOfTime } from './case.ts';
import { endedTurn, imported, newTurn, runningTurn } from './samples.ts';

const mostPages = 20;

export const threadCases: readonly StoreCase[] = [
  {
    name: 'lists the threads of a channel and of a workspace, and no others',
    async run(place) {
      const store = await place.open();
      const threads = ['p:w:c:1', 'p:w:c:2', 'p:w:c2:1', 'p:w2:c:1', 'q:w:c:1', 'p:w:c:{%}'];
      for (const threadId of threads) {
        await store.messages.append([imported('one', 'human', { threadId })]);
      }
      await endedTurn(store, newTurn('one', { threadId: 'p:w:c:2' }));
      await endedTurn(store, newTurn('two', { threadId: 'p:w:c3:1' }));
      expect(await allThreads(store, 'p:w:c')).toEqual(['p:w:c:1', 'p:w:c:2', 'p:w:c:{%}']);
      expect(await allThreads(store, 'p:w')).toEqual([
        ...['p:w:c2:1', 'p:w:c3:1', 'p:w:c:1', 'p:w:c:2', 'p:w:c:{%}'],
      ]);
      expect(await allThreads(store, 'p:w2')).toEqual(['p:w2:c:1']);
      expect(await allThreads(store, 'p:unknown')).toEqual([]);
    },
  },
  {
    name: 'goes on with the threads of a place when those of the page before are gone',
    async run(place) {
      const store = await place.open();
      for (const name of ['1', '2', '3', '4', '5']) {
        await endedTurn(store, newTurn(`turn ${name}`, { threadId: `p:w:c:${name}` }));
      }
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const options = { limit: 2, ...(after !== undefined && { after }) };
        const page = await store.messages.threads('p:w', options);
        for (const threadId of page.threadIds) {
          seen.push(threadId);
          const turnIds = [`turn ${threadId.split(':').at(-1)}`];
          await store.forget({ threadId, turnIds, messageIds: [] });
        }
        after = page.next;
      } while (after !== undefined && seen.length < mostPages);
      expect(seen.toSorted()).toEqual(['p:w:c:1', 'p:w:c:2', 'p:w:c:3', 'p:w:c:4', 'p:w:c:5']);
      expect(await allThreads(store, 'p:w')).toEqual([]);
    },
  },
  {
    name: 'lists no thread of which all has expired',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays: 1 });
      await endedTurn(store, newTurn('old', { threadId: 'p:w:c:old' }));
      await store.messages.append([imported('old', 'human', { threadId: 'p:w:c:old' })]);
      clock.advance(dayMs + 1);
      const fresh = newTurn('new', { threadId: 'p:w:c:new', createdAt: clock.now() });
      await endedTurn(store, fresh);
      expect(await allThreads(store, 'p:w')).toEqual(['p:w:c:new']);
    },
  },
  {
    name: 'gives the wanted steps of all ended turns of a channel and of a workspace, page by page',
    async run(place) {
      const store = await place.open();
      const threads = ['p:w:c:1', 'p:w:c:{%}', 'p:w:c2:1', 'p:w2:c:1', 'q:w:c:1'];
      for (const threadId of threads) {
        for (const count of [1, 2, 3]) await scoredTurn(store, `${threadId} ${count}`, threadId);
      }
      await runningTurn(store, newTurn('running', { threadId: 'p:w:c:1' }));
      await store.messages.append([imported('one', 'human', { threadId: 'p:w:c:3' })]);
      const inChannel = ['p:w:c:1', 'p:w:c:{%}'].flatMap((id) => [`${id} 1`, `${id} 2`, `${id} 3`]);
      for (const limit of [1, 2, 3, 500]) {
        const found = await allSteps(store, 'p:w:c', { limit });
        expect(found.map(({ turnId }) => turnId).toSorted()).toEqual(inChannel);
        expect(found.find(({ turnId }) => turnId === 'p:w:c:1 2')).toEqual({
          turnId: 'p:w:c:1 2',
          threadId: 'p:w:c:1',
          createdAt: startOfTime,
          steps: [
            { kind: 'scored', key: '', data: { of: 'p:w:c:1 2' } },
            { kind: 'feedback', key: 'ada', data: { rating: 'good' } },
            { kind: 'feedback', key: 'ben', data: { rating: 'bad' } },
          ],
        });
      }
      expect(await allSteps(store, 'p:w', { limit: 4 })).toHaveLength(9);
      expect(await allSteps(store, 'p:unknown', { limit: 4 })).toEqual([]);
    },
  },
  {
    name: 'gives no steps of turns that are older than wanted, have expired or were forgotten',
    async run(place) {
      const clock = handClock();
      const store = await place.open({ now: clock.now, retentionDays: 2 });
      const at = (turnId: string) => ({ threadId: 'p:w:c:1', createdAt: clock.now(), turnId });
      await endedTurn(store, newTurn('expired', at('expired')));
      clock.advance(dayMs + 1);
      await endedTurn(store, newTurn('older', at('older')));
      clock.advance(dayMs);
      const since = clock.now();
      await endedTurn(store, newTurn('kept', at('kept')));
      await endedTurn(store, newTurn('forgotten', at('forgotten')));
      await store.forget({ threadId: 'p:w:c:1', turnIds: ['forgotten'], messageIds: [] });
      const ids = async (from: number) =>
        (await allSteps(store, 'p:w:c', { limit: 2, since: from })).map(({ turnId }) => turnId);
      expect(await ids(0)).toEqual(['older', 'kept']);
      expect(await ids(since)).toEqual(['kept']);
    },
  },
];

/** With steps of three kinds, two of which {@link allSteps} asks for. */
async function scoredTurn(store: Store, turnId: string, threadId: string): Promise<void> {
  const { attempt } = await runningTurn(store, newTurn(turnId, { threadId, eventId: turnId }));
  const step = { turnId, threadId, attempt };
  await store.turns.checkpoint({
    ...step,
    steps: [
      { kind: 'seated', key: '', data: { seats: [] } },
      { kind: 'scored', key: '', data: { of: turnId } },
    ],
    end: { outcome: 'answered', endedAt: startOfTime + 1 },
  });
  for (const [key, rating] of [
    ['ada', 'good'],
    ['ben', 'bad'],
  ] as const) {
    await store.turns.remark(step, { kind: 'feedback', key, data: { rating } });
  }
}

async function allSteps(
  store: Store,
  place: string,
  { limit, since = 0 }: { readonly limit: number; readonly since?: number },
): Promise<readonly TurnSteps[]> {
  const found: TurnSteps[] = [];
  let after: string | undefined;
  do {
    const options = { kinds: ['scored', 'feedback'], since, limit };
    const page = await store.turns.steps(place, {
      ...options,
      ...(after !== undefined && { after }),
    });
    found.push(...page.turns);
    after = page.next;
  } while (after !== undefined && found.length < 100);
  return found;
}

/** In the order of their ids. */
async function allThreads(store: Store, place: string): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const options = { limit: 2, ...(after !== undefined && { after }) };
    const { threadIds, next } = await store.messages.threads(place, options);
    found.push(...threadIds);
    if (next === undefined) return found.toSorted();
    after = next;
  }
  throw new Error('The threads come to no end.');
}

import { expect } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { dayMs, handClock, type StoreCase } from './case.ts';
import { endedTurn, imported, newTurn } from './samples.ts';

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
      for (const limit of [0, 501, 1.5]) {
        await expect(store.messages.threads('p:w', { limit })).rejects.toThrow(RangeError);
      }
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
];

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

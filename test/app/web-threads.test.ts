import { expect, test } from 'vitest';
import { WebThreads } from '../../src/app/web-threads.ts';
import type { Message } from '../../src/store/store.ts';

const page = { limit: 10 };

/** A store whose channels say what the test has them say, and that counts how often each is read from its start. */
function sayingStore() {
  const said = new Map<string, string>();
  const readAnew = new Map<string, number>();
  const messageOf = (threadId: string, text: string): Message => ({
    id: 'one',
    threadId,
    turnId: 'turn',
    role: 'human',
    type: 'user_query',
    author: 'Ada',
    status: 'complete',
    content: { type: 'user_query', text },
    createdAt: 1,
    isPrivate: false,
  });
  const store: ConstructorParameters<typeof WebThreads>[0] = {
    turns: { list: async () => [] },
    memories: {
      async read({ threadId }, { since }) {
        const isAnew = since === undefined;
        if (isAnew) readAnew.set(threadId, (readAnew.get(threadId) ?? 0) + 1);
        const message = messageOf(`${threadId}thread`, said.get(threadId) ?? '');
        return {
          version: '1',
          isAnew,
          hasMore: false,
          keptSince: 0,
          shards: [],
          messages: [{ message, position: 1, agesFrom: 1 }],
        };
      },
    },
  };
  return { store, said, timesRead: (channel: string) => readAnew.get(`${channel}:`) };
}

test('keeps the messages of channels together within a limit, the ones listed last', async () => {
  const { store, said, timesRead } = sayingStore();
  const threads = new WebThreads(store);
  const list = (channel: string) => threads.list(channel, page, 'ada');
  said.set('web:a:council:', 'x'.repeat(15_000_000));
  said.set('web:b:council:', 'x'.repeat(15_000_000));
  for (const channel of ['web:a:council', 'web:b:council', 'web:a:council']) await list(channel);
  expect(timesRead('web:a:council')).toBe(1);
  said.set('web:c:council:', 'x'.repeat(15_000_000));
  for (const channel of ['web:c:council', 'web:a:council', 'web:b:council']) await list(channel);
  expect(['a', 'b', 'c'].map((name) => timesRead(`web:${name}:council`))).toEqual([1, 2, 1]);
});

test('measures a channel again as it grows, and keeps none that is over the limit', async () => {
  const { store, said, timesRead } = sayingStore();
  const threads = new WebThreads(store);
  const list = () => threads.list('web:a:council', page, 'ada');
  await list();
  await list();
  expect(timesRead('web:a:council')).toBe(1);
  said.set('web:a:council:', 'x'.repeat(33_000_000));
  for (let time = 0; time < 3; time += 1) await list();
  expect(timesRead('web:a:council')).toBe(3);
});

test('finds words however their letters are composed, in any capitals and width', async () => {
  const { store, said } = sayingStore();
  const turn = { turnId: 'turn', status: 'ended', attempt: 0, createdAt: 1 } as const;
  const list = async (threadId: string) => [{ ...turn, threadId }];
  const threads = new WebThreads({ ...store, turns: { list } });
  said.set('web:a:council:', 'İstanbul, São Paulo, ガッコウ');
  for (const search of ['istanbul', 'SÃO', 'são'.normalize('NFD'), 'ｶﾞｯｺｳ']) {
    const found = await threads.list('web:a:council', { search, limit: 10 }, 'ada');
    expect([search, found.length]).toEqual([search, 1]);
  }
});

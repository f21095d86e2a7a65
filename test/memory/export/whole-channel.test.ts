import { expect, test } from 'vitest';
import { exportedSteps } from '../../../src/bot/commands/export.ts';
import type { Export, ExportedThread } from '../../../src/memory/export/export.ts';
import { exportFile, textWithin } from '../../../src/memory/export/export-file.ts';
import { importThreads } from '../../../src/memory/export/import-threads.ts';
import { openThread, readPlace } from '../../../src/memory/export/read-place.ts';
import { messagesOldestFirst } from '../../../src/memory/pages.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Message, Store } from '../../../src/store/store.ts';
import { endedTurn, newTurn } from '../../contracts/store/samples.ts';
import { exportOf, quietly, wholeThread } from './exports.ts';

const channel = 'discord:guild:channel';
const old = `${channel}:old`;
const place = { threadId: `${channel}:new`, reach: 'channel' } as const;

function said(threadId: string, createdAt: number): Message {
  return {
    id: `${threadId} ${createdAt}`,
    threadId,
    createdAt,
    isPrivate: false,
    ...({ role: 'human', type: 'user_query', status: 'complete', author: 'Uma' } as const),
    content: { type: 'user_query', text: `Said at ${createdAt}.` },
  };
}

/** A thread of long ago, one of 2,500 messages after it, and a thread of another channel. */
async function longChannel(): Promise<Store> {
  const store = openSqliteStore({ path: ':memory:' });
  const newer = Array.from({ length: 2500 }, (_, at) => said(place.threadId, 10 + at));
  await store.messages.append([said(old, 1), ...newer, said('discord:guild:other:x', 5)]);
  return store;
}

async function wholeChannel(store: Store): Promise<Export> {
  const threads: ExportedThread[] = [];
  const read = await readPlace(store, place, 'shell', exportedSteps);
  for await (const thread of read.threads) {
    threads.push(await wholeThread(thread));
  }
  return exportOf(channel, threads);
}

const namesIn = ({ threads }: Export) => threads.map(({ threadId }) => threadId);

test('the operator takes along every thread of a channel, however old, and none of another', async () => {
  const store = await longChannel();
  const exported = await wholeChannel(store);
  expect(namesIn(exported)).toEqual([place.threadId, old]);
  expect(exported.threads[0]?.messages).toHaveLength(2500);
  await store.close();
});

test('a long channel is read in portions, and whatever waits goes in between', async () => {
  const store = await longChannel();
  for (let at = 0; at < 40; at += 1) {
    await endedTurn(store, newTurn(`turn-${at}`, { threadId: place.threadId, createdAt: at }));
  }
  let wentBetween = 0;
  const count = () => {
    wentBetween += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const { threads } = await readPlace(store, place, 'shell', exportedSteps);
  for await (const { messages } of threads) for await (const _ of messages);
  const forMessages = wentBetween;
  for await (const { turns } of threads) for await (const _ of turns);
  clearImmediate(counting);
  expect(forMessages).toBeGreaterThanOrEqual(12);
  expect(wentBetween - forMessages).toBeGreaterThanOrEqual(4);
  await store.close();
});

test('a file is made as it is asked for, and no more is read than that takes', async () => {
  const store = await longChannel();
  const read = await readPlace(store, place, 'public', exportedSteps);
  let pages = 0;
  const counting: Pick<Store, 'turns' | 'messages'> = {
    turns: store.turns,
    messages: {
      ...store.messages,
      page: (threadId, options) => {
        pages += 1;
        return store.messages.page(threadId, options);
      },
    },
  };
  const { thread } = await openThread(counting, place.threadId, exportedSteps);
  expect(pages).toBe(0);
  const { portions } = exportFile(read.place, [thread], 'markdown');
  let text = '';
  const pagesAt: number[] = [];
  for await (const portion of portions) {
    text += portion;
    if (portion.includes('> Said at ')) pagesAt.push(pages);
  }
  // Where the pages of 500 begin is found out first; then each is read when what it holds is written.
  expect(pagesAt.length).toBe(2500);
  expect(new Set(pagesAt)).toEqual(new Set([7, 8, 9, 10, 11, 13]));
  const times = Array.from(text.matchAll(/^> Said at (\d+)\./gm), ([, at]) => Number(at));
  expect(times).toEqual(Array.from({ length: 2500 }, (_, at) => 10 + at));
  await store.close();
});

test.each([0, 400, 10_000, 1_000_000])(
  'a file that may have %i bytes is made no longer than that',
  async (most) => {
    const store = await longChannel();
    const { threads } = await readPlace(store, place, 'public', exportedSteps);
    let bytes = 0;
    const portions = (async function* () {
      for await (const portion of exportFile(channel, threads, 'html').portions) {
        bytes += Buffer.byteLength(portion);
        yield portion;
      }
    })();
    const text = await textWithin(portions, most);
    expect(text === undefined ? most : Buffer.byteLength(text)).toBeLessThanOrEqual(most);
    if (text === undefined) expect(bytes).toBeLessThan(most + 10_000);
    else expect(Buffer.byteLength(text)).toBe(bytes);
    await store.close();
  },
);

test('messages of one moment, and some that come meanwhile, are read once each, oldest first', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  const { threadId } = place;
  const ids = Array.from({ length: 1600 }, (_, at) => `m${at}`);
  const at = (index: number) => 10 + Number(index >= 100) + Number(index >= 1500);
  await store.messages.append(ids.map((id, index) => ({ ...said(threadId, at(index)), id })));
  const found: string[] = [];
  for await (const { id } of messagesOldestFirst(store.messages, threadId)) {
    if (found.length % 400 === 0) {
      await store.messages.append([{ ...said(threadId, 1000 + found.length), id: `late ${id}` }]);
    }
    found.push(id);
  }
  expect(found).toEqual(ids);
  await store.close();
});

test('someone in chat gets every thread of a channel, however old, and none of another', async () => {
  const store = await longChannel();
  const read = await readPlace(store, place, 'public', exportedSteps);
  const names: string[] = [];
  for await (const { threadId } of read.threads) names.push(threadId);
  expect(names).toEqual([place.threadId, old]);
  await store.close();
});

test('a whole channel that is brought back twice is there once', async () => {
  const store = await longChannel();
  const copy = openSqliteStore({ path: ':memory:' });
  const exported = await wholeChannel(store);
  for (let times = 0; times < 2; times += 1) await importThreads(copy, exported, quietly);
  expect(await wholeChannel(copy)).toEqual(exported);
  await store.close();
  await copy.close();
});

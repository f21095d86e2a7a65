import { expect, test } from 'vitest';
import { archivedSteps } from '../../../src/bot/commands/archive.ts';
import {
  type Archive,
  type ArchivedThread,
  archiveOf,
} from '../../../src/memory/export/archive.ts';
import { bringBack } from '../../../src/memory/export/bring-back.ts';
import { eachThread, readPlace } from '../../../src/memory/export/read-place.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Message, Store } from '../../../src/store/store.ts';
import { quietly } from './archives.ts';

const channel = 'discord:guild:channel';
const old = `${channel}:old`;
const place = { threadId: `${channel}:new`, reach: 'channel' } as const;

function said(threadId: string, createdAt: number): Message {
  return {
    ...{ id: `${threadId} ${createdAt}`, threadId, createdAt, isPrivate: false },
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

async function wholeChannel(store: Store): Promise<Archive> {
  const threads: ArchivedThread[] = [];
  for await (const { thread } of eachThread(store, place, archivedSteps)) threads.push(thread);
  return archiveOf(channel, threads);
}

const namesIn = ({ threads }: Archive) => threads.map(({ threadId }) => threadId);

test('the operator takes along every thread of a channel, however old, and none of another', async () => {
  const store = await longChannel();
  const archive = await wholeChannel(store);
  expect(namesIn(archive)).toEqual([place.threadId, old]);
  expect(archive.threads[0]?.messages).toHaveLength(2500);
  await store.close();
});

test('somebody in chat is told that the oldest threads are not in it', async () => {
  const store = await longChannel();
  const read = await readPlace(store, place, 'public', archivedSteps);
  expect(namesIn(read.archive)).toEqual([place.threadId]);
  expect(read.isPart).toBe(true);
  await store.close();
});

test('a whole channel that is brought back twice is there once', async () => {
  const store = await longChannel();
  const copy = openSqliteStore({ path: ':memory:' });
  const archive = await wholeChannel(store);
  for (let times = 0; times < 2; times += 1) await bringBack(copy, archive, quietly);
  expect(await wholeChannel(copy)).toEqual(archive);
  await store.close();
  await copy.close();
});

import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readArchiveFile } from '../../../src/app/imports/read-file.ts';
import type { Archive } from '../../../src/memory/export/archive.ts';
import { bringBack, sizeOf } from '../../../src/memory/export/bring-back.ts';
import { openRedisStore } from '../../../src/store/redis.ts';
import { startRedisServer } from '../../fakes/redis-server.ts';
import {
  archives,
  exported,
  fileOf,
  openStore,
  quietly,
  startOfTime,
  written,
} from './archives.ts';

const choices = {
  threadOf: (id: string) => `test:w:c:${id}`,
  check: () => undefined,
  askerIn: () => ({ id: 'uma', name: 'Uma' }),
};

async function jsonOf(archive: Archive | Promise<Archive>): Promise<string> {
  return written(await archive, 'json');
}

async function threadsIn(text: string) {
  const read = await readArchiveFile(fileOf(text), choices);
  if (read.status === 'damaged') throw new Error(`${read.place}: ${read.why}`);
  return read;
}

test('what is exported, imported and exported again is the same, whatever was said when', async () => {
  await fc.assert(
    fc.asyncProperty(archives, async (archive) => {
      const ids = archive.threads.map(({ threadId }) => threadId);
      const first = openStore();
      await bringBack(first, archive, quietly);
      const once = await jsonOf(exported(first, ids));
      const second = openStore();
      await bringBack(second, await threadsIn(once), quietly);
      expect(await jsonOf(exported(second, ids))).toBe(once);
      // Nothing is lost on the way: the same turns and messages, by their ids.
      const idsOf = (text: string) => [...text.matchAll(/"id": ".*"/g)].map(String).sort();
      expect(idsOf(once)).toEqual(idsOf(await jsonOf(archive)));
    }),
    { numRuns: 60 },
  );
});

test('it is the same by way of Redis, also the second time', async () => {
  const server = await startRedisServer();
  const store = await openRedisStore({ url: server.url });
  onTestFinished(async () => {
    await store.close();
    await server.remove();
  });
  for (const archive of fc.sample(archives, { numRuns: 8, seed: 11 })) {
    await server.command('FLUSHALL');
    const ids = archive.threads.map(({ threadId }) => threadId);
    const embedded = openStore();
    await bringBack(embedded, archive, quietly);
    await bringBack(store, archive, quietly);
    const once = await jsonOf(exported(embedded, ids));
    expect(await jsonOf(exported(store, ids))).toBe(once);
    const again = await bringBack(store, await threadsIn(once), quietly);
    expect(again).toMatchObject({ added: 0, known: sizeOf(archive) });
    expect(await jsonOf(exported(store, ids))).toBe(once);
  }
});

test('importing twice changes nothing, and says so', async () => {
  await fc.assert(
    fc.asyncProperty(archives, async (archive) => {
      const ids = archive.threads.map(({ threadId }) => threadId);
      const store = openStore();
      let looked = 0;
      const first = await bringBack(store, archive, {
        ...quietly,
        onProgress: (count) => {
          looked += count;
        },
      });
      expect(first).toEqual({ added: sizeOf(archive), known: 0, expired: 0 });
      expect(looked).toBe(sizeOf(archive));
      const before = await jsonOf(exported(store, ids));
      const again = await bringBack(store, archive, quietly);
      expect(again).toEqual({ added: 0, known: sizeOf(archive), expired: 0 });
      expect(await jsonOf(exported(store, ids))).toBe(before);
    }),
    { numRuns: 30 },
  );
});

test('an import that was broken off between a question and its answers is finished by the next', async () => {
  const [archive] = fc.sample(
    archives.filter(({ threads }) => threads.some(({ turns }) => turns.length > 0)),
    { numRuns: 1, seed: 7 },
  );
  const broken = archive?.threads.find(({ turns }) => turns.length > 0);
  const [turn] = broken?.turns ?? [];
  if (!archive || !broken || !turn) throw new Error('The sample has a turn.');
  const ids = archive.threads.map(({ threadId }) => threadId);
  const store = openStore();
  const [question] = turn.messages;
  if (!question) throw new Error('A turn has a question.');
  const { threadId } = broken;
  await store.turns.begin({
    ...{ turnId: turn.turnId, threadId, eventId: `test:w:event-of-${turn.turnId}` },
    ...{ request: turn.request, createdAt: turn.createdAt },
    question: { ...question, threadId, status: 'complete' },
  });
  await bringBack(store, archive, quietly);
  const whole = openStore();
  await bringBack(whole, archive, quietly);
  expect(await exported(store, ids)).toEqual(await exported(whole, ids));
  expect(await store.turns.unfinished(10)).toEqual([]);
});

test('each thread is told of once before anything new of it is stored, and not where nothing is', async () => {
  await fc.assert(
    fc.asyncProperty(archives, async (archive) => {
      const store = openStore();
      const told: string[] = [];
      const onNew = async (threadId: string) => {
        const there = await store.messages.page(threadId, { limit: 1 });
        expect(there).toEqual([]);
        told.push(threadId);
      };
      await bringBack(store, archive, { ...quietly, onNew });
      const filled = archive.threads.filter((thread) => sizeOf({ threads: [thread] }) > 0);
      expect(told).toEqual(filled.map(({ threadId }) => threadId));
      told.length = 0;
      await bringBack(store, archive, { ...quietly, onNew });
      expect(told).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('what is older than what is kept is left out, and counted', async () => {
  const [archive] = fc.sample(
    archives.filter((one) => sizeOf(one) > 2),
    { numRuns: 1, seed: 3 },
  );
  if (!archive) throw new Error('There is a sample.');
  const store = openStore();
  const by = { setBy: 'sue', setAt: startOfTime };
  await store.settings.write('workspace:test:w', { retentionDays: 1 }, by);
  const brought = await bringBack(store, archive, quietly);
  expect(brought).toEqual({ added: 0, known: 0, expired: sizeOf(archive) });
});

test('a thread of more messages than a page is read whole, also where many are of one moment', async () => {
  const store = openStore();
  const threadId = 'test:w:c:long';
  const many = Array.from({ length: 1_203 }, (_, index) => ({
    ...({
      id: `m${index}`,
      threadId,
      role: 'human',
      type: 'user_query',
      status: 'complete',
    } as const),
    content: { text: `Said ${index}` },
    createdAt: startOfTime + Math.floor(index / 7),
  }));
  await store.messages.append(many);
  const archive = await exported(store, [threadId]);
  expect(archive.threads[0]?.messages.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
});

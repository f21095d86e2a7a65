import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readImportFile } from '../../../src/app/imports/read-file.ts';
import type { Export } from '../../../src/memory/export/export.ts';
import { importThreads, sizeOf } from '../../../src/memory/export/import-threads.ts';
import { openRedisStore } from '../../../src/store/redis.ts';
import { startRedisServer } from '../../fakes/redis-server.ts';
import {
  anyExports,
  exportThreads,
  fileOf,
  openStore,
  quietly,
  startOfTime,
  written,
} from './exports.ts';

const choices = {
  threadOf: (id: string) => `test:w:c:${id}`,
  check: () => undefined,
  askerIn: () => ({ id: 'uma', name: 'Uma' }),
};

async function jsonOf(exported: Export | Promise<Export>): Promise<string> {
  return written(await exported, 'json');
}

async function threadsIn(text: string) {
  const read = await readImportFile(fileOf(text), choices);
  if (read.status === 'damaged') throw new Error(`${read.position}: ${read.why}`);
  return read;
}

test('what is exported, imported and exported again is the same, whatever was said when', async () => {
  await fc.assert(
    fc.asyncProperty(anyExports, async (exported) => {
      const ids = exported.threads.map(({ threadId }) => threadId);
      const first = openStore();
      await importThreads(first, exported, quietly);
      const once = await jsonOf(exportThreads(first, ids));
      const second = openStore();
      await importThreads(second, await threadsIn(once), quietly);
      expect(await jsonOf(exportThreads(second, ids))).toBe(once);
      // Nothing is lost on the way: the same turns and messages, by their ids.
      const idsOf = (text: string) => [...text.matchAll(/"id": ".*"/g)].map(String).sort();
      expect(idsOf(once)).toEqual(idsOf(await jsonOf(exported)));
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
  for (const exported of fc.sample(anyExports, { numRuns: 8, seed: 11 })) {
    await server.command('FLUSHALL');
    const ids = exported.threads.map(({ threadId }) => threadId);
    const embedded = openStore();
    await importThreads(embedded, exported, quietly);
    await importThreads(store, exported, quietly);
    const once = await jsonOf(exportThreads(embedded, ids));
    expect(await jsonOf(exportThreads(store, ids))).toBe(once);
    const again = await importThreads(store, await threadsIn(once), quietly);
    expect(again).toMatchObject({ added: 0, known: sizeOf(exported) });
    expect(await jsonOf(exportThreads(store, ids))).toBe(once);
  }
});

test('importing twice changes nothing, and says so', async () => {
  await fc.assert(
    fc.asyncProperty(anyExports, async (exported) => {
      const ids = exported.threads.map(({ threadId }) => threadId);
      const store = openStore();
      let looked = 0;
      const first = await importThreads(store, exported, {
        ...quietly,
        onProgress: (count) => {
          looked += count;
        },
      });
      expect(first).toEqual({ added: sizeOf(exported), known: 0, expired: 0 });
      expect(looked).toBe(sizeOf(exported));
      const before = await jsonOf(exportThreads(store, ids));
      const again = await importThreads(store, exported, quietly);
      expect(again).toEqual({ added: 0, known: sizeOf(exported), expired: 0 });
      expect(await jsonOf(exportThreads(store, ids))).toBe(before);
    }),
    { numRuns: 30 },
  );
});

test('an import that was broken off between a question and its answers is finished by the next', async () => {
  const [exported] = fc.sample(
    anyExports.filter(({ threads }) => threads.some(({ turns }) => turns.length > 0)),
    { numRuns: 1, seed: 7 },
  );
  const broken = exported?.threads.find(({ turns }) => turns.length > 0);
  const [turn] = broken?.turns ?? [];
  if (!exported || !broken || !turn) throw new Error('The sample has a turn.');
  const ids = exported.threads.map(({ threadId }) => threadId);
  const store = openStore();
  const [question] = turn.messages;
  if (!question) throw new Error('A turn has a question.');
  const { threadId } = broken;
  await store.turns.begin({
    turnId: turn.turnId,
    threadId,
    eventId: `test:w:event-of-${turn.turnId}`,
    request: turn.request,
    createdAt: turn.createdAt,
    question: { ...question, threadId, status: 'complete' },
  });
  await importThreads(store, exported, quietly);
  const whole = openStore();
  await importThreads(whole, exported, quietly);
  expect(await exportThreads(store, ids)).toEqual(await exportThreads(whole, ids));
  expect(await store.turns.unfinished(10)).toEqual([]);
});

test('each thread is told of once before anything new of it is stored, and not where nothing is', async () => {
  await fc.assert(
    fc.asyncProperty(anyExports, async (exported) => {
      const store = openStore();
      const told: string[] = [];
      const onNew = async (threadId: string) => {
        const there = await store.messages.page(threadId, { limit: 1 });
        expect(there).toEqual([]);
        told.push(threadId);
      };
      await importThreads(store, exported, { ...quietly, onNew });
      const filled = exported.threads.filter((thread) => sizeOf({ threads: [thread] }) > 0);
      expect(told).toEqual(filled.map(({ threadId }) => threadId));
      told.length = 0;
      await importThreads(store, exported, { ...quietly, onNew });
      expect(told).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('a turn is still that of the person who asked it', async () => {
  const [exported] = fc.sample(
    anyExports.filter(({ threads }) => threads.some(({ turns }) => turns.length > 0)),
    { numRuns: 1, seed: 7 },
  );
  const threads = (exported?.threads ?? []).map((thread) => ({
    ...thread,
    turns: thread.turns.map((turn) => ({
      ...turn,
      request: { ...turn.request, author: { id: 'uma', name: 'Uma' } },
    })),
  }));
  const store = openStore();
  await importThreads(store, { threads }, quietly);
  for (const { threadId, turns } of threads) {
    const headers = await store.turns.list(threadId, { limit: 9 });
    expect(headers.map(({ askedBy }) => askedBy)).toEqual(turns.map(() => 'uma'));
  }
});

test('what is older than what is kept is left out, and counted', async () => {
  const [exported] = fc.sample(
    anyExports.filter((one) => sizeOf(one) > 2),
    { numRuns: 1, seed: 3 },
  );
  if (!exported) throw new Error('There is a sample.');
  const store = openStore();
  const by = { setBy: 'sue', setAt: startOfTime };
  await store.settings.write('workspace:test:w', { retentionDays: 1 }, by);
  const brought = await importThreads(store, exported, quietly);
  expect(brought).toEqual({ added: 0, known: 0, expired: sizeOf(exported) });
});

test('what was open in a channel that has become private stays hidden from the others', async () => {
  const message = { role: 'human', type: 'user_query', content: { text: 'The harbour.' } } as const;
  const said = (threadId: string, isPrivate: boolean, createdAt: number) => ({
    threadId,
    turns: [],
    messages: [{ ...message, id: threadId, isPrivate, createdAt }],
  });
  // By the name of the thread, as in every export.
  const threads = [
    said('test:w:c:a', true, startOfTime + 2),
    said('test:w:c:b', false, startOfTime + 1),
  ];
  const store = openStore();
  await importThreads(store, { threads }, quietly);
  const elsewhere = { threadId: 'test:w:d:a', reach: 'workspace' } as const;
  expect((await store.memories.read(elsewhere, { limit: 9 })).messages).toEqual([]);
});

test('what was forgotten a moment ago is left out, and counted as such', async () => {
  const [exported] = fc.sample(
    anyExports.filter(({ threads }) => threads.some(({ turns }) => turns.length > 0)),
    { numRuns: 1, seed: 7 },
  );
  const thread = exported?.threads.find(({ turns }) => turns.length > 0);
  if (!exported || !thread) throw new Error('The sample has a turn.');
  const store = openStore();
  await importThreads(store, exported, quietly);
  const { threadId, turns } = thread;
  const turnIds = turns.map(({ turnId }) => turnId);
  await store.forget({ threadId, turnIds, messageIds: [] });
  const again = await importThreads(store, exported, quietly);
  const known = sizeOf(exported) - turns.length;
  expect(again).toEqual({ added: 0, known, expired: 0, forgotten: turns.length });
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
  const exported = await exportThreads(store, [threadId]);
  expect(exported.threads[0]?.messages.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
});

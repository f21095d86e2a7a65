import { expect, test } from 'vitest';
import { terminalPlace } from '../../src/platforms/terminal/terminal.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { readAll } from '../contracts/store/memory-samples.ts';
import { runCouncil } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

test('after ten messages of a thread the program has shards of them, compressed by the model', async () => {
  const models = await startRehearsedModels();
  const folder = temporaryProject(models.settings);
  const input = 'Should we rewrite it?\nAnd when?\nWho pays?\nWho decides?\n';
  const ended = await runCouncil({ folder, input });
  expect(ended.code).toBe(0);
  expect(models.counts()).toHaveProperty('compactor');
  const store = openSqliteStore({ path: `${folder}/data/council.db` });
  const [turn] = (
    await store.memories.read(
      { threadId: terminalPlace('any').threadId, reach: 'channel' },
      { limit: 500 },
    )
  ).messages;
  const thread = turn?.message.threadId ?? '';
  const { messages, shards } = await readAll(store, 'thread', { thread });
  await store.close();
  expect(messages).toHaveLength(16);
  expect(shards[0]?.text).toMatch(/^[^\n]+: Should we rewrite it\?\n/);
  expect(shards[0]?.sourceIds).toHaveLength(12);
  const marked = messages.filter(({ shardId }) => shardId === shards[0]?.id);
  // Sages that answer at once are stored in any order.
  expect(new Set(marked.map(({ message }) => message.id))).toEqual(new Set(shards[0]?.sourceIds));
});

test('a thread that is asked one thing a process has its shards all the same, and their vectors', async () => {
  const { settings } = await startRehearsedModels();
  const embedding = 'rehearsal:sages-embedding';
  const folder = temporaryProject({ ...settings, models: { ...settings.models, embedding } });
  const args = ['ask', 'Should we rewrite it?', '--thread', 'engines'];
  for (let at = 1; at <= 4; at += 1) expect((await runCouncil({ folder, args })).code).toBe(0);
  const store = openSqliteStore({ path: `${folder}/data/council.db` });
  const { threadId } = terminalPlace('engines');
  const { messages, shards } = await readAll(store, 'thread', { thread: threadId });
  const keys = [
    ...messages.map(({ message }) => ({ kind: 'message', threadId, id: message.id }) as const),
    ...shards.map(({ id }) => ({ kind: 'shard', threadId, id }) as const),
  ];
  const vectors = await store.memories.vectors(embedding, keys);
  await store.close();
  expect(messages).toHaveLength(16);
  expect(shards.length).toBeGreaterThanOrEqual(1);
  expect(keys.filter((_, at) => vectors[at] === undefined)).toEqual([]);
});

test('what was imported is noted for shards once, however often it is imported', async () => {
  const conversation = {
    id: 'engines',
    created_at: '2025-11-22T21:53:07.123456',
    messages: [
      { role: 'user', content: 'Should we rewrite the engine?' },
      { role: 'assistant', content: 'In spring.' },
    ],
  };
  const models = await startRehearsedModels();
  const folder = temporaryProject(models.settings, { 'talk.json': JSON.stringify(conversation) });
  const settings = { path: `${folder}/data/council.db` };
  const due = async () => {
    const store = openSqliteStore(settings);
    const [notes = {}] = await store.settings.read(['shards:due']);
    await store.close();
    return Object.values(notes).map(({ value }) => value);
  };
  await runCouncil({ folder, args: ['import', 'talk.json'] });
  const noted = await due();
  expect(noted).toMatchObject([{ threadId: 'terminal:local:chat:engines' }]);
  await runCouncil({ folder, args: ['import', 'talk.json'] });
  expect(await due()).toEqual(noted);
});

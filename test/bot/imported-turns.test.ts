import { expect, test } from 'vitest';
import { readImportFile } from '../../src/app/imports/read-file.ts';
import { importThreads } from '../../src/memory/export/import-threads.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { scriptedModels } from '../council/scripted-council.ts';
import { fileOf } from '../memory/export/exports.ts';
import { startBot } from './bot-fixture.ts';
import { command, here, textOf } from './commanding.ts';

const conversation = {
  id: 'engines',
  created_at: '2025-11-22T21:53:07.123456',
  messages: [
    { role: 'user', content: 'Should we rewrite the engine?' },
    {
      role: 'assistant',
      stage1: [
        { model: 'openai/gpt-5.1', response: 'In parts.' },
        { model: 'x-ai/grok-4', response: 'Leave it alone.' },
      ],
      stage2: [
        { model: 'x-ai/grok-4', ranking: 'Fine.\n\nFINAL RANKING:\n1. Response B\n2. Response A' },
        { model: 'qwen/qwen3', ranking: 'I would rather not rank them.' },
      ],
      stage3: { model: 'google/gemini-3-pro', response: 'In parts, with tests.' },
    },
  ],
};

test('an imported council has a receipt and reviews like any other', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  const read = await readImportFile(fileOf(JSON.stringify(conversation)), {
    threadOf: () => here.threadId,
    check: () => undefined,
    askerIn: () => ({ id: 'imported', name: 'somebody' }),
  });
  if (read.status === 'damaged') throw new Error(read.why);
  await importThreads(store, read, { onProgress: () => undefined, onNew: async () => undefined });
  const { bot, shutDown } = await startBot(scriptedModels({}), {}, store);
  const reviews = textOf(await command(bot, 'reviews'));
  expect(reviews).toContain('Review by x-ai/grok-4');
  expect(reviews).toContain('Review by qwen/qwen3');
  expect(reviews).toContain('1. x-ai/grok-4');
  const receipt = textOf(await command(bot, 'receipt'));
  expect(receipt).toContain('openai/gpt-5.1');
  expect(receipt).toContain('qwen/qwen3');
  await shutDown();
  await store.close();
});

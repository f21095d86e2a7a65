import { expect, test } from 'vitest';
import { readImportFile } from '../../src/app/imports/read-file.ts';
import { importThreads } from '../../src/memory/export/import-threads.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { imported } from '../contracts/store/samples.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { fileOf } from '../memory/export/exports.ts';
import { question, startBot } from './bot-fixture.ts';

const { threadId } = question;
const asked = 'Who owns the harbour of Whitby?';
const answered = 'The town owns it.';

/** What ben is shown of a thread in which he is asked something. */
async function promptIn(store: Store): Promise<string> {
  const models = scriptedModels({ sages: { ben: [answer('Noted.')] } });
  const { bot, idle, platform, shutDown } = await startBot(models, {}, store);
  await bot.ask({ ...question, sages: ['ben'] });
  await idle();
  const end = platform.shown[0]?.events.at(-1);
  await shutDown();
  await store.close();
  expect(end).toMatchObject({ type: 'ended', end: { outcome: 'answered' } });
  return JSON.stringify(models.sage({ key: 'ben' }).requests[0]?.messages);
}

const old = [
  { id: 'q', role: 'human', type: 'user_query', author: 'Uma', createdAt: 1 },
  { id: 'a', role: 'ai', type: 'sage_output', sage: 'ada', createdAt: 2 },
] as const;
const contents = [asked, answered];

test('a question in a thread of imported messages whose content is a bare string is answered', async () => {
  const messages = old.map((message, at) => ({ ...message, content: contents[at] }));
  const file = {
    format: 'council-archive',
    version: 1,
    place: threadId,
    threads: [{ threadId, turns: [], messages }],
  };
  const read = await readImportFile(fileOf(JSON.stringify(file)), {
    check: () => undefined,
    askerIn: () => ({ id: 'uma', name: 'Uma' }),
    threadOf: (id) => id,
  });
  if (read.status === 'damaged') throw new Error(`${read.position}: ${read.why}`);
  const store = openSqliteStore({ path: ':memory:' });
  const options = { onProgress: () => undefined, onNew: async () => undefined };
  expect(await importThreads(store, read, options)).toMatchObject({ added: 2 });
  const prompt = await promptIn(store);
  expect(prompt).toContain(asked);
  expect(prompt).toContain(answered);
});

test('so is one in a thread where such messages were stored long ago', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await store.messages.append(
    old.map((message, at) =>
      imported(message.id, message.role, {
        ...message,
        threadId,
        content: JSON.parse(JSON.stringify(contents[at])),
      }),
    ),
  );
  const prompt = await promptIn(store);
  expect(prompt).toContain(asked);
  expect(prompt).toContain(answered);
});

/** What a person takes along of all that they have asked in a workspace. */

import { expect, test } from 'vitest';
import type { Reply } from '../../commands/command.ts';
import { exportedSteps } from '../../src/bot/commands/export.ts';
import { exportSchema } from '../../src/memory/export/export.ts';
import { importThreads } from '../../src/memory/export/import-threads.ts';
import { readPerson } from '../../src/memory/export/read-place.ts';
import { noteHeard } from '../../src/memory/forgetting/heard.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { endedTurn, imported, newTurn, runningTurn } from '../contracts/store/samples.ts';
import { quietly } from '../memory/export/exports.ts';
import type { TestBot } from './bot-fixture.ts';
import { command, here, member, placeIn, textOf } from './commanding.ts';
import { botThatWasAsked } from './remembered-here.ts';

const bo = { ...member, id: 'u2', name: 'Bo' };
const open = { ...here, isPrivate: false };
const privateThread = { ...here, threadId: 'test:w:c:p', isPrivate: true, isPrivateThread: true };
const privateChannel = { ...placeIn('secret'), isPrivate: true };

const asked = () =>
  botThatWasAsked([
    { asked: 'Uma in the open', place: open, reply: 'To Uma.' },
    { asked: 'Bo in the open', place: open, author: bo, reply: 'To Bo.' },
    { asked: 'Uma in a private thread', place: privateThread },
    { asked: 'Bo in a private thread', place: privateThread, author: bo },
    { asked: 'Uma in a private channel', place: privateChannel },
    { asked: 'Uma in another workspace', place: placeIn('c', 'v') },
  ]);

const exportMine = ({ bot }: Pick<TestBot, 'bot'>, format = 'markdown', person = member) =>
  command(bot, 'export', { scope: 'mine', format }, person, open);

function fileOf(reply: Reply) {
  const file = reply.blocks.find((block) => block.type === 'file');
  if (file?.type !== 'file') throw new Error(`There is no file in ${textOf(reply)}`);
  return file;
}

test('a person gets all that they asked in the workspace, and no word of others or of other workspaces', async () => {
  const reply = await exportMine(await asked());
  expect(reply.isPrivate).toBe(true);
  expect(fileOf(reply).name).toBe('council-test-w-u1.md');
  const text = fileOf(reply).content;
  for (const part of ['in the open', 'in a private thread', 'in a private channel']) {
    expect(text).toContain(`> Uma ${part}`);
  }
  expect(text).toContain('> To Uma.');
  expect(text).not.toMatch(/Bo|another workspace/);
});

test('the file can be imported again, as any export', async () => {
  const { threads } = exportSchema.parse(
    JSON.parse(fileOf(await exportMine(await asked(), 'json')).content),
  );
  const store = openSqliteStore({ path: ':memory:' });
  expect(await importThreads(store, { threads }, quietly)).toMatchObject({ added: 3 });
  await store.close();
});

test('whom nothing is kept of reads so, and whom others overheard reads that, too', async () => {
  const started = await asked();
  const { store } = started;
  const zoe = { ...member, id: 'u3', name: 'Zoe' };
  expect(textOf(await exportMine(started, 'markdown', zoe))).toContain(
    'Nothing that you have asked is kept here.',
  );
  const message = { id: '1', text: 'My salary is 40k.', at: 1000, author: bo };
  const heard = { place: 'test:w:c', of: 'thread', leftOut: 0, messages: [message] } as const;
  await noteHeard(store, { turnId: 'x', threadId: here.threadId }, heard, { now: Date.now });
  const told = 'Left out: own words in what was read for 1 question.';
  expect(textOf(await exportMine(started, 'markdown', bo))).toContain(told);
});

test('a second one has to wait, since each may read the whole workspace', async () => {
  const started = await asked();
  await exportMine(started);
  expect(textOf(await exportMine(started))).toContain('Try again in ten seconds.');
  expect(textOf(await exportMine(started, 'markdown', bo))).toContain(
    'Here is what you have asked',
  );
});

test('what is too long for a chat names the command that the operator has for it', async () => {
  const started = await asked();
  const long = { content: { text: 'é'.repeat(4_100_000), askedBy: 'u1' }, createdAt: Date.now() };
  const { threadId } = here;
  await started.store.messages.append([imported('long', 'human', { threadId, ...long })]);
  expect(textOf(await exportMine(started))).toContain('npm run council -- person u1 export');
});

test('imported questions come with their answers, and what others asked about one’s own is left out', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  const threadId = 'test:w:c:t';
  const at = (createdAt: number) => ({ threadId, createdAt });
  await store.messages.append([
    imported('q1', 'human', { ...at(1), content: { text: 'Uma of old', askedBy: 'u1' } }),
    imported('a1', 'ai', { ...at(2), content: { text: 'Answer of old' } }),
    imported('q2', 'human', { ...at(3), content: { text: 'Bo of old', askedBy: 'u2' } }),
  ]);
  await endedTurn(store, newTurn('bo', { ...at(5), request: { author: { id: 'u2' } } }));
  const { attempt } = await runningTurn(
    store,
    newTurn('uma', { ...at(4), request: { author: { id: 'u1' } } }),
  );
  const steps = [{ kind: 'deepened', key: '', data: { turnId: 'bo' } }];
  const end = { outcome: 'answered', endedAt: 6 };
  await store.turns.checkpoint({ turnId: 'uma', threadId, attempt, steps, end });
  const read = await readPerson(store, { workspace: 'test:w', personId: 'u1' }, exportedSteps);
  const found: string[] = [];
  for await (const { turns, messages } of read.threads) {
    for await (const { turnId } of turns) found.push(turnId);
    for await (const { id } of messages) found.push(id);
  }
  expect(found).toEqual(['uma', 'q1', 'a1']);
  await store.close();
});

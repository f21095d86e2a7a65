import { expect, test } from 'vitest';
import { readImportFile } from '../../../src/app/imports/read-file.ts';
import type { ExportedThread } from '../../../src/memory/export/export.ts';
import { fileOf } from '../../memory/export/exports.ts';

const threadId = 'test:w:c:t';
const choices = {
  threadOf: (id: string) => id,
  askerIn: () => ({ id: 'uma', name: 'Uma' }),
  check: () => undefined,
};
const message = (id: string) => ({
  id,
  role: 'human',
  type: 'user_query',
  content: { text: `Said ${id}.` },
  createdAt: 1,
});

function read(...threads: readonly object[]) {
  const exported = { format: 'council-archive', version: 1, place: 'test:w:c', threads };
  return readImportFile(fileOf(JSON.stringify(exported)), choices);
}

test('a thread of many messages comes in portions, each time that it is read', async () => {
  const messages = Array.from({ length: 1001 }, (_, at) => message(`m${at}`));
  const file = await read({ messages, turns: [], threadId });
  if (file.status === 'damaged') throw new Error(`${file.position}: ${file.why}`);
  expect(file.size).toBe(1001);
  for (let times = 0; times < 2; times += 1) {
    const portions: ExportedThread[] = [];
    for await (const portion of file.threads) portions.push(portion);
    expect(portions.map((one) => one.messages.length)).toEqual([200, 200, 200, 200, 200, 1]);
    expect(new Set(portions.map((one) => one.threadId))).toEqual(new Set([threadId]));
    expect(portions.flatMap((one) => one.messages.map(({ id }) => id))).toEqual(
      messages.map(({ id }) => id),
    );
  }
});

test('two messages of a thread with one id are damage, and of two threads are not', async () => {
  const other = { threadId: 'test:w:c:u', turns: [], messages: [message('a')] };
  const twice = { threadId, turns: [], messages: [message('a'), message('b'), message('a')] };
  expect(await read(other, twice)).toEqual({
    status: 'damaged',
    position: 'threads[1].messages[2].id',
    why: 'another message of the thread has this id',
  });
  const once = { ...twice, messages: [message('a'), message('b')] };
  expect(await read(other, once)).toMatchObject({ status: 'read', size: 3 });
});

test.each([
  [{ threadId, turns: 'none', messages: [] }, 'threads[0].turns'],
  [{ threadId, messages: [] }, 'threads[0].turns'],
  [{ threadId, turns: [], messages: { m: message('m') } }, 'threads[0].messages'],
  [{ threadId, turns: [null], messages: [] }, 'threads[0].turns[0]'],
])('a thread without its lists is damaged: %j', async (thread, position) => {
  expect(await read(thread)).toMatchObject({ status: 'damaged', position });
});

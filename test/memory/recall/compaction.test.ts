import { afterEach, beforeEach, expect, test } from 'vitest';
import { compactWith } from '../../../src/memory/recall/compaction.ts';
import { exchangeOf } from '../../../src/memory/recall/history.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { imported } from '../../contracts/store/samples.ts';
import { scriptedModel } from '../../fakes/scripted-model.ts';
import { addTurn, options, said, threadId } from '../remembering.ts';

let store: Store;

beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

const complete =
  'Marcus Aurelius wants to wait and Seneca is against it; whether the harbour is dredged is open.';
const without = 'Marcus Aurelius wants to wait.';

/** What a model is asked that says these lines, and what comes of it. */
async function compacted(lines: readonly string[]) {
  await addTurn(store, 't1', { marcus_aurelius: said('Wait.'), seneca: said('No.') }, undefined, {
    question: 'Should the harbour be dredged?',
  });
  const older = await store.messages.recent(threadId, { limit: 3 });
  const exchanges = older.map((one) => exchangeOf(one, 'full', false, options.situation));
  const model = scriptedModel('test:cheap', lines);
  const compact = compactWith(model, new AbortController().signal);
  return { model, first: await compact(older, exchanges) };
}

test('asks with the conversation as proper messages', async () => {
  const { model, first } = await compacted([complete]);
  expect(first).toBe(complete);
  const [request] = model.requests;
  expect(request?.stage).toBe('compactor');
  expect(request?.messages.slice(0, 2).map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(request?.messages[1]?.content).toBe(
    '<answer sage="marcus_aurelius">\nWait. At length.\n</answer>\n<answer sage="seneca">\nNo. At length.\n</answer>',
  );
});

test('says back what is missing until every sage and every question is in it', async () => {
  const { model, first } = await compacted([without, complete]);
  expect(first).toBe(complete);
  expect(model.requests[1]?.messages.slice(3, 5)).toEqual([
    { role: 'assistant', content: without },
    {
      role: 'user',
      content:
        'This was said in the conversation and is missing from your text:\n' +
        '<missing>\n- the question “Should the harbour be dredged?”\n- what seneca held\n</missing>\n' +
        'Write the whole text again, with what is missing and in at most 55 words: tell the rest more briefly. ' +
        'Attribute each thing to its speaker, and add nothing that was not said.',
    },
  ]);
});

test('asks for no position of a sage that gave no answer', async () => {
  const failed = { status: 'failed', answer: 'Error: no.', summary: 'Error invoking sage.' };
  await addTurn(store, 't1', { seneca: failed, taleb: said('No.') }, undefined, {
    question: 'Should the harbour be dredged?',
  });
  const older = await store.messages.recent(threadId, { limit: 3 });
  const whole = 'Taleb is against dredging the harbour.';
  const model = scriptedModel('test:cheap', [whole]);
  const compact = compactWith(model, new AbortController().signal);
  const exchanges = older.map((one) => exchangeOf(one, 'summaries', false, options.situation));
  expect(await compact(older, exchanges)).toBe(whole);
});

test('takes the best attempt when something is missing from each of three', async () => {
  const better = 'Marcus Aurelius wants to wait with the harbour.';
  const { model, first } = await compacted([without, better, without]);
  expect(first).toBe(better);
  expect(model.unsaid).toBe(0);
});

test('fails, and is tried anew the next time, when each of three attempts is empty', async () => {
  await addTurn(store, 't1', { seneca: said('No.') }, undefined, { question: 'Dredge it?' });
  const older = await store.messages.recent(threadId, { limit: 3 });
  const whole = 'Seneca is against it: the harbour is not to be dredged.';
  const model = scriptedModel('test:cheap', ['', ' ', '', whole, whole, whole]);
  const compact = compactWith(model, new AbortController().signal);
  const exchanges = older.map((one) => exchangeOf(one, 'full', false, options.situation));
  await expect(compact(older, exchanges)).rejects.toThrow('replied with nothing');
  expect(await compact(older, exchanges)).toBe(whole);
});

test('is made anew when an answer of the same part was forgotten', async () => {
  const of = (id: string, createdAt: number, sage?: string) =>
    imported(id, sage === undefined ? 'human' : 'ai', {
      threadId,
      createdAt,
      ...(sage !== undefined && { sage }),
      content: { text: `${id} is said.` },
    });
  await store.messages.append([of('q', 1), of('first', 2, 'ada'), of('second', 3, 'ben')]);
  const model = scriptedModel('test:cheap', ['Q is said by Ada and Ben.', 'Q is said by Ada.']);
  const compact = compactWith(model, new AbortController().signal);
  const text = async () => {
    const older = await store.messages.recent(threadId, { limit: 3 });
    return compact(
      older,
      older.map((one) => exchangeOf(one, 'full', false, options.situation)),
    );
  };
  expect(await text()).toContain('Ben');
  // Forgotten by another process: this one holds what it made before.
  await store.forget({ threadId, turnIds: [], messageIds: ['second'] });
  expect(await text()).toBe('Q is said by Ada.');
});

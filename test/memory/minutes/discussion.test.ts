import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Discussion,
  discussionMessages,
  discussionOf,
} from '../../../src/memory/minutes/discussion.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { addTurn, said, threadId } from '../remembering.ts';

let store: Store;

beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

async function discussed(): Promise<Discussion> {
  const interactions = await store.messages.recent(threadId, { limit: 50 });
  return discussionOf(interactions, (key) => key.toUpperCase(), false);
}

test('holds in order who said what, and no verdict that was none', async () => {
  await addTurn(store, 't1', { ada: said('Yes.') }, { kind: 'synthesis', verdict: 'Go.' });
  await addTurn(store, 't2', { ben: said('No.') }, { kind: 'top_answer', verdict: 'Never.' });
  const discussion = await discussed();
  expect(discussion.leftOut).toEqual([]);
  expect(discussion.said.map(({ number, by, kind, text }) => [number, by, kind, text])).toEqual([
    [1, 'Uma', 'question', 'Question t1'],
    [2, 'ADA', 'answer', 'Yes. At length.'],
    [3, 'the chair', 'verdict', 'Go.'],
    [4, 'Uma', 'question', 'Question t2'],
    [5, 'BEN', 'answer', 'No. At length.'],
  ]);
  expect(discussionMessages(discussion, 'UTC').map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
});

test('holds what a verdict left open, because it is a question for the record', async () => {
  const verdict = { kind: 'synthesis', verdict: 'Go.', unsettled: ['Who pays.', 'By\nwhen.'] };
  await addTurn(store, 't1', { ada: said('Yes.') }, verdict);
  expect((await discussed()).said.at(-1)?.text).toBe('Go.\n\nStill open:\n- Who pays.\n- By when.');
});

test('leaves out a sage that failed', async () => {
  const failed = { status: 'failed', answer: 'Error: no', summary: 'Error invoking sage.' };
  await addTurn(store, 't1', { ada: failed, ben: said('No.') });
  expect((await discussed()).said.map(({ by }) => by)).toEqual(['Uma', 'BEN']);
});

test('is bounded in a long thread, keeps what is newest, and says what was left out', async () => {
  const long = { status: 'answered', answer: 'word '.repeat(4000), summary: 'Much.' };
  for (let turn = 1; turn <= 30; turn += 1) await addTurn(store, `t${turn}`, { ada: long });
  const { said: spoken, leftOut } = await discussed();
  const chars = spoken.reduce((sum, { text }) => sum + text.length, 0);
  expect(chars).toBeLessThanOrEqual(60_000);
  expect(spoken.at(-2)?.text).toBe('Question t30');
  expect(spoken[0]).toMatchObject({ number: 1, kind: 'question', text: 'Question t22' });
  expect(leftOut).toEqual([
    'Left out: the first 21 of 30 questions.',
    'Only the beginning of 9 long messages was read.',
  ]);
});

test('cuts one long message between characters, and says so', async () => {
  const long = { status: 'answered', answer: '👨‍👩‍👧‍👦'.repeat(1000), summary: 'Much.' };
  await addTurn(store, 't1', { ada: long });
  const { said: spoken, leftOut } = await discussed();
  expect(spoken.at(-1)?.text).toMatch(/^(?:👨‍👩‍👧‍👦)+ \[…\]$/u);
  expect(leftOut).toEqual(['Only the beginning of 1 long message was read.']);
});

test('says that a thread may be longer than what was looked at', async () => {
  for (let turn = 1; turn <= 51; turn += 1) await addTurn(store, `t${turn}`, { ada: said('Yes.') });
  expect((await discussed()).leftOut).toEqual([
    'Only the last 50 questions of the thread were read.',
  ]);
});

test('says on which day each question was asked, as the thread counts it', async () => {
  await addTurn(store, 't1', { ada: said('Yes.') });
  const [question, answer] = discussionMessages(await discussed(), 'America/New_York');
  expect(question?.content).toBe(
    '<question from="Uma" on="Wednesday, 31 December 1969" said="1">\nQuestion t1\n</question>',
  );
  expect(answer?.content).toMatch(/^<answer sage="ADA" said="2">/);
});

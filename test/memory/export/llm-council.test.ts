import { expect, test } from 'vitest';
import { bringBack } from '../../../src/memory/export/bring-back.ts';
import { readArchiveFile } from '../../../src/memory/export/read-file.ts';
import { openStore, quietly } from './archives.ts';

const choices = {
  threadOf: (id: string) => `terminal:local:chat:${id}`,
  summarise: (text: string) => `${text.slice(0, 8)}…`,
  askerIn: () => undefined,
};

const deliberated = {
  role: 'assistant',
  stage1: [
    { model: 'openai/gpt-5.1', response: 'Rewrite it in parts.' },
    { model: 'x-ai/grok-4', response: 'Leave it alone.' },
  ],
  stage2: [
    {
      model: 'x-ai/grok-4',
      ranking: 'FINAL RANKING:\n1. Response B\n2. Response A',
      parsed_ranking: ['Response B', 'Response A'],
    },
  ],
  stage3: { model: 'google/gemini-3-pro', response: 'In parts, with tests first.' },
};
const conversation = {
  id: '5f0c7c1e-0d9d-4b43-9d92-0b8b6d1f7d11',
  created_at: '2025-11-22T21:53:07.123456',
  title: 'Engines',
  messages: [
    { role: 'user', content: 'Should we rewrite the engine?' },
    deliberated,
    { role: 'user', content: 'And when?' },
    { role: 'assistant', content: 'In spring.' },
  ],
};
const threadId = `terminal:local:chat:${conversation.id}`;

function threadsOf(value: unknown) {
  const read = readArchiveFile(JSON.stringify(value), choices);
  if (read.status === 'damaged') throw new Error(`${read.place}: ${read.why}`);
  return read;
}

function damageOf(text: string) {
  const read = readArchiveFile(text, choices);
  if (read.status === 'read') throw new Error('It was read.');
  return read;
}

test('a conversation of LLM Council is found as questions with what came of each', async () => {
  const store = openStore();
  await bringBack(store, threadsOf(conversation), quietly);
  const recent = await store.messages.recent(threadId, { limit: 3 });
  expect(
    recent.map(({ question, answers, turnId }) => ({
      turnId,
      question: question.content.text,
      answers: answers.map(({ sage, content }) => [sage, content.answer, content.summary]),
    })),
  ).toEqual([
    {
      turnId: undefined,
      question: 'Should we rewrite the engine?',
      answers: [
        ['openai/gpt-5.1', 'Rewrite it in parts.', 'Rewrite …'],
        ['x-ai/grok-4', 'Leave it alone.', 'Leave it…'],
        ['chairman', 'In parts, with tests first.', 'In parts…'],
      ],
    },
    {
      turnId: undefined,
      question: 'And when?',
      answers: [['chairman', 'In spring.', 'In sprin…']],
    },
  ]);
  expect(recent[0]?.question.createdAt).toBe(Date.UTC(2025, 10, 22, 21, 53, 7, 123));
});

test('who stood behind which label comes from the metadata, or else from the order of the answers', () => {
  const rankingOf = (message: object) => {
    const read = threadsOf({ ...conversation, messages: [conversation.messages[0], message] });
    const [, , second] = read.threads[0]?.messages ?? [];
    return second?.content.review;
  };
  const text = deliberated.stage2[0]?.ranking;
  const inOrder = ['x-ai/grok-4', 'openai/gpt-5.1'];
  expect(rankingOf(deliberated)).toEqual({ text, ranking: inOrder });
  const metadata = {
    label_to_model: { 'Response A': 'x-ai/grok-4', 'Response B': 'openai/gpt-5.1' },
    aggregate_rankings: [{ model: 'x-ai/grok-4', average_rank: 1 }],
  };
  expect(rankingOf({ ...deliberated, metadata })).toEqual({ text, ranking: inOrder.toReversed() });
});

test('what LLM Council says when no model has answered is no answer', async () => {
  const failed = {
    role: 'assistant',
    stage1: [],
    stage2: [],
    stage3: { model: 'error', response: 'All models failed to respond. Please try again.' },
  };
  const [thread] = threadsOf({ ...conversation, messages: [failed] }).threads;
  expect(thread?.messages[0]?.content).toMatchObject({ status: 'failed' });
});

test('the same file makes the same messages', () => {
  expect(threadsOf(conversation)).toEqual(threadsOf(structuredClone(conversation)));
});

test.each([
  ['{"id": "a",\n  "created_at": nonsense}', 'line 2, column 18'],
  ['{"id": "a",\n', 'line 2, column 1'],
  ['', 'line 1, column 1'],
  ['{"a": [1, 2,, 3]}', 'line 1, column 13'],
  ['{"a": "it breaks', 'line 1, column 17'],
  ['{"a": "b\nc"}', 'line 1, column 9'],
  ['{"a": 1}}', 'line 1, column 9'],
  ['\ufeff{"id": "a",\n  "created_at": nonsense}', 'line 2, column 18'],
  ['[]', 'the whole file'],
  [JSON.stringify({ ...conversation, created_at: 'yesterday' }), 'created_at'],
  [JSON.stringify({ ...conversation, id: '../../etc' }), 'id'],
  [JSON.stringify({ ...conversation, messages: [{ role: 'system' }] }), 'messages[0].role'],
  [
    JSON.stringify({
      ...conversation,
      messages: [{ ...deliberated, stage1: [{ model: 'a', response: 7 }] }],
    }),
    'messages[0].stage1[0].response',
  ],
  ['{"format":"council-archive","version":2,"place":"a:b:c:d","threads":[]}', 'version'],
  [
    '{"format":"council-archive","version":1,"place":"a:b:c:d","threads":[{"threadId":"a:b:c:d","turns":[],"messages":[{"id":"1","role":"human","type":"user_query","content":{},"createdAt":8640000000000001}]}]}',
    'threads[0].messages[0].createdAt',
  ],
  [
    '{"format":"council-archive","version":1,"place":"a:b:c:d","threads":[{"threadId":"a","turns":[],"messages":[]}]}',
    'threads[0].threadId',
  ],
])('names the place of what is wrong in %s', (text, place) => {
  expect(damageOf(text).place).toBe(place);
});

test('what it tells of a damaged file holds nothing that a terminal would obey', () => {
  const hostile = JSON.stringify({ ...conversation, messages: [{ role: '\u001b[2J' }] });
  const { place, why } = damageOf(hostile);
  expect(`${place}${why}`).not.toMatch(/\p{C}/u);
});

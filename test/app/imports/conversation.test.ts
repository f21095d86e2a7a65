import { expect, test } from 'vitest';
import { readImportFile } from '../../../src/app/imports/read-file.ts';
import { readPastTurn } from '../../../src/council/past-turn.ts';
import { receiptOf } from '../../../src/council/receipt.ts';
import { importThreads } from '../../../src/memory/export/import-threads.ts';
import { fileOf, openStore, quietly } from '../../memory/export/exports.ts';

const uma = { id: 'uma', name: 'Uma' };
const choices = {
  threadOf: (id: string) => `terminal:local:chat:${id}`,
  askerIn: () => uma,
  check: () => undefined,
};

const ranking = 'Both are fine.\n\nFINAL RANKING:\n1. Response B\n2. Response A';
const deliberated = {
  role: 'assistant',
  stage1: [
    { model: 'openai/gpt-5.1', response: 'Rewrite it in parts.' },
    { model: 'x-ai/grok-4', response: 'Leave it alone.' },
  ],
  stage2: [{ model: 'x-ai/grok-4', ranking, parsed_ranking: ['Response B', 'Response A'] }],
  stage3: { model: 'google/gemini-3-pro', response: 'In parts, with tests first.' },
};
const asked = { role: 'user', content: 'Should we rewrite the engine?' };
const conversation = {
  id: '5f0c7c1e-0d9d-4b43-9d92-0b8b6d1f7d11',
  created_at: '2025-11-22T21:53:07.123456',
  messages: [
    asked,
    deliberated,
    { role: 'user', content: 'And when?' },
    { role: 'assistant', content: 'In spring.' },
  ],
};
const threadId = `terminal:local:chat:${conversation.id}`;

async function readOf(value: unknown) {
  const read = await readImportFile(fileOf(JSON.stringify(value)), choices);
  if (read.status === 'damaged') throw new Error(`${read.position}: ${read.why}`);
  return read;
}

/** The first turn of a file whose second message this is. */
async function turnOf(message: object, file: object = {}) {
  const store = openStore();
  const read = await readOf({ ...conversation, messages: [asked, message], ...file });
  expect(await importThreads(store, read, quietly)).toMatchObject({ added: 1 });
  const [header] = await store.turns.list(threadId, { limit: 1 });
  const record = header && (await store.turns.read(header));
  if (!record) throw new Error('There is no turn.');
  return { record, past: readPastTurn(record), leftOut: read.leftOut };
}

async function damageOf(text: string) {
  const read = await readImportFile(fileOf(text), choices);
  if (read.status === 'read') throw new Error('It was read.');
  return read;
}

test('a conversation of LLM Council is found as questions with what came of each', async () => {
  const store = openStore();
  await importThreads(store, await readOf(conversation), quietly);
  const recent = await store.messages.recent(threadId, { limit: 3 });
  expect(
    recent.map(({ question, answers, verdict }) => ({
      question: [question.author, question.content.text],
      answers: answers.map(({ sage, content }) => [sage, content.answer]),
      verdict: verdict?.verdict,
    })),
  ).toEqual([
    {
      question: ['Uma', 'Should we rewrite the engine?'],
      answers: [
        ['openai_gpt_5_1', 'Rewrite it in parts.'],
        ['x_ai_grok_4', 'Leave it alone.'],
      ],
      verdict: 'In parts, with tests first.',
    },
    { question: ['Uma', 'And when?'], answers: [['chairman', 'In spring.']], verdict: undefined },
  ]);
  expect(recent[0]?.question.createdAt).toBe(Date.UTC(2025, 10, 22, 21, 53, 7, 123));
});

test('its turn has seats, reviews with their ballots as read, a ranking and a receipt', async () => {
  const { record, past } = await turnOf(deliberated);
  expect(past.seated?.seats.map(({ sage, model }) => [sage.name, model])).toEqual([
    ['openai/gpt-5.1', 'openai/gpt-5.1'],
    ['x-ai/grok-4', 'x-ai/grok-4'],
  ]);
  expect(past.reviews).toMatchObject([
    {
      reviewer: 'x_ai_grok_4',
      text: ranking,
      ballot: { status: 'ranked', groups: [['B'], ['A']], partial: false },
    },
  ]);
  expect(past.ranked?.ranking.places[0]?.sage).toBe('x_ai_grok_4');
  expect(past.verdict).toMatchObject({ kind: 'synthesis', by: 'google/gemini-3-pro' });
  expect(receiptOf(past, record.outcome ?? '', [])).toMatchObject({
    seated: [{ name: 'openai/gpt-5.1' }, { name: 'x-ai/grok-4' }],
  });
});

test('who stood behind which label comes from the metadata, or else from the order of the answers', async () => {
  const winner = async (message: object) => (await turnOf(message)).past.ranked?.ranking.places[0];
  expect(await winner(deliberated)).toMatchObject({ sage: 'x_ai_grok_4' });
  const metadata = {
    label_to_model: { 'Response A': 'x-ai/grok-4', 'Response B': 'openai/gpt-5.1' },
    aggregate_rankings: [{ model: 'x-ai/grok-4', average_rank: 1 }],
  };
  expect(await winner({ ...deliberated, metadata })).toMatchObject({ sage: 'openai_gpt_5_1' });
});

test('a model that reviewed without having answered is heard under its name', async () => {
  const review = { model: 'qwen/qwen3', ranking };
  const { past } = await turnOf({ ...deliberated, stage2: [...deliberated.stage2, review] });
  expect(past.reviews.map(({ reviewer }) => reviewer)).toEqual(['x_ai_grok_4', 'qwen/qwen3']);
  expect(past.ranked?.ranking.places[0]).toMatchObject({ sage: 'x_ai_grok_4', votes: 2 });
});

test('a stored ranking with repeats is read anew, and one that was guessed is told and left out', async () => {
  const repeats = { parsed_ranking: ['Response A', 'Response A', 'Response B'] };
  const alone = await turnOf({ ...deliberated, stage2: [{ model: 'm', ranking: '', ...repeats }] });
  expect(alone.past.reviews[0]?.ballot).toMatchObject({ groups: [['A'], ['B']] });
  expect(alone.leftOut).toEqual([]);
  const text = 'Response A is long. Response B is short.';
  const guessed = await turnOf({
    ...deliberated,
    stage2: [{ model: 'm', ranking: text, ...repeats }],
  });
  expect(guessed.past.reviews[0]).toMatchObject({ text, ballot: { status: 'abstained' } });
  expect(guessed.leftOut).toEqual(['rankings of reviews in which none can be read (1)']);
});

test('agents have their titles as names, also two of one model', async () => {
  const agent = (title: string) => ({ agent_title: title, model: 'openai/gpt-5.1' });
  const { past } = await turnOf({
    role: 'assistant',
    stage1: [
      { ...agent('Risk Officer'), response: 'Wait.' },
      { ...agent('Optimist'), response: 'Go.' },
    ],
    stage2: [{ ...agent('Optimist'), ranking }],
    stage3: { ...agent('Chair'), content: 'Go slowly.' },
    metadata: {
      label_to_model: { 'Response A': 'openai/gpt-5.1', 'Response B': 'openai/gpt-5.1' },
    },
  });
  expect(past.seated?.seats.map(({ sage }) => [sage.key, sage.name])).toEqual([
    ['risk_officer', 'Risk Officer'],
    ['optimist', 'Optimist'],
  ]);
  expect(past.reviews[0]?.reviewer).toBe('optimist');
  expect(past.ranked?.ranking.places[0]?.sage).toBe('optimist');
  expect(past.verdict?.verdict).toBe('Go slowly.');
});

test.each([
  [
    'under council_deliberation',
    { messages: undefined, council_deliberation: { messages: [asked, deliberated] } },
    [],
  ],
  [
    'beside the making of a prompt',
    {
      title: 'Engines',
      prompt_engineering: { messages: [{ role: 'user' }], finalized_prompt: 'x' },
    },
    ['title', 'prompt_engineering'],
  ],
  [
    'with what this council does not know',
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        asked,
        { ...deliberated, stage2_5: [{}], usage: { tokens: 7 } },
      ],
    },
    ['messages of the role system', 'stage2_5', 'usage'],
  ],
])('reads messages %s, and tells what it leaves out', async (_, file, told) => {
  const { past, leftOut } = await turnOf(deliberated, file);
  expect(past.answers).toHaveLength(2);
  expect(leftOut).toEqual(told);
});

test('reads stages by model, and a synthesis that is a bare text', async () => {
  const { past } = await turnOf({
    role: 'assistant',
    stage1: { 'openai/gpt-5.1': 'In parts.', 'x-ai/grok-4': { content: 'Not at all.' } },
    stage3: 'In parts.',
  });
  expect(past.answers.map(({ answer }) => answer)).toEqual(['In parts.', 'Not at all.']);
  expect(past.verdict).toMatchObject({ verdict: 'In parts.', by: 'chairman' });
});

test('takes a hundred answers to a question, and tells how many there were beyond', async () => {
  const stage1 = Array.from({ length: 130 }, () => ({ model: 'm', response: 'Yes.' }));
  const { past, leftOut } = await turnOf({ ...deliberated, stage1 });
  expect(new Set(past.answers.map(({ sage }) => sage)).size).toBe(100);
  expect(leftOut).toEqual(['answers beyond the first 100 of a question (30)']);
});

test('names twenty kinds of what is left out, and counts the others', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field_${at}`, 1]));
  const { leftOut } = await turnOf(deliberated, unknown);
  expect(leftOut).toHaveLength(21);
  expect(leftOut.at(-1)).toBe('10 others');
});

test('what LLM Council says when no model has answered is no answer', async () => {
  const { record, past } = await turnOf({
    role: 'assistant',
    stage1: [],
    stage2: [],
    stage3: { model: 'error', response: 'All models failed to respond. Please try again.' },
  });
  expect(record.outcome).toBe('failed');
  expect(past.verdict).toBeUndefined();
  const { past: partly } = await turnOf({
    ...deliberated,
    stage1: [...deliberated.stage1, { model: 'm', response: '', error: 'timeout' }],
  });
  expect(partly.answers.map(({ status }) => status)).toEqual(['answered', 'answered', 'failed']);
});

test('the same file makes the same turns, and is known the second time', async () => {
  expect(readOf(conversation)).toEqual(readOf(structuredClone(conversation)));
  const store = openStore();
  await importThreads(store, await readOf(conversation), quietly);
  const again = await importThreads(store, await readOf(conversation), quietly);
  expect(again).toEqual({ added: 0, known: 2, expired: 0 });
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
  [JSON.stringify({ ...conversation, created_at: '+275760-09-13T00:00:00Z' }), 'created_at'],
  [JSON.stringify({ ...conversation, id: '../../etc' }), 'id'],
  [JSON.stringify({ ...conversation, messages: [{ role: 7 }] }), 'messages[0].role'],
  [JSON.stringify({ ...conversation, messages: undefined }), 'the whole file'],
  [JSON.stringify({ ...conversation, messages: 'none' }), 'messages'],
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
])('names the place of what is wrong in %s', async (text, place) => {
  expect((await damageOf(text)).position).toBe(place);
});

test.each([
  '{"name":"council","version":"0.1.0"}',
  JSON.stringify({ ...conversation, messages: null }),
  '[]',
  '7',
])('says of %s that it is no file to import', async (text) => {
  expect(await damageOf(text)).toMatchObject({
    position: 'the whole file',
    why: 'it is neither an export of the council nor a conversation of LLM Council',
  });
});

test('what it tells of a damaged file holds nothing that a terminal would obey', async () => {
  const hostile = JSON.stringify({ ...conversation, messages: [{ role: 'user', '\u001b[2J': 1 }] });
  const { position, why } = await damageOf(hostile);
  expect(`${position}${why}`).not.toMatch(/\p{C}/u);
});

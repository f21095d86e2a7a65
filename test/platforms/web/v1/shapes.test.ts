import { expect, test } from 'vitest';
import { english } from '../../../../src/domain/languages/english.ts';
import { CodedError } from '../../../../src/platforms/web/refusals.ts';
import { deliberation, type Piece } from '../../../../src/platforms/web/v1/deliberation.ts';
import { responseEvents, wholeResponse } from '../../../../src/platforms/web/v1/responses.ts';
import { chatChunks, chatCompletion } from '../../../../src/platforms/web/v1/v1-routes.ts';
import { all, pieces, replyOf } from './pieces.ts';

const form = { reasoningField: 'reasoning_content', wantsUsage: false } as const;
const failed = new CodedError(502, 'council_failed', 'No key.');

test('chunks: the role once, one id and time and model, an end without content', async () => {
  const chunks = await all(chatChunks(replyOf(), form));
  const deltas = chunks.map(({ choices }) => choices[0]?.delta);
  expect(deltas).toEqual([
    { role: 'assistant', content: '' },
    { reasoning_content: 'The council is being seated.' },
    { reasoning_content: '\n\n### Ada\n\nYes' },
    { reasoning_content: '.' },
    { content: 'Rewrite it' },
    { content: ' in parts.' },
    {},
  ]);
  const reasons = chunks.map(({ choices }) => choices[0]?.finish_reason);
  expect(reasons).toEqual([null, null, null, null, null, null, 'stop']);
  expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`))).toEqual(
    new Set(['chatcmpl-turn-1 1700000000 council']),
  );
});

test('chunks: the usage comes last, without a choice, where it is asked for', async () => {
  const chunks = await all(chatChunks(replyOf(), { ...form, wantsUsage: true }));
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 },
  });
  expect(chunks.slice(0, -1).every((chunk) => 'usage' in chunk && chunk.usage === null)).toBe(true);
});

test('the deliberation is told in one field, which the operator names', async () => {
  const { choices } = await chatCompletion(replyOf(), 'reasoning');
  expect(choices[0]?.message).toEqual({
    role: 'assistant',
    content: 'Rewrite it in parts.',
    refusal: null,
    reasoning: 'The council is being seated.\n\n### Ada\n\nYes.',
  });
});

test('response events: in the order of the specification, each with its number', async () => {
  const events = await all(responseEvents(replyOf(), {}));
  expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
    ...['created', 'in_progress', 'output_item.added'],
    ...['reasoning_summary_part.added', 'reasoning_summary_text.delta'],
    ...['reasoning_summary_text.done', 'reasoning_summary_part.done'],
    ...['reasoning_summary_part.added', 'reasoning_summary_text.delta'],
    ...['reasoning_summary_text.delta'],
    ...['reasoning_summary_text.done', 'reasoning_summary_part.done'],
    ...['output_item.done', 'output_item.added', 'content_part.added'],
    ...['output_text.delta', 'output_text.delta', 'output_text.done', 'content_part.done'],
    ...['output_item.done', 'completed'],
  ]);
  expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
  expect(events.at(-1)).toMatchObject({
    response: { status: 'completed', error: null, usage: { total_tokens: 130 } },
  });
});

test('response events: without a thought there is no reasoning item, and the message is first', async () => {
  const events = await all(responseEvents(replyOf([{ type: 'content', text: 'Hi' }]), {}));
  expect(JSON.stringify(events)).not.toContain('"reasoning"}');
  const places = events.flatMap((event) => ('output_index' in event ? [event.output_index] : []));
  expect(new Set(places)).toEqual(new Set([0]));
});

test('response events: what is thought after the first word is left out', async () => {
  const late: Piece = { type: 'reasoning', text: 'Too late.' };
  const events = await all(responseEvents(replyOf([...pieces.slice(0, 5), late]), {}));
  expect(JSON.stringify(events)).not.toContain('Too late.');
});

test('a response tells what it goes on from and the instructions that it was given', async () => {
  const request = { previous: 'resp_0', instructions: 'In French.' };
  expect(await wholeResponse(replyOf(), request)).toMatchObject({
    id: 'resp_turn-1',
    object: 'response',
    status: 'completed',
    previous_response_id: 'resp_0',
    instructions: 'In French.',
    output: [
      { type: 'reasoning' },
      { type: 'message', content: [{ text: 'Rewrite it in parts.' }] },
    ],
  });
});

test('a council that fails: an error before the first byte, a last event after it', async () => {
  await expect(chatCompletion(replyOf([], failed), 'reasoning')).rejects.toMatchObject({
    status: 502,
    code: 'council_failed',
    message: 'No key.',
  });
  await expect(wholeResponse(replyOf([], failed), {})).rejects.toMatchObject({ status: 502 });
  const events = await all(responseEvents(replyOf(pieces.slice(0, 2), failed), {}));
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'council_failed', message: 'No key.' } },
  });
});

test('a reply that breaks off, or ends otherwise than answered, is no answer', async () => {
  await expect(all(deliberation([], english))).rejects.toThrow(/broke off/);
  const end = { outcome: 'failed', explanation: 'No key.' } as const;
  await expect(all(deliberation([{ type: 'ended', end }], english))).rejects.toMatchObject({
    status: 502,
    code: 'council_failed',
    message: 'No key.',
  });
  const stopped = { outcome: 'stopped', explanation: '' } as const;
  await expect(all(deliberation([{ type: 'ended', end: stopped }], english))).rejects.toMatchObject(
    {
      status: 400,
      code: 'council_stopped',
    },
  );
});

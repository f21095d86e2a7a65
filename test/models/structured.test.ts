import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ModelError } from '../../src/models/chat-model.ts';
import { withRetry } from '../../src/models/retry.ts';
import { askInShape } from '../../src/models/structured.ts';
import { question } from './ask.ts';
import { createScriptedModel, type ScriptedCall } from './scripted-model.ts';

const shape = {
  name: 'answer',
  schema: z.object({ answer: z.string(), focus: z.string().optional() }),
};
const good: ScriptedCall = { pieces: ['{"answer":', '"Yes."}'] };
const bad: ScriptedCall = { pieces: ['{"answer":', '42}'] };

/** Asks the script, with a listener that notes what it hears. */
async function askAndListen(...script: readonly ScriptedCall[]) {
  const { model, requests } = createScriptedModel(...script);
  const heard: unknown[] = [];
  const listener = {
    onPartial: (value: unknown) => heard.push(structuredClone(value)),
    onRestart: () => heard.push('restart'),
  };
  const calm = withRetry(model, { sleep: async () => {} });
  return { shaped: await askInShape(calm, question(), shape, listener), heard, requests };
}

describe('an answer in a shape', () => {
  it('is asked for with its schema', async () => {
    const { model, requests } = createScriptedModel(good);
    const shaped = await askInShape(model, question(), shape);
    expect(shaped).toMatchObject({ status: 'shaped', value: { answer: 'Yes.' }, tries: 1 });
    expect(requests[0]?.replySchema).toMatchObject({
      name: 'answer',
      json: { required: ['answer', 'focus'], additionalProperties: false },
    });
  });

  it('is the first object that has the shape, whatever else is there', async () => {
    const text = 'First {"plan":1}, then:\n```json\n{"answer":"Yes.","extra":2}\n```\nDone.';
    const { model } = createScriptedModel({ pieces: [text] });
    expect(await askInShape(model, question(), shape)).toMatchObject({
      value: { answer: 'Yes.' },
      tries: 1,
    });
  });

  it.each([
    ['a call of a tool', '{"name":"answer","parameters":{"answer":"Yes."}}'],
    ['a call whose arguments are a text', '{"name":"x","arguments":"{\\"answer\\":\\"Yes.\\"}"}'],
    ['a text that is encoded JSON', JSON.stringify('{"answer":"Yes."}')],
    ['a field of its own shape', JSON.stringify({ answer: '{"answer":"Yes."}' })],
    ['a copy of the schema', '{"type":"object","properties":{"answer":"Yes."}}'],
    ['an object under its name', '{"answer":{"answer":"Yes."}}'],
  ])('may be within %s', async (_what, text) => {
    const { model } = createScriptedModel({ pieces: [text] });
    const shaped = await askInShape(model, question(), shape);
    expect(shaped).toMatchObject({ status: 'shaped', value: { answer: 'Yes.' }, tries: 1 });
  });

  it('may say null for what it leaves out', async () => {
    const { model } = createScriptedModel({ pieces: ['{"answer":"Yes.","focus":null}'] });
    const shaped = await askInShape(model, question(), shape);
    expect(shaped).toMatchObject({ status: 'shaped', value: { answer: 'Yes.' }, tries: 1 });
  });

  it('is streamed to who listens', async () => {
    const { shaped, heard } = await askAndListen(good);
    expect(shaped).toMatchObject({ status: 'shaped', value: { answer: 'Yes.' } });
    expect(heard).toEqual([{}, { answer: 'Yes.' }]);
  });

  it('may be very long', async () => {
    const answer = 'A sentence, "quoted", of many more.\n'.repeat(10_000);
    const json = JSON.stringify({ answer });
    const pieces = Array.from({ length: Math.ceil(json.length / 20) }, (_, index) =>
      json.slice(index * 20, (index + 1) * 20),
    );
    const { model } = createScriptedModel({ pieces });
    let lengthHeard = 0;
    const listener = {
      onPartial: (value: unknown) => {
        lengthHeard = z.object({ answer: z.string() }).safeParse(value).data?.answer.length ?? 0;
      },
    };
    const shaped = await askInShape(model, question(), shape, listener);
    expect(shaped).toMatchObject({ status: 'shaped', value: { answer } });
    expect(lengthHeard).toBe(answer.length);
  });
});

describe('an answer in a wrong shape', () => {
  it.each([
    ['a wrong field', bad, /answer/],
    ['a missing field', { pieces: ['{"summary":"Yes."}'] }, /answer/],
    ['half of the JSON', { pieces: ['{"answer":"Ye'] }, /not valid JSON/],
    ['prose', { pieces: ['Yes.'] }, /no JSON object/],
    [
      'a reply cut at the limit',
      { pieces: ['{"answer":"Ye'], reply: { finishReason: 'length' } } as const,
      /cut off at the length limit/,
    ],
  ])('is mended in the same conversation: %s', async (_what, first, problem) => {
    const { model, requests } = createScriptedModel(first, good);
    const shaped = await askInShape(model, question(), shape);
    expect(shaped).toMatchObject({ status: 'shaped', value: { answer: 'Yes.' }, tries: 2 });
    expect(requests[1]?.messages).toEqual([
      ...question().messages,
      { role: 'assistant', content: first.pieces?.join('') },
      { role: 'user', content: expect.stringMatching(problem) },
    ]);
    expect(requests[1]?.replySchema).toEqual(requests[0]?.replySchema);
  });

  it('is mended with every try in the conversation', async () => {
    const { model, requests } = createScriptedModel(bad, { pieces: ['Sorry.'] }, good);
    expect(await askInShape(model, question(), shape)).toMatchObject({ tries: 3 });
    expect(requests[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('tells who listens that it begins anew', async () => {
    const { heard } = await askAndListen(bad, good);
    expect(heard).toEqual([{}, { answer: 42 }, 'restart', {}, { answer: 'Yes.' }]);
  });

  it('is plain text after three tries: the first in prose', async () => {
    const { model } = createScriptedModel(bad, { pieces: [' Yes, but. '] }, { pieces: ['Sorry.'] });
    expect(await askInShape(model, question(), shape)).toEqual({
      status: 'unshaped',
      text: 'Yes, but.',
      problem: 'There is no JSON object in it.',
      reply: { text: ' Yes, but. ', reasoning: '', finishReason: 'stop' },
      tries: 3,
    });
  });

  it.each([
    ['alone', '{"response":"Yes, but.","why":"It is cheap.","score":3}'],
    ['in a fence', '```json\n{"response":"Yes, but.","why":"It is cheap."}\n```'],
  ])(
    'is the texts of an object after three tries, %s: no one reads braces',
    async (_where, said) => {
      const { model } = createScriptedModel(bad, bad, { pieces: [said] });
      const text = 'Yes, but.\n\nIt is cheap.';
      expect(await askInShape(model, question(), shape)).toMatchObject({
        status: 'unshaped',
        text,
      });
    },
  );

  it('is the last reply as it stands after three tries without prose', async () => {
    const { model } = createScriptedModel(bad, bad, { pieces: ['{"answer":43}'] });
    expect(await askInShape(model, question(), shape)).toMatchObject({
      status: 'unshaped',
      text: '{"answer":43}',
      problem: expect.stringMatching(/does not fit the schema/),
    });
  });
});

describe('a call that fails', () => {
  const error = new ModelError('It broke off.', {
    failure: 'broken_stream',
    model: 'scripted:model',
  });

  it('fails with the error of the model', async () => {
    const { model } = createScriptedModel(bad, { error });
    await expect(askInShape(model, question(), shape)).rejects.toBe(error);
  });

  it('begins anew for who listens when it is retried', async () => {
    const { shaped, heard } = await askAndListen({ pieces: ['{"answer":"No'], error }, good);
    expect(shaped).toMatchObject({ value: { answer: 'Yes.' }, tries: 1 });
    expect(heard).toEqual([{ answer: 'No' }, 'restart', {}, { answer: 'Yes.' }]);
  });
});

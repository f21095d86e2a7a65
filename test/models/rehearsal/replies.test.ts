import { expect, it } from 'vitest';
import { readBallot } from '../../../src/council/ballot.ts';
import { seatingShape } from '../../../src/council/prompts/moderator-prompt.ts';
import { sageShape } from '../../../src/council/prompts/sage-prompt.ts';
import type { Discussion } from '../../../src/memory/minutes/discussion.ts';
import { writeMinutes } from '../../../src/memory/minutes/minutes.ts';
import { noLanguage } from '../../../src/memory/recall/retrieval/language.ts';
import { openModel } from '../../../src/models/providers.ts';
import { reviewPrompt, sageOf, sagePrompt, seatingPrompt } from './council-prompts.ts';
import { rehearse, textOf } from './rehearsal.ts';

it('seats sages of the bench that the prompt shows', async () => {
  const { client, server } = await rehearse();
  const reply = await textOf(client, seatingPrompt('Should I move?'), 'seating');
  const { predefined_chosen_sages } = seatingShape.schema.parse(JSON.parse(reply));
  expect(predefined_chosen_sages).toEqual(['engineer', 'economist', 'strategy_expert']);
  expect(server.journal()).toMatchObject([{ part: 'moderator' }]);
});

it.each(['engineer', 'strategy_expert'])(
  'knows %s, and answers in the form asked for',
  async (key) => {
    const { client, server } = await rehearse();
    const reply = await textOf(client, sagePrompt(sageOf(key), 'Should I move?'), 'sage_answer');
    expect(sageShape.schema.parse(JSON.parse(reply)).answer).toContain('Should I move?');
    expect(server.journal()).toMatchObject([{ part: 'sage', sage: key }]);
  },
);

it('reviews with a ballot of the labels shown', async () => {
  const { client, server } = await rehearse();
  const prompt = reviewPrompt(sageOf('engineer'), 'Why?', { B: 'Wait.', A: 'Go.' });
  expect(readBallot(await textOf(client, prompt), ['B', 'A'])).toMatchObject({
    status: 'ranked',
    groups: [['A'], ['B']],
  });
  expect(server.journal()).toMatchObject([{ part: 'reviewer' }]);
});

it('keeps whole minutes at the first try', async () => {
  const discussion: Discussion = {
    said: [
      { number: 1, by: 'Uma', kind: 'question', text: 'Should we move 120 people?' },
      { number: 2, by: 'Ada Sage', kind: 'answer', text: 'Move in 3 steps. Who pays?' },
      { number: 3, by: 'the chair', kind: 'verdict', text: 'Move slowly. Ask again.' },
    ],
    leftOut: [],
  };
  const { server } = await rehearse();
  const model = openModel('rehearsal:sages', {
    rehearsal: { baseUrl: server.baseUrl, structuredOutput: 'json_schema', streamUsage: true },
  });
  const { brief, record } = await writeMinutes(discussion, {
    questions: [],
    timeZone: 'UTC',
    briefModel: model,
    recordModel: model,
    language: noLanguage,
    languageRule: '',
    signal: new AbortController().signal,
  });
  expect(brief.missing).toEqual([]);
  expect(record).toMatchObject({
    question: 'Should we move 120 people?',
    positions: [{ said: 2 }],
    decision: { status: 'none' },
  });
  expect(server.journal().map(({ part }) => part)).toEqual(['brief', 'record']);
});

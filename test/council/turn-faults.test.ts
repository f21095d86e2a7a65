import { describe, expect, test } from 'vitest';
import { Cutoff } from '../../src/council/cutoff.ts';
import type { Sage } from '../../src/domain/turn.ts';
import { type ChatModel, ModelError } from '../../src/models/chat-model.ts';
import { withFallback } from '../../src/models/retry.ts';
import { scriptedModel } from '../fakes/scripted-model.ts';
import {
  answer,
  only,
  ranks,
  run,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from './scripted-council.ts';

const rejected = new ModelError('The key for test was rejected. Check TEST_API_KEY.', {
  failure: 'key_rejected',
  model: 'test:x',
});

describe('a turn in which something fails', () => {
  test('goes on without a sage that failed, and shows it to no reviewer and not to the chair', async () => {
    const models = scriptedModels({
      ...wholeScript,
      sages: { ...wholeScript.sages, ben: [rejected] },
      reviews: Object.fromEntries(
        ['ada', 'cleo', 'dan'].map((key) => [key, ['No ranking from me.']]),
      ),
    });
    const events = await run(models);
    expect(
      only(events, 'answered').find(({ answer: { sage } }) => sage === 'ben')?.answer,
    ).toMatchObject({
      status: 'failed',
      answer: `Error: ${rejected.message}`,
      summary: 'Error invoking sage.',
      reason: 'key_rejected',
    });
    const prompts = [...models.reviewer({ key: 'ada' }).requests, ...models.chair.requests].map(
      ({ messages }) => messages.at(-1)?.content ?? '',
    );
    expect(prompts).toHaveLength(2);
    for (const prompt of prompts) {
      expect(prompt).not.toContain('Error');
      expect(prompt).not.toContain('Ben');
    }
    expect(models.unsaid()).toBe(0);
  });

  test('fails with the actual cause when every sage fails, and asks no one further', async () => {
    const models = scriptedModels({
      moderator: wholeScript.moderator ?? [],
      sages: { ada: [rejected], ben: [rejected], cleo: [rejected], dan: [rejected] },
    });
    const events = await run(models);
    expect(events.at(-1)).toEqual({
      type: 'ended',
      end: { outcome: 'failed', explanation: rejected.message },
    });
    expect(only(events, 'concluded')).toEqual([]);
  });

  test('takes plain text as the answer once two repairs have failed', async () => {
    const models = scriptedModels({
      sages: {
        ben: ['Leave it. It works. It will go on.', 'What JSON?', 'I have said it.'],
      },
    });
    const events = await run(models, { request: { sages: ['ben'] } });
    expect(only(events, 'answered')[0]?.answer).toMatchObject({
      status: 'answered',
      answer: 'Leave it. It works. It will go on.',
    });
    expect(only(events, 'answered')[0]?.answer.summary).toMatch(/^Leave it\./);
    expect(models.sage({ key: 'ben' }).requests.at(-1)?.messages.length).toBe(6);
  });

  test('repairs an answer in the same conversation, with the complaint in view', async () => {
    const models = scriptedModels({ sages: { ben: ['{"summary": "No."}', answer('No.')] } });
    const events = await run(models, { request: { sages: ['ben'] } });
    expect(only(events, 'answered')[0]?.answer).toMatchObject({
      status: 'answered',
      answer: 'No.',
    });
    const [, repair] = models.sage({ key: 'ben' }).requests;
    expect(repair?.messages.at(-2)).toEqual({ role: 'assistant', content: '{"summary": "No."}' });
    expect(repair?.messages.at(-1)?.content).toContain('answer');
  });

  test.each(['{"answer": "No. Never."}', '{"answer": "No. Never.", "summary": null}'])(
    'asks no second time for a summary alone: %s',
    async (reply) => {
      const models = scriptedModels({ sages: { ben: [reply] } });
      const events = await run(models, { request: { sages: ['ben'] } });
      expect(only(events, 'answered')[0]?.answer).toMatchObject({
        status: 'answered',
        answer: 'No. Never.',
        summary: 'No. Never.',
      });
    },
  );

  const outOfTime = new Cutoff('timed_out', 'Ben Sage did not answer within 20 s.');
  const brokenOff = new ModelError('test:x broke off its answer.', {
    failure: 'broken_stream',
    model: 'test:x',
  });

  test('keeps a whole answer when its repair fails', async () => {
    const models = scriptedModels({
      sages: { ben: ['{"answer": "No. Never.", "summary": "N', rejected] },
    });
    const events = await run(models, { request: { sages: ['ben'] } });
    expect(only(events, 'answered')[0]?.answer).toMatchObject({
      status: 'answered',
      answer: 'No. Never.',
      summary: 'No. Never.',
    });
    expect(events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  });

  test('prefers a whole answer to the excuses of its repairs', async () => {
    const models = scriptedModels({
      sages: { ben: ['{"answer": "No. Never.", "summary": "N', 'Sorry!', 'I have no JSON.'] },
    });
    const events = await run(models, { request: { sages: ['ben'] } });
    expect(only(events, 'answered')[0]?.answer).toMatchObject({ answer: 'No. Never.' });
  });

  /** Ben, Cleo and the chair fail when all of their text has come, but for the end of the JSON. */
  async function failingAtTheEnd(error: Error) {
    const models = scriptedModels({
      ...wholeScript,
      moderator: [seating(['ben', 'cleo'])],
      sages: { ben: [answer('No. Never.')], cleo: [answer('Yes.')] },
      reviews: {},
      chair: [JSON.stringify({ verdict: 'Wait.', consensus: ['It is slow.'] })],
    });
    const failing = (model: ChatModel): ChatModel => ({
      ...model,
      async *stream(asked) {
        for await (const chunk of model.stream(asked)) {
          if (chunk.type !== 'text') throw error;
          yield { type: 'text', text: chunk.text.slice(0, -4) };
        }
      },
    });
    const events = await run(
      { ...models, sage: (sage) => failing(models.sage(sage)), chair: failing(models.chair) },
      { request: { depth: 'quick' } },
    );
    return {
      answers: only(events, 'answered').map((event) => event.answer),
      verdict: only(events, 'concluded')[0]?.verdict,
    };
  }

  test('keeps an answer and a verdict that people have read to the end when time runs out', async () => {
    const { answers, verdict } = await failingAtTheEnd(outOfTime);
    expect(answers).toMatchObject([
      { status: 'answered', answer: 'No. Never.', summary: 'No. Never.' },
      { status: 'answered', answer: 'Yes.', summary: 'Yes.' },
    ]);
    expect(verdict).toMatchObject({
      kind: 'synthesis',
      verdict: 'Wait.',
      notice: `Only the verdict itself came: ${outOfTime.message}`,
    });
  });

  test('counts no answer whose stream breaks off, also near its end', async () => {
    const { answers } = await failingAtTheEnd(brokenOff);
    expect(answers).toMatchObject([
      { status: 'failed', reason: 'broken_stream', partial: 'No. Never.' },
      { status: 'failed', reason: 'broken_stream', partial: 'Yes.' },
    ]);
  });

  test('does not take a text that only a raw quote ends for a whole one', async () => {
    const models = scriptedModels({
      sages: { ben: ['{"answer": "He said "no" and', rejected] },
    });
    const events = await run(models, { request: { sages: ['ben'] } });
    expect(only(events, 'answered')[0]?.answer).toMatchObject({ status: 'failed' });
  });

  test('takes nothing for nothing, and one thing for a list, however moderator and chair write it', async () => {
    const models = scriptedModels({
      ...wholeScript,
      moderator: ['{"predefined_chosen_sages":"ben","new_sages_to_create":null}'],
      sages: { ben: wholeScript.sages?.ben ?? [] },
      reviews: { ben: ['FINAL RANKING: Response A'] },
      chair: [
        JSON.stringify({
          ...JSON.parse(verdict),
          consensus: null,
          disagreements: 'How fast.',
          minority_report: null,
          unsettled: '',
        }),
      ],
    });
    const events = await run(models);
    expect(only(events, 'concluded')[0]?.verdict).toMatchObject({
      kind: 'synthesis',
      consensus: [],
      disagreements: ['How fast.'],
      minorityReport: '',
      unsettled: [],
    });
    expect(models.chair.requests).toHaveLength(1);
  });

  test('takes a word for what it means, capitalised or with more, and asks no one again for it', async () => {
    const models = scriptedModels({
      ...wholeScript,
      moderator: [JSON.stringify({ ...JSON.parse(seating(['ben', 'cleo'])), depth: 'Quick' })],
      sages: { ben: [answer('No.')], cleo: [answer('Yes.')] },
      reviews: {},
      chair: [JSON.stringify({ ...JSON.parse(verdict), confidence: ' High (80 %)' })],
    });
    const events = await run(models, { request: { depth: 'auto' } });
    expect(only(events, 'seated')[0]?.seated).toMatchObject({ how: 'moderated', depth: 'quick' });
    expect(only(events, 'concluded')[0]?.verdict).toMatchObject({ confidence: 'high' });
    expect(models.moderator.requests).toHaveLength(1);
    expect(models.chair.requests).toHaveLength(1);
  });

  test('names the model that wrote a review in place of the one that failed', async () => {
    const models = scriptedModels({
      ...wholeScript,
      reviews: { ...wholeScript.reviews, ada: [rejected] },
    });
    const second = scriptedModel('test:second', ['FINAL RANKING:\n1. Response A']);
    const reviewer = ({ key }: { readonly key: string }) =>
      key === 'ada' ? withFallback(models.reviewer({ key }), [second]) : models.reviewer({ key });
    const reviews = only(await run({ ...models, reviewer }), 'reviewed');
    expect(reviews.find(({ review }) => review.reviewer === 'ada')?.review).toMatchObject({
      model: 'test:second',
      ballot: { status: 'ranked' },
    });
  });

  test.each([
    [undefined, 'test:second took the chair in place of test:chair.'],
    ['de', 'test:second hat den Vorsitz anstelle von test:chair übernommen.'],
  ])(
    'lets the second chair conclude when the first fails, and says so: %s',
    async (language, told) => {
      const models = scriptedModels({ ...wholeScript, chair: [rejected] });
      const second = scriptedModel('test:second', [verdict]);
      const chair = withFallback(models.chair, [second]);
      const request = language === undefined ? {} : { language };
      const [concluded] = only(await run({ ...models, chair }, { request }), 'concluded');
      expect(concluded?.verdict).toMatchObject({ kind: 'synthesis', by: 'test:second' });
      expect(concluded?.verdict.notice).toBe(told);
    },
  );

  test('names the model that stood in for a sage', async () => {
    const models = scriptedModels({
      ...wholeScript,
      sages: { ...wholeScript.sages, ben: [rejected] },
    });
    const second = scriptedModel('test:second', [answer('Ben says no.')]);
    const sage = (one: Pick<Sage, 'key'>) =>
      one.key === 'ben' ? withFallback(models.sage(one), [second]) : models.sage(one);
    const events = await run({ ...models, sage });
    const given = only(events, 'answered').find((event) => event.answer.sage === 'ben');
    expect(given?.answer).toMatchObject({ status: 'answered', model: 'test:second' });
  });

  test('ends at once, told once, when the moderator’s model answers no one and no other one sits', async () => {
    const models = scriptedModels({ moderator: [rejected] });
    const sage = () => models.moderator;
    const events = await run({ ...models, sage });
    expect(only(events, 'answered')).toEqual([]);
    expect(events.at(-1)).toEqual({
      type: 'ended',
      end: { outcome: 'failed', explanation: rejected.message },
    });
    expect(JSON.stringify(events).split(rejected.message)).toHaveLength(2);
  });

  test.each(['rate_limited', 'server_error', 'empty'] as const)(
    'tells once why neither moderator nor fallback council answered: %s',
    async (failure) => {
      const failed = new ModelError('It is busy. Ask again.', { failure, model: 'test:moderator' });
      const models = scriptedModels({ moderator: [failed, failed] });
      const events = await run({ ...models, sage: () => models.moderator });
      expect(only(events, 'seated')[0]?.seated).toMatchObject({
        how: 'fallback',
        because: 'failed',
        note: 'The moderator failed.',
      });
      expect(only(events, 'ended')[0]?.end.explanation).toBe('It is busy. Ask again.');
    },
  );

  test('seats the fallback council, under a note, when it has a model of its own', async () => {
    const sages = { eve: [answer('Wait.')] };
    const models = scriptedModels({ moderator: [rejected], sages, chair: [verdict] });
    const [seated] = only(await run(models), 'seated');
    expect(seated?.seated).toMatchObject({
      how: 'fallback',
      because: 'failed',
      note: `The moderator failed: ${rejected.message}`,
    });
  });

  test('shows the best-ranked answer under a notice when no chair can be had', async () => {
    const [concluded] = only(
      await run(scriptedModels({ ...wholeScript, chair: [rejected] })),
      'concluded',
    );
    expect(concluded?.verdict).toMatchObject({
      kind: 'top_answer',
      verdict: 'Ada says yes.',
      by: 'ada',
    });
    expect(concluded?.verdict.notice).toContain(rejected.message);
    expect(concluded?.verdict.notice).toContain('not a verdict of the council');
  });

  test('says that the best-ranked answer shares its place when it does', async () => {
    const adaFirst = ['Ada says yes.', 'Dan says in parts.', 'Cleo says later.', 'Ben says no.'];
    const [ada = '', dan = '', ...rest] = adaFirst;
    const reviews = {
      ada: [ranks(...adaFirst)],
      ben: [ranks(...adaFirst)],
      cleo: [ranks(dan, ada, ...rest)],
      dan: [ranks(dan, ada, ...rest)],
    };
    const models = scriptedModels({ ...wholeScript, reviews, chair: [rejected] });
    const [concluded] = only(await run(models), 'concluded');
    expect(concluded?.verdict).toMatchObject({
      by: 'ada',
      notice: expect.stringContaining(
        'the answer of Ada Sage, which the reviewers placed first in a tie with Dan Sage.',
      ),
    });
  });

  test('concludes without a ranking when no ballot can be read', async () => {
    const reviews = Object.fromEntries(
      ['ada', 'ben', 'cleo', 'dan'].map((key) => [
        key,
        ['Response A and Response B are both fine.'],
      ]),
    );
    const events = await run(scriptedModels({ ...wholeScript, reviews }));
    expect(
      only(events, 'reviewed').every(({ review }) => review.ballot.status === 'abstained'),
    ).toBe(true);
    expect(only(events, 'ranked')).toEqual([]);
    expect(only(events, 'concluded')[0]?.verdict.kind).toBe('synthesis');
  });
});

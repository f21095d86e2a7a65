import { describe, expect, test } from 'vitest';
import { stopRequested } from '../../src/council/cutoff.ts';
import type { TurnStage } from '../../src/council/events.ts';
import type { Seated, TurnRequest } from '../../src/domain/turn.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import { wordlessQuestion } from '../../src/platforms/chat/surroundings.ts';
import { hang, type Line } from '../fakes/scripted-model.ts';
import {
  answer,
  only,
  request,
  run,
  type Script,
  scriptedModels,
  verdict,
  wholeScript,
} from './scripted-council.ts';

const rejected = new ModelError('The key for test was rejected. Check TEST_API_KEY.', {
  failure: 'key_rejected',
  model: 'test:x',
});

describe('a turn without a council', () => {
  const aloneIs = (alone: string, predefined: readonly string[] = []) =>
    JSON.stringify({ predefined_chosen_sages: predefined, new_sages_to_create: [], alone });

  const spoken = { forSages: [{ role: 'assistant', content: 'No.', by: 'ben' }] } as const;

  test('is one text of the chair, from what was said before, where nothing new is to be thought about', async () => {
    const models = scriptedModels({ moderator: [aloneIs('chair')], chair: [verdict] });
    const said = { role: 'user', content: '<summary sage="ben">\nNo.\n</summary>' } as const;
    const events = await run(models, { context: { ...spoken, forChairAlone: [said] } });
    expect(models.unsaid()).toBe(0);
    expect(events.map(({ type }) => type)).not.toContain('own_answer');
    const stages = only(events, 'stage_started').map(({ stage }) => stage);
    expect(stages).toEqual(['moderator', 'verdict']);
    expect(only(events, 'seated')[0]?.seated).toMatchObject({ seats: [], dropped: [] });
    const [concluded] = only(events, 'concluded');
    expect(concluded?.verdict.verdict).toBe('Rewrite it in parts.');
    expect(concluded?.verdict).not.toHaveProperty('confidence');
    const [system, ...told] = models.chair.requests[0]?.messages ?? [];
    expect(system?.content).toMatch(/No sage was asked .* promise nothing/);
    expect(told[0]?.content).toBe(said.content);
  });

  test('is asked for by one call once more where its process ended before it', async () => {
    const seated: Seated = { seats: [], how: 'addressed', dropped: [], latencyMs: 1 };
    const models = scriptedModels({ chair: [verdict] });
    const passed = { seated, answers: [], reviews: [] };
    const events = await run(models, { context: spoken, passed });
    expect(models.unsaid()).toBe(0);
    expect(models.moderator.requests).toEqual([]);
    expect(only(events, 'concluded')).toHaveLength(1);
  });

  test('fails with the cause where that text can’t be had', async () => {
    const models = scriptedModels({ moderator: [aloneIs('chair')], chair: [rejected] });
    expect((await run(models, { context: spoken })).at(-1)).toMatchObject({
      end: { outcome: 'failed', explanation: expect.stringContaining('key for test was rejected') },
    });
  });

  test.each(['ben', 'Ben Sage'])(
    'is the answer of %s alone, where that one is asked for',
    async (alone) => {
      const script = { moderator: [aloneIs(alone)], sages: { ben: [answer('No.')] } };
      const models = scriptedModels(script);
      const events = await run(models);
      expect(only(events, 'answered')).toHaveLength(1);
      expect(only(events, 'concluded')).toEqual([]);
      expect(models.sage({ key: 'ben' }).requests[0]?.messages[0]?.content).toContain(
        'to you alone',
      );
    },
  );

  test.each([
    ['chair', ['ada'], ['ada']],
    ['ben', ['ada', 'ben'], ['ada', 'ben']],
    ['key', [], ['eve']],
    // Nothing was said yet that the chair could say again.
    ['chair', [], ['eve']],
  ])('is not what “%s” beside %j means', async (alone, named, seated) => {
    const sages = Object.fromEntries(seated.map((key) => [key, [answer('Yes.')]]));
    const script = { moderator: [aloneIs(alone, named)], sages, chair: [verdict] };
    const context = named.length > 0 ? spoken : {};
    const events = await run(scriptedModels(script), { context, request: { depth: 'quick' } });
    const seats = only(events, 'seated').flatMap((event) => event.seated.seats);
    expect(seats.map(({ sage }) => sage.key)).toEqual(seated);
    expect(only(events, 'concluded')).toHaveLength(1);
  });
});

describe('a whole turn', () => {
  test('seats, asks, reviews and concludes with one call for each part and no more', async () => {
    const models = scriptedModels(wholeScript);
    const events = await run(models);
    expect(models.unsaid()).toBe(0);
    expect(only(events, 'stage_started').map(({ stage }) => stage)).toEqual<TurnStage[]>([
      'moderator',
      'sages',
      'reviews',
      'verdict',
    ]);
    expect(only(events, 'answered').map(({ answer: { status } }) => status)).toEqual(
      Array(4).fill('answered'),
    );
    expect(only(events, 'reviewed')).toHaveLength(4);
    expect(only(events, 'concluded')[0]?.verdict).toMatchObject({
      kind: 'synthesis',
      verdict: 'Rewrite it in parts.',
      minorityReport: 'Ben would leave it.',
      confidence: 'medium',
      by: 'test:chair',
    });
    expect(events.at(-1)).toEqual({ type: 'ended', end: { outcome: 'answered', explanation: '' } });
  });

  test('ranks by the ballots and says how far the reviewers agree', async () => {
    const [ranked] = only(await run(scriptedModels(wholeScript)), 'ranked');
    expect(ranked?.ranking.places.map(({ sage }) => sage)).toEqual(['ada', 'dan', 'cleo', 'ben']);
    expect(ranked?.ranking.agreement).toBeCloseTo(1);
    expect(ranked?.sameModel).toBe(false);
    expect(ranked?.disagreement).toMatchObject({ word: 'aligned', ballots: 4, concordance: 1 });
  });

  test('follows the language of the conversation where the question is not the asker’s own words', async () => {
    const told = async (language: object) => {
      const models = scriptedModels(wholeScript);
      await run(models, { request: { question: wordlessQuestion }, council: language });
      const parts = [models.moderator, models.sage({ key: 'ben' }), models.chair];
      return parts.map(({ requests }) => requests[0]?.messages[0]?.content ?? '');
    };
    for (const system of await told({})) {
      expect(system).toContain('in the language of the conversation around the question.');
    }
    for (const system of await told({ language: 'German' })) expect(system).toContain('in German.');
  });

  test('puts the original question into every prompt, and the focus beside it', async () => {
    const models = scriptedModels(wholeScript);
    await run(models);
    const asked = ['ada', 'ben', 'cleo', 'dan'].flatMap((key) => [
      ...models.sage({ key }).requests,
      ...models.reviewer({ key }).requests,
    ]);
    for (const call of [...asked, ...models.moderator.requests, ...models.chair.requests]) {
      expect(call.messages.at(-1)?.content).toContain(request.question);
    }
    const [toAda] = models.sage({ key: 'ada' }).requests;
    expect(toAda?.messages.at(-1)?.content).toContain('What breaks first?');
    expect(toAda?.messages[0]?.content).toContain('You think as Ada');
    expect(models.sage({ key: 'ben' }).requests[0]?.messages[0]?.content).toContain(
      'You are Ben Sage',
    );
  });

  test('shows the chair every answer, not only the winner', async () => {
    const models = scriptedModels(wholeScript);
    await run(models);
    const shown = models.chair.requests[0]?.messages.at(-1)?.content ?? '';
    for (const said of [
      'Ada says yes.',
      'Ben says no.',
      'Cleo says later.',
      'Dan says in parts.',
    ]) {
      expect(shown).toContain(said);
    }
  });

  test('shows the chair what the reviews hold against each answer, by the names of the sages', async () => {
    const reviewed: Line = async (asked) => {
      const shown = asked.messages.at(-1)?.content ?? '';
      const labelOf = (said: string) =>
        /<response label="(\w)">\n$/.exec(shown.split(said)[0] ?? '')?.[1];
      const [ada, ben] = [labelOf('Ada says yes.'), labelOf('Ben says no.')];
      return `GRAVEST ERROR: Response ${ada}: It forgets what Response ${ben} counts.\nGRAVEST ERROR: Response ${ben}: none\nMISSED BY ALL: <answer> of the lease.\nNo more.`;
    };
    const models = scriptedModels({
      ...wholeScript,
      reviews: { ...wholeScript.reviews, ben: [reviewed], cleo: ['GRAVEST ERROR: unclear.'] },
    });
    await run(models);
    const shown = models.chair.requests[0]?.messages.at(-1)?.content ?? '';
    expect(shown).toContain(
      'Ada says yes.\n</answer>\n\n<objections sage="Ada Sage">\n- It forgets what Ben Sage counts.\n</objections>',
    );
    expect(shown).toContain('<missed>\n- &lt;answer> of the lease.\n</missed>');
    expect(shown.match(/<objections/g)).toHaveLength(1);
    expect(shown).toContain('<answer sage="Ada Sage" focus="What breaks first?">');
    expect(models.chair.requests[0]?.messages[0]?.content).toContain(
      'you see their objections, what they miss in all of the answers and their ranking.',
    );
  });

  test('shows the chair no answer twice', async () => {
    const models = scriptedModels(wholeScript);
    await run(models);
    expect(models.chair.requests[0]?.messages.at(-1)?.content).not.toContain('In short');
  });

  test('tells the chair in words how the answers came off', async () => {
    const models = scriptedModels(wholeScript);
    await run(models);
    const shown = models.chair.requests[0]?.messages.at(-1)?.content ?? '';
    expect(/<ranking>\n([\s\S]*)\n<\/ranking>/.exec(shown)?.[1]?.split('\n')).toEqual([
      'Each reviewer put the answers in order without knowing whose they were. Best first, with the share of pairwise comparisons that each won:',
      '1. Ada Sage: 100 %',
      '2. Dan Sage: 67 %',
      '3. Cleo Sage: 33 %',
      '4. Ben Sage: 0 %',
      'The reviewers largely agree on this order.',
    ]);
  });

  test('keeps what the chair leaves open, and why it is as sure as it is', async () => {
    const chair = JSON.stringify({
      verdict: 'In parts.',
      consensus: [],
      disagreements: [],
      minority_report: '',
      unsettled: ['How fast it must be.'],
      confidence: 'low',
      confidence_reason: 'No figures.',
    });
    const [concluded] = only(
      await run(scriptedModels({ ...wholeScript, chair: [chair] })),
      'concluded',
    );
    expect(concluded?.verdict).toMatchObject({
      verdict: 'In parts.',
      unsettled: ['How fast it must be.'],
      confidence: 'low',
      confidenceReason: 'No figures.',
    });
  });

  test('holds no reviews at depth quick', async () => {
    const { reviews: _reviews, ...quick } = wholeScript;
    const models = scriptedModels(quick);
    const events = await run(models, { request: { depth: 'quick' } });
    expect(only(events, 'reviewed')).toEqual([]);
    expect(only(events, 'ranked')).toEqual([]);
    expect(only(events, 'concluded')).toHaveLength(1);
    expect(models.chair.requests[0]?.messages[0]?.content).not.toContain('reviewed the answers');
  });

  test('lets one addressed sage speak alone, with no other call', async () => {
    const models = scriptedModels({ sages: { ben: [answer('Ben says no.')] } });
    const events = await run(models, { request: { sages: ['ben'] } });
    expect(only(events, 'answered').map(({ answer: { sage } }) => sage)).toEqual(['ben']);
    expect(only(events, 'concluded')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  });

  test('tells a sage of others only where others answer, or answered at first', async () => {
    const told = async (request: Partial<TurnRequest>) => {
      const models = scriptedModels({ sages: { ben: [answer('Ben says no.')] } });
      await run(models, { request: { sages: ['ben'], ...request } });
      return models.sage({ key: 'ben' }).requests[0]?.messages[0]?.content;
    };
    const alone = await told({});
    expect(alone).toContain('put to you alone: answer all of it');
    expect(alone).not.toContain('Others answer');
    const again = { name: 'Ben', firstAskedAt: 0 };
    expect(await told({ follows: { turnId: 'first', again } })).toContain('Others answer');
  });

  test('skips the moderator where the seats are fixed', async () => {
    const { moderator: _moderator, ...fixed } = wholeScript;
    const models = scriptedModels(fixed);
    const events = await run(models, { council: { seats: ['ada', 'ben', 'cleo', 'dan'] } });
    expect(only(events, 'seated')[0]?.seated.how).toBe('fixed');
    expect(models.unsaid()).toBe(0);
  });
});

describe('a turn that is stopped', () => {
  const stages: readonly { stage: TurnStage; script: Script }[] = [
    { stage: 'moderator', script: { moderator: [hang] } },
    {
      stage: 'sages',
      script: {
        ...wholeScript,
        sages: { ada: [answer('Ada says yes.')], ben: [hang], cleo: [hang], dan: [hang] },
      },
    },
    {
      stage: 'reviews',
      script: { ...wholeScript, reviews: { ada: [hang], ben: [hang], cleo: [hang], dan: [hang] } },
    },
    { stage: 'verdict', script: { ...wholeScript, chair: [hang] } },
  ];

  test.each(stages)(
    'ends as stopped in stage $stage, with every call in flight aborted',
    async ({ stage, script }) => {
      const models = scriptedModels(script);
      const stop = new AbortController();
      const events = await run(models, {
        signal: stop.signal,
        onEvent: (event) => {
          if (event.type === 'stage_started' && event.stage === stage)
            setTimeout(() => stop.abort(stopRequested()));
        },
      });
      expect(events.at(-1)).toMatchObject({ end: { outcome: 'stopped' } });
      expect(only(events, 'concluded')).toEqual([]);
      const calls = ['ada', 'ben', 'cleo', 'dan'].flatMap((key) => [
        ...models.sage({ key }).requests,
        ...models.reviewer({ key }).requests,
      ]);
      const hanging = [...calls, ...models.moderator.requests, ...models.chair.requests].filter(
        ({ signal }) => signal.aborted,
      );
      expect(hanging.length).toBeGreaterThan(0);
    },
  );

  test.each([
    ['what was said is kept once a sage has answered', answer('Yes.'), 'What was said is kept.'],
    ['no sage had answered, where the first failed', rejected, 'No sage had answered yet.'],
  ])('says that %s', async (_case, first, kept) => {
    const stop = new AbortController();
    const events = await run(scriptedModels({ sages: { ada: [first], ben: [hang] } }), {
      request: { sages: ['ada', 'ben'] },
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === 'answered') stop.abort(stopRequested());
      },
    });
    expect(events.at(-1)).toMatchObject({ end: { explanation: `Stopped. ${kept}` } });
  });

  test('keeps what a sage had said so far', async () => {
    const stop = new AbortController();
    const models = scriptedModels({
      sages: {
        ben: [['{"answer": "I begin', ...Array(50).fill(' with this'), '"', ', "summary": "s"}']],
      },
    });
    const events = await run(models, {
      request: { sages: ['ben'] },
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'answer_grew') stop.abort(stopRequested());
      },
    });
    const [ended] = only(events, 'answered');
    expect(ended?.answer.status).toBe('stopped');
    expect(ended?.answer.answer).toMatch(/^I begin/);
  });

  test('throws for any other abort, so that the turn can be resumed', async () => {
    const shutdown = new AbortController();
    const models = scriptedModels({ ...wholeScript, chair: [hang] });
    const reason = new Error('shutting down');
    const turn = run(models, {
      signal: shutdown.signal,
      onEvent: (event) => {
        if (event.type === 'stage_started' && event.stage === 'verdict')
          setTimeout(() => shutdown.abort(reason));
      },
    });
    await expect(turn).rejects.toBe(reason);
  });
});

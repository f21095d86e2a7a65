import { describe, expect, test } from 'vitest';
import { stopRequested } from '../../src/council/cutoff.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import { hang } from '../fakes/scripted-model.ts';
import { answer, only, run, scriptedModels, verdict, wholeScript } from './scripted-council.ts';

const away = new ModelError('The key for test was rejected.', {
  failure: 'key_rejected',
  model: 'test:chair',
});

/** The text that the chair was sent for its verdict. */
function chairRead(models: ReturnType<typeof scriptedModels>): string {
  return models.chair.requests[0]?.messages.at(-1)?.content ?? '';
}

describe('the chair’s own answer', () => {
  test('is asked for without the council’s, and stands before the chair when it writes the verdict', async () => {
    const asked: string[] = [];
    const models = scriptedModels({
      ...wholeScript,
      ownAnswers: [
        ({ messages }) => {
          asked.push(...messages.map(({ content }) => content));
          return 'I would <draft>wait</draft>.';
        },
      ],
    });
    const events = await run(models);
    expect(asked.join('\n')).toContain('Should we rewrite the engine?');
    expect(asked.join('\n')).not.toContain('Ada says');
    expect(chairRead(models)).toMatch(
      /<draft>\nI would &lt;draft>wait&lt;\/draft>\.\n<\/draft>\n\n<answer sage="Ada Sage" focus=/,
    );
    expect(models.chair.requests[0]?.messages[0]?.content).toContain(
      'Keep the rest of the draft as it is',
    );
    expect(only(events, 'own_answer')).toMatchObject([
      { ownAnswer: { text: 'I would <draft>wait</draft>.', model: 'test:chair' } },
    ]);
  });

  test('is done without where it fails', async () => {
    const models = scriptedModels({ ...wholeScript, ownAnswers: [away] });
    const events = await run(models);
    expect(only(events, 'own_answer')).toMatchObject([
      { ownAnswer: { text: '', failure: { reason: 'key_rejected' } } },
    ]);
    expect(chairRead(models)).not.toContain('<draft>');
    expect(models.chair.requests[0]?.messages[0]?.content).not.toContain('draft, which');
    expect(only(events, 'concluded')).toMatchObject([{ verdict: { kind: 'synthesis' } }]);
  });

  test('is not asked for again by a turn that goes on', async () => {
    const first = await run(scriptedModels(wholeScript));
    const [ownAnswer] = only(first, 'own_answer').map((event) => event.ownAnswer);
    const [seated] = only(first, 'seated').map((event) => event.seated);
    const answers = only(first, 'answered').map((event) => event.answer);
    if (!ownAnswer || !seated) throw new Error('The first turn lacks a step.');
    const models = scriptedModels({
      reviews: wholeScript.reviews ?? {},
      chair: [verdict],
      ownAnswers: [],
    });
    const passed = { seated, ownAnswer, answers, reviews: [] };
    await run(models, { passed });
    expect(chairRead(models)).toContain(ownAnswer.text);
  });

  test('is not asked for where one sage alone was addressed', async () => {
    let isAsked = false;
    const models = scriptedModels({
      sages: { ben: [answer('No.')] },
      ownAnswers: [
        () => {
          isAsked = true;
          return 'No.';
        },
      ],
    });
    const events = await run(models, { request: { sages: ['ben'] } });
    expect(isAsked).toBe(false);
    expect(only(events, 'own_answer')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'ended', end: { outcome: 'answered' } });
  });

  test('is given up where the turn ends without a verdict', async () => {
    let signal: AbortSignal | undefined;
    const sages = Object.fromEntries(['ada', 'ben', 'cleo', 'dan'].map((key) => [key, [away]]));
    const models = scriptedModels({
      moderator: wholeScript.moderator ?? [],
      sages,
      ownAnswers: [
        (request) => {
          signal = request.signal;
          return new Promise(() => undefined);
        },
      ],
    });
    let isGivenUp: boolean | undefined;
    const events = await run(models, {
      onEvent: ({ type }) => {
        if (type === 'ended') isGivenUp = signal?.aborted;
      },
    });
    // By then: what came later would be told after the end.
    expect(isGivenUp).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'ended', end: { outcome: 'failed' } });
    expect(only(events, 'own_answer')).toEqual([]);
  });

  test('ends with a stop, though all else is there', async () => {
    const stop = new AbortController();
    const models = scriptedModels({ ...wholeScript, chair: [], ownAnswers: [hang] });
    const events = await run(models, {
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === 'ranked') stop.abort(stopRequested());
      },
    });
    expect(events.at(-1)).toMatchObject({ type: 'ended', end: { outcome: 'stopped' } });
  });
});

import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/models/chat-model.ts';
import type { Line } from '../fakes/scripted-model.ts';
import { deepScript, docket, inDispute, mapped } from './deep-council.ts';
import { answer, only, run, type Script, scriptedModels, verdict } from './scripted-council.ts';

const deep = { request: { depth: 'deep' } } as const;

describe('a docket', () => {
  test('quotes an answer without its marks of bold type, which may be cut in two', async () => {
    const quote = 'It is slow.** And it is dear';
    const [ada, ...others] = inDispute[0]?.stances ?? [];
    if (!ada) throw new Error('nothing is in dispute');
    const models = scriptedModels({
      ...deepScript,
      sages: {
        ...deepScript.sages,
        ada: [answer(`Ada says yes. **${quote}.`), ...(deepScript.sages?.ada?.slice(1) ?? [])],
      },
      chair: [
        docket([{ topic: 'Whether', stances: [['ada', ada[1], quote], ...others] }]),
        ...(deepScript.chair?.slice(1) ?? []),
      ],
      reviews: mapped(deepScript.reviews ?? {}, ([first = '']) => [first, 'None.']),
    });
    const events = await run(models, deep);
    const stances = only(events, 'docketed')[0]?.docket.contradictions[0]?.stances;
    expect(stances?.find(({ sage }) => sage === 'ada')?.quote).toBe('It is slow. And it is dear');
  });

  test('cuts what is far longer than was asked for', async () => {
    const [ada, ...others] = inDispute[0]?.stances ?? [];
    if (!ada) throw new Error('nothing is in dispute');
    const quote = `Ada says yes${' and yes again'.repeat(100)}`;
    const point = `Cost${' after cost'.repeat(100)}`;
    const models = scriptedModels({
      ...deepScript,
      sages: {
        ...deepScript.sages,
        ada: [answer(quote), ...(deepScript.sages?.ada?.slice(1) ?? [])],
      },
      chair: [
        docket([{ topic: point, stances: [['ada', `${ada[1]} ${point}`, quote], ...others] }]),
        ...(deepScript.chair?.slice(1) ?? []),
      ],
      reviews: mapped(deepScript.reviews ?? {}, ([first = '']) => [first, 'None.']),
    });
    const [drawnUp] = only(await run(models, deep), 'docketed');
    const [contradiction] = drawnUp?.docket.contradictions ?? [];
    const own = contradiction?.stances.find(({ sage }) => sage === 'ada');
    expect(drawnUp?.docket.droppedQuotes).toBe(0);
    for (const text of [contradiction?.topic, own?.stance, own?.quote]) {
      expect(text?.length).toBeLessThanOrEqual(400);
      expect(text).toMatch(/…$/);
    }
  });

  test('takes two stances for one where only their punctuation differs', async () => {
    const [, ...others] = inDispute[0]?.stances ?? [];
    const ada = ['ada', 'rewrite it', 'Ada says yes.'] as const;
    const models = scriptedModels({
      ...deepScript,
      chair: [
        docket([{ topic: 'Whether', stances: [...others, ada] }]),
        ...(deepScript.chair?.slice(1) ?? []),
      ],
    });
    const events = await run(models, deep);
    const stances = only(events, 'docketed')[0]?.docket.contradictions[0]?.stances ?? [];
    expect(new Set(stances.map(({ stance }) => stance))).toEqual(
      new Set(['Leave it.', 'Rewrite it.']),
    );
  });

  test('skips the round where no answer contradicts another', async () => {
    const models = scriptedModels({
      ...deepScript,
      ...standardOf(deepScript),
      chair: [docket([]), verdict],
    });
    const events = await run(models, deep);
    expect(models.unsaid()).toBe(0);
    expect(only(events, 'docketed')[0]?.docket.contradictions).toEqual([]);
    expect(only(events, 'rebutted')).toEqual([]);
    expect(only(events, 'ranked')).toHaveLength(1);
  });

  test('drops a made-up quote, and with it the contradiction that rests on it', async () => {
    const invented = [
      {
        topic: 'Whether',
        stances: [
          ['ada', 'It should.', 'Ada says yes.'],
          ['ben', 'It must not.', 'Ben says never ever.'],
        ],
      },
    ] as const;
    const models = scriptedModels({
      ...standardOf(deepScript),
      chair: [docket(invented), verdict],
    });
    const events = await run(models, deep);
    expect(models.unsaid()).toBe(0);
    expect(only(events, 'docketed')[0]?.docket).toMatchObject({
      contradictions: [],
      droppedQuotes: 1,
    });
  });

  test('goes on as a standard turn where no docket comes', async () => {
    const lost = new ModelError('The credit of test is used up.', {
      failure: 'payment_required',
      model: 'test:chair',
    });
    const models = scriptedModels({ ...standardOf(deepScript), chair: [lost, verdict] });
    const events = await run(models, deep);
    expect(only(events, 'docketed')[0]?.docket.failure).toEqual({
      reason: 'payment_required',
      explanation: 'The credit of test is used up.',
    });
    expect(only(events, 'concluded')[0]?.verdict).toMatchObject({ kind: 'synthesis' });
    expect(only(events, 'concluded')[0]?.verdict.settlement).toBeUndefined();
  });
});

/** What a standard turn needs of the script. */
function standardOf(script: Script): Script {
  const first = ([line]: readonly Line[]) => (line ? [line] : []);
  return {
    ...script,
    sages: mapped(script.sages ?? {}, first),
    reviews: mapped(script.reviews ?? {}, first),
  };
}

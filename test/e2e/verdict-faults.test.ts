import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../src/council/events.ts';
import { failsWith, says, startMockModels } from './mock-models.ts';
import { openCouncil } from './open-council.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const question = 'Should we rewrite the engine?';
const patience = { timeout: 20_000, interval: 5 };
const secondVerdict = says({
  verdict: 'Wait a year.',
  consensus: [],
  disagreements: [],
  minority_report: '',
  confidence: 'low',
});

function isWholeAnswerOfAda(event: TurnEvent): boolean {
  return event.type === 'answered' && event.answer.sage === 'ada';
}

function isHalfAnswerOfBen(event: TurnEvent): boolean {
  return event.type === 'answer_grew' && event.sage === 'ben' && event.answer.length > 50;
}

describe('a chair that fails', () => {
  test('is replaced by the fallback chair, and that is said', async () => {
    const models = await startMockModels({
      chair: [failsWith(404)],
      'second-chair': [secondVerdict],
    });
    await using council = await openCouncil(models.settings);
    const turn = await council.ask(question);
    expect(models.calls()).toMatchObject({ chair: 1, 'second-chair': 1 });
    expect(turn.kept.verdict).toMatchObject({ kind: 'synthesis', by: 'mock:second-chair' });
    expect(turn.text).toContain('Wait a year.');
    expect(turn.text).toContain('mock:second-chair took the chair in place of mock:chair.');
    expect(turn.kept.ended?.remarks).toEqual([
      expect.stringMatching(/^mock:second-chair stands in for mock:chair: Model .* does not exist/),
    ]);
  });

  test('and its fallback too leave the top-ranked answer, under a notice, and no verdict to remember', async () => {
    const models = await startMockModels({
      chair: [failsWith(402), secondVerdict],
      'second-chair': [failsWith(404)],
    });
    await using council = await openCouncil(models.settings);
    const turn = await council.ask(question);
    expect(models.calls()).toMatchObject({ chair: 1, 'second-chair': 1 });
    expect(turn.record.outcome).toBe('answered');
    expect(turn.kept.verdict).toMatchObject({
      kind: 'top_answer',
      by: 'ada',
      verdict: 'Ada says yes.',
    });
    const below = turn.text.slice(turn.text.indexOf('Top-ranked answer, not a verdict'));
    expect(below).toContain('wants to be paid');
    expect(below).toContain('but the answer of Ada Sage, which the reviewers placed first');
    const said = turn.text.replace('not a verdict', '');
    expect(said).not.toContain('## Verdict');

    await council.ask('And next year?');
    await council.ask('And after that?');
    const [, second, third] = models.promptsOf('chair');
    expect(second).toContain('Ada: yes.');
    expect(second).not.toContain('<verdict');
    expect(third?.match(/<verdict[^W]*Wait a year/g)).toHaveLength(1);
  });
});

describe('a budget', () => {
  test('that a question would pass refuses it before any call, in plain words', async () => {
    const models = await startMockModels();
    const price = { inputUsdPerMillionTokens: 1, outputUsdPerMillionTokens: 100 };
    const names = ['moderator', 'ada', 'ben', 'cleo', 'reviewer', 'chair'];
    const prices = Object.fromEntries(names.map((name) => [`mock:${name}`, price]));
    await using council = await openCouncil({
      ...models.settings,
      models: { ...models.settings.models, prices },
      budgets: { channelUsdPerDay: 0.01 },
    });
    await expect(council.ask(question)).rejects.toThrow(
      /^This channel's budget of \$0\.0100 a day has \$0\.0100 left, and this question may cost up to \$0\.\d+\. It renews at <t:\d+>\./,
    );
    expect(models.calls()).toEqual({});
  });
});

describe('a stream that ends without a finish reason', () => {
  test('once is asked again', async () => {
    const models = await startRehearsedModels((name, earlier) =>
      name === 'sage ben' && earlier === 0 ? { kind: 'no_finish_reason' } : undefined,
    );
    await using council = await openCouncil(models.settings);
    const turn = await council.ask(question);
    expect(models.outcomesOf('sage ben')).toEqual(['faulted', 'answered']);
    expect(turn.kept.answers.map(({ status }) => status)).toEqual(Array(3).fill('answered'));
  });

  test('twice is a failure and no answer', async () => {
    const models = await startRehearsedModels((name) =>
      name === 'sage ben' ? { kind: 'no_finish_reason' } : undefined,
    );
    await using council = await openCouncil(models.settings);
    const turn = await council.ask(question);
    expect(models.outcomesOf('sage ben')).toEqual(['faulted', 'faulted']);
    const answer = turn.kept.answers.find(({ sage }) => sage === 'ben');
    expect(answer).toMatchObject({ status: 'failed', reason: 'broken_stream' });
    expect(answer?.partial).not.toBe('');
    expect(models.asked).not.toContain('reviewer ben');
  });
});

describe('a stop', () => {
  test('among the answers ends every call upstream and keeps what had been said', async () => {
    const models = await startRehearsedModels((name) => {
      if (name === 'sage ben') return { kind: 'stall', afterChars: 150 };
      return name === 'sage cleo' ? { kind: 'hang' } : undefined;
    });
    await using council = await openCouncil(models.settings);
    const stopped = council.ask(question);
    await expect.poll(() => council.events.some(isWholeAnswerOfAda), patience).toBe(true);
    await expect.poll(() => council.events.some(isHalfAnswerOfBen), patience).toBe(true);
    await expect.poll(() => models.openCalls(), patience).toBe(2);
    await council.stop();
    const turn = await stopped;
    expect(turn.record.outcome).toBe('stopped');
    await expect.poll(() => models.openCalls(), patience).toBe(0);
    expect(models.outcomesOf('sage ben')).toEqual(['aborted']);
    expect(models.outcomesOf('sage cleo')).toEqual(['aborted']);
    expect(models.counts()).toEqual({
      moderator: 1,
      'sage ada': 1,
      'sage ben': 1,
      'sage cleo': 1,
      own_answer: 1,
    });
    const statuses = turn.kept.answers.map(({ sage, status }) => [sage, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      ada: 'answered',
      ben: 'stopped',
      cleo: 'stopped',
    });
    const half = turn.kept.answers.find(({ sage }) => sage === 'ben');
    expect(half?.answer.length).toBeGreaterThan(50);
    expect(turn.text).toContain(half?.answer.slice(0, 40));
    expect(turn.text).toContain('What was said is kept.');
  });

  test.each([
    ['reviews', 'reviewer cleo'],
    ['verdict', 'chair'],
  ])('in the %s ends the call upstream and keeps the answers', async (_stage, held) => {
    const models = await startRehearsedModels((name) =>
      name === held ? { kind: 'hang' } : undefined,
    );
    await using council = await openCouncil(models.settings);
    const stopped = council.ask(question);
    await expect.poll(() => models.asked.includes(held) && models.openCalls(), patience).toBe(1);
    await council.stop();
    const turn = await stopped;
    expect(turn.record.outcome).toBe('stopped');
    await expect.poll(() => models.openCalls(), patience).toBe(0);
    expect(models.outcomesOf(held)).toEqual(['aborted']);
    expect(turn.kept.answers.map(({ status }) => status)).toEqual(Array(3).fill('answered'));
    expect(turn.kept.verdict).toBeUndefined();
  });
});

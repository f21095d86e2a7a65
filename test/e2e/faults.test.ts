import { describe, expect, test } from 'vitest';
import { type Faults, failsWith, says, saysText, startMockModels } from './mock-models.ts';
import { type EndedTurn, modelKey, openCouncil } from './open-council.ts';

const question = 'Should we rewrite the engine?';
const allWell = { moderator: 1, ada: 1, ben: 1, cleo: 1, reviewer: 3, own_answer: 1, chair: 1 };
const twoReviews = { ...allWell, reviewer: 2 };
const benAnswers = says({ answer: 'Ben says no.', summary: 'Ben: no.' });
const never = { ...benAnswers, options: { latency: 600_000 } };
const breaksOff = {
  ...benAnswers,
  options: { chunkSize: 8, truncateAfterChunks: 5, streamingProfile: { tps: 200 } },
};

/** Asks once. */
async function ask(faults: Faults, settings: object = {}) {
  const models = await startMockModels(faults);
  await using council = await openCouncil({ ...models.settings, ...settings });
  const turn = await council.ask(question);
  expect(turn.text + JSON.stringify(turn.record)).not.toContain(modelKey);
  return { turn, models };
}

function answerOf(turn: EndedTurn, sage: string) {
  return turn.kept.answers.find((answer) => answer.sage === sage);
}

/** How each call for a sage's answer ended, in order. */
function callsFor(turn: EndedTurn, sage: string) {
  return turn.record.usage
    .filter(({ stage, sageName }) => stage === 'sage' && sageName === sage)
    .map(({ outcome }) => outcome);
}

test('without a fault, every part is asked once and the verdict stands', async () => {
  const { turn, models } = await ask({});
  expect(models.calls()).toEqual(allWell);
  expect(turn.record.outcome).toBe('answered');
  expect(turn.text).toMatch(
    /Ada says yes\..*Ranking by 3 blind ballots\n\n1\. █+ 100 % Ada.*Verdict/s,
  );
});

describe('one sage that can not answer', () => {
  test.each([
    ['fails', failsWith(500), 'server_error', 3, 'of its own (500). Ask again a little later'],
    ['is out of credit', failsWith(402), 'payment_required', 1, 'wants to be paid'],
    ['has no such model', failsWith(404), 'model_not_found', 1, 'mock:ben does not exist'],
    ['times out', never, 'timed_out', 1, 'Ben Sage did not answer within 2 s'],
    [
      'refuses',
      { response: { content: '', finishReason: 'content_filter' } },
      'refused',
      1,
      'Put the question differently',
    ],
    ['must wait too long', failsWith(429, 3600), 'rate_limited', 1, 'Ask again in an hour.'],
  ])(
    'because it %s keeps nobody else from answering, and its seat says why',
    async (_how, reply, reason, calls, words) => {
      const limits = { sageTimeoutMs: reply === never ? 2000 : 60_000, quorumShare: 1 };
      const { turn, models } = await ask({ ben: [reply] }, { limits });
      expect(turn.record.outcome).toBe('answered');
      expect(answerOf(turn, 'ben')).toMatchObject({
        status: 'failed',
        reason,
        answer: expect.stringContaining(words),
        summary: 'Error invoking sage.',
      });
      expect(models.calls()).toEqual({ ...twoReviews, ben: calls });
      expect(turn.text).toMatch(/Ben Sage.*Ranking by 2 blind ballots/s);
      expect(turn.text.slice(0, turn.text.indexOf('Ranking'))).toContain(words);
      for (const prompt of [...models.promptsOf('reviewer'), ...models.promptsOf('chair')]) {
        expect(prompt).not.toMatch(/Error|Ben says/);
      }
    },
  );

  test('is waited for no longer than the grace period once the others are there', async () => {
    const limits = { graceMs: 0, quorumShare: 0.6 };
    const { turn, models } = await ask({ ben: [never] }, { limits });
    expect(answerOf(turn, 'ben')).toMatchObject({ status: 'failed', reason: 'late' });
    expect(turn.text).toContain('the council continued');
    expect(models.calls()).toEqual(twoReviews);
  });
});

describe('when every sage fails', () => {
  test.each([
    [401, 'The key for mock was rejected (401). Check MODEL_KEY.'],
    [402, 'the credit or quota of this key is used up. Top it up at mock'],
    [404, 'does not exist at http://127.0.0.1'],
  ])('with %i, the turn fails with that cause and asks no one else', async (status, words) => {
    const faults = Object.fromEntries(
      ['ada', 'ben', 'cleo'].map((sage) => [sage, [failsWith(status)]]),
    );
    const { turn, models } = await ask(faults);
    expect(models.calls()).toEqual({ moderator: 1, ada: 1, ben: 1, cleo: 1, own_answer: 1 });
    expect(turn.record.outcome).toBe('failed');
    expect(turn.kept.ended?.explanation).toContain(words);
    expect(turn.text).toContain(`The council could not answer.`);
    expect(turn.text).toContain(words);
    expect(turn.kept.verdict).toBeUndefined();
  });
});

describe('an answer that is not in its form', () => {
  test.each([
    ['is no JSON', '```json\n{"answer": "Ye', 'not valid JSON'],
    ['lacks its answer', '{"summary": "Ben says maybe."}', 'does not fit the schema'],
  ])('because it %s is repaired in the same conversation', async (_how, reply, problem) => {
    const { turn, models } = await ask({ ben: [saysText(reply), benAnswers] });
    expect(models.calls()).toEqual({ ...allWell, ben: 2 });
    const [, repair] = models.promptsOf('ben');
    expect(repair).toContain(problem);
    expect(repair).toContain(JSON.stringify(reply).slice(1, -1));
    expect(answerOf(turn, 'ben')).toMatchObject({ status: 'answered', answer: 'Ben says no.' });
    expect(turn.text).toContain('Ben says no.');
    expect(turn.text).not.toContain('maybe');
  });

  test('three times becomes plain text, and its first sentences the summary', async () => {
    const first = 'Ben says no. It costs too much.';
    const prose = `${first} ${'And there is more to say about it. '.repeat(20)}`.trim();
    const { turn, models } = await ask({ ben: [saysText(prose)] });
    expect(models.calls()).toEqual({ ...allWell, ben: 3 });
    const answer = answerOf(turn, 'ben');
    expect(answer).toMatchObject({ status: 'answered', answer: prose });
    expect(answer?.summary.startsWith(first)).toBe(true);
    expect(answer?.summary.length).toBeLessThanOrEqual(400);
    expect(turn.text).toContain(first);
  });
});

describe('a call that may succeed the second time', () => {
  test.each([
    ['the server is too busy (429)', failsWith(429, 1), 'rate_limited'],
    ['the server has a fault (500)', failsWith(500), 'server_error'],
    ['the stream breaks off', breaksOff, 'broken_stream'],
  ])('because %s is made again, and the answer is whole', async (_how, reply, failure) => {
    const { turn, models } = await ask({ ben: [reply, benAnswers] });
    expect(models.calls()).toEqual({ ...allWell, ben: 2 });
    expect(callsFor(turn, 'ben')).toEqual([failure, 'answered']);
    expect(answerOf(turn, 'ben')).toMatchObject({ status: 'answered', answer: 'Ben says no.' });
    expect(answerOf(turn, 'ben')).not.toHaveProperty('partial');
    expect(turn.text).toContain('Ben says no.');
  });

  test('is given up when the stream breaks off twice; what had come is kept and not shown as an answer', async () => {
    const { turn, models } = await ask({ ben: [breaksOff] });
    expect(models.calls()).toEqual({ ...twoReviews, ben: 2 });
    expect(callsFor(turn, 'ben')).toEqual(['broken_stream', 'broken_stream']);
    const answer = answerOf(turn, 'ben');
    expect(answer).toMatchObject({ status: 'failed', reason: 'broken_stream' });
    expect(answer?.partial).toMatch(/^Ben says/);
    expect(models.promptsOf('chair').join()).not.toContain('Ben says');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureDisagreement } from '../../src/council/disagreement.ts';
import { familyOf, sharedFamily } from '../../src/council/ranked.ts';

const texts = {
  ada: 'Rewrite the engine in parts, beginning with the parser.',
  ben: 'Leave it alone: nobody complains.',
  cleo: 'Buy one that others maintain.',
  dan: 'Measure first, then decide.',
};
type Key = keyof typeof texts;
const keys: readonly Key[] = ['ada', 'ben', 'cleo', 'dan'];
const answers = keys.map((id) => ({ id, text: texts[id] }));

/** Ballots in short: `a b=c d`. */
function ballots(...orders: readonly string[]) {
  const idOf = (letter: string) => keys.find((key) => key.startsWith(letter)) ?? letter;
  return orders.map((order, at) => ({
    reviewer: keys[at] ?? `r${at}`,
    groups: order.split(' ').map((group) => group.split('=').map(idOf)),
  }));
}

describe('disagreement', () => {
  test('is aligned where every ballot has the same order', () => {
    const measured = measureDisagreement(ballots('a b c d', 'a b c d', 'a b c d'), answers);
    expect(measured).toMatchObject({ word: 'aligned', ballots: 3, concordance: 1, favourite: 1 });
  });

  test('is split where two halves want the opposite', () => {
    const measured = measureDisagreement(
      ballots('a b c d', 'a b c d', 'd c b a', 'd c b a'),
      answers,
    );
    expect(measured).toMatchObject({ word: 'split', concordance: 0, favourite: 0.5 });
  });

  test('is leaning where most share a favourite and little else', () => {
    const measured = measureDisagreement(
      ballots('a b c d', 'a d c b', 'a c b d', 'd c b a'),
      answers,
    );
    expect(measured).toMatchObject({ word: 'leaning', favourite: 0.75 });
  });

  test('is no more than leaning where the answers say the same in the same words', () => {
    const same = keys.map((id) => ({ id, text: texts.ada }));
    const measured = measureDisagreement(ballots('a b c d', 'a b c d', 'd c b a', 'd c b a'), same);
    expect(measured?.word).toBe('leaning');
    expect(measured?.distance).toBeCloseTo(0);
  });

  test('has the W of the textbooks, ties corrected', () => {
    const measured = measureDisagreement(ballots('a b c d', 'b a c d', 'c=b a d'), answers);
    const sums = [1 + 2 + 3, 2 + 1 + 1.5, 3 + 3 + 1.5, 12];
    const squares = sums.reduce((total, sum) => total + (sum - 7.5) ** 2, 0);
    expect(measured?.concordance).toBeCloseTo((12 * squares) / (9 * 60 - 3 * 6));
    expect(measured?.favourite).toBeCloseTo(1.5 / 3);
  });

  test('counts neither abstentions nor ballots that leave an answer out', () => {
    const measured = measureDisagreement(
      ballots('a b c d', 'a b c d', 'a b c d', 'd', 'd c'),
      answers,
    );
    expect(measured).toMatchObject({ word: 'aligned', ballots: 3 });
  });

  test('is not measured on fewer than three whole ballots', () => {
    expect(measureDisagreement(ballots('a b c d', 'a b c d', 'a b c'), answers)).toBeUndefined();
  });

  test('calls ballots that prefer nothing no agreement', () => {
    const measured = measureDisagreement(ballots('a=b=c=d', 'a=b=c=d', 'a=b=c=d'), answers);
    expect(measured).toMatchObject({ word: 'split', concordance: 0, favourite: 0.25 });
  });

  test('keeps its numbers within their bounds, whatever the ballots and answers are', () => {
    const order = fc.shuffledSubarray([...keys], { minLength: 4 });
    fc.assert(
      fc.property(fc.array(order, { minLength: 3, maxLength: 6 }), fc.string(), (orders, text) => {
        const cast = orders.map((one) => ({ reviewer: 'x', groups: one.map((id) => [id]) }));
        const said = answers.map((one, at) => (at === 0 ? { ...one, text } : one));
        const measured = measureDisagreement(cast, said);
        for (const figure of ['concordance', 'favourite', 'distance'] as const) {
          expect(measured?.[figure]).toBeGreaterThanOrEqual(0);
          expect(measured?.[figure]).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});

describe('disagreement after a rebuttal', () => {
  const opposed = ballots('a b c d', 'a b c d', 'd c b a', 'd c b a');
  const alike = ballots('a b c d', 'a b c d', 'a b c d', 'a b c d');
  const nothing = { consensus: [], unique: [], blindSpots: [], droppedQuotes: 0, latencyMs: 0 };
  const empty = { ...nothing, by: 'test:chair', reasoning: '' };
  const contradiction = (...sides: readonly string[]) => ({
    topic: 'Whether to rewrite',
    stances: sides.map((stance, at) => ({ sage: keys[at] ?? '', stance, quote: '' })),
  });
  const roundOf = (contradictions: ReturnType<typeof contradiction>[], ...conceding: Key[]) => ({
    docket: { ...empty, contradictions },
    rebuttals: conceding.map((sage) => ({
      sage,
      position: 'conceded' as const,
      model: 'test:sage',
      because: '',
      flaw: '',
      opposing: '',
      reasoning: '',
      latencyMs: 0,
    })),
  });

  test.each([
    ['aligned where nothing is in dispute, however they vote', opposed, roundOf([]), 'aligned', 0],
    [
      'aligned where one side is held alone',
      opposed,
      roundOf([contradiction('yes', 'no')], 'ben'),
      'aligned',
      0,
    ],
    [
      'leaning where one stands alone against three, however they vote',
      alike,
      roundOf([contradiction('yes', 'no', 'yes', 'yes')]),
      'leaning',
      1,
    ],
    [
      'split where as many hold the one as the other',
      alike,
      roundOf([contradiction('yes', 'no', 'yes', 'yes'), contradiction('buy', 'build')]),
      'split',
      2,
    ],
  ] as const)('is %s', (_, cast, round, word, openContradictions) => {
    expect(measureDisagreement(cast, answers, round)).toMatchObject({ word, openContradictions });
  });

  test('goes by the ballots where the docket failed', () => {
    const failure = { reason: 'empty', explanation: '' } as const;
    const round = { docket: { ...empty, contradictions: [], failure }, rebuttals: [] };
    const measured = measureDisagreement(opposed, answers, round);
    expect(measured?.word).toBe('split');
    expect(measured).not.toHaveProperty('openContradictions');
  });
});

test.each([
  ['openai:gpt-5-mini', 'GPT'],
  ['openai:o3', 'GPT'],
  ['openrouter:anthropic/claude-opus-4', 'Claude'],
  ['ollama:llama3.3:70b', 'Llama'],
  ['vllm:Qwen/Qwen3-32B', 'Qwen'],
  ['local:sage-one', undefined],
  ['mistral:ministral-8b', 'Mistral'],
])('knows the family of %s', (model, family) => {
  expect(familyOf(model)).toBe(family);
});

test('finds the family that all sages share, and none where there are several', () => {
  expect(sharedFamily(['openai:gpt-5', 'openrouter:openai/gpt-5-mini'])).toBe('GPT');
  expect(sharedFamily(['openai:gpt-5', 'anthropic:claude-opus-4'])).toBeUndefined();
  expect(sharedFamily(['local:sage-one', 'local:sage-two'])).toBeUndefined();
});

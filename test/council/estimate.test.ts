import { describe, expect, test } from 'vitest';
import { type PlannedCalls, planTurn } from '../../src/council/estimate.ts';
import { maxWords } from '../../src/council/prompts/chair-prompt.ts';
import { council, scriptedModels } from './scripted-council.ts';

const models = scriptedModels({});
const asked = {
  questionChars: 400,
  depth: 'standard',
  sages: undefined,
  isSeated: false,
  contextTokens: 0,
} as const;

function sumOf(plan: readonly PlannedCalls[], of: (calls: PlannedCalls) => number): number {
  return plan.reduce((sum, calls) => sum + calls.count * of(calls), 0);
}
const callsIn = (plan: readonly PlannedCalls[]) => sumOf(plan, () => 1);
const tokensIn = (plan: readonly PlannedCalls[]) =>
  sumOf(plan, ({ inputTokens, outputTokens }) => inputTokens + outputTokens);

describe('the plan of a turn', () => {
  test('counts the calls that the turn will make', () => {
    expect(callsIn(planTurn(council, models, asked))).toBe(11);
    expect(callsIn(planTurn(council, models, { ...asked, depth: 'quick' }))).toBe(7);
    expect(callsIn(planTurn({ ...council, seats: ['ada', 'ben'] }, models, asked))).toBe(6);
    expect(callsIn(planTurn(council, models, { ...asked, sages: ['ada'] }))).toBe(1);
  });

  test('asks the models of those who are named, and else of everybody who may sit alike', () => {
    const asksOf = (plan: readonly PlannedCalls[], model: string) =>
      plan.filter((calls) => calls.model === model).map(({ count }) => count);
    const toBen = planTurn(council, models, { ...asked, sages: ['ben'] });
    expect(toBen.map(({ model }) => model)).toEqual(['test:sage-ben']);
    const open = planTurn(council, models, asked);
    expect(asksOf(open, 'test:sage-ben')).toEqual([4 / 5]);
  });

  test('grows with the question', () => {
    const short = tokensIn(planTurn(council, models, asked));
    const long = tokensIn(planTurn(council, models, { ...asked, questionChars: 4_400 }));
    // A thousand tokens more in each of eleven calls.
    expect(long - short).toBe(11_000);
  });

  test('grows with the length of an answer, wherever it is written or read', () => {
    const short = tokensIn(planTurn({ ...council, answerWords: 75 }, models, asked));
    const long = tokensIn(planTurn({ ...council, answerWords: 150 }, models, asked));
    // A hundred tokens more in each of four answers, which four reviewers and the chair read.
    expect(long - short).toBe(4 * 100 + 5 * 4 * 100);
  });

  test('reckons with the words that the chair may use', () => {
    const written = planTurn(council, models, asked)
      .slice(-2)
      .map((calls) => calls.outputTokens);
    const draft = Math.ceil((maxWords.ownAnswer * 4) / 3);
    expect(written).toEqual([draft, 734]);
  });

  test('reckons with as much of earlier talk in each prompt as fits', () => {
    const more = (changes: Partial<Parameters<typeof planTurn>[2]>) =>
      tokensIn(planTurn(council, models, { ...asked, ...changes, contextTokens: 4000 })) -
      tokensIn(planTurn(council, models, { ...asked, ...changes }));
    expect(more({})).toBeCloseTo(11 * 4000);
    expect(more({ depth: 'quick' })).toBeCloseTo(7 * 4000);
    expect(more({ sages: ['ada'] })).toBe(4000);
  });
});

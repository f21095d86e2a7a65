import { expect, test } from 'vitest';
import { CallCosts } from '../../../src/bot/money/reservation.ts';
import type { CallUsage } from '../../../src/models/chat-model.ts';

test('planned calls reason as much as earlier calls of their model did', () => {
  const costs = new CallCosts((_model, input, output) => input + 2 * output);
  const planned = { model: 'test:thinker', count: 3, inputTokens: 100, outputTokens: 10 };
  expect(costs.ofPlan([planned])).toBe(360);
  const call: Omit<CallUsage, 'outputTokens' | 'reasoningTokens'> = {
    stage: 'sage',
    model: 'test:thinker',
    outcome: 'answered',
    latencyMs: 1,
    inputTokens: 100,
    estimated: false,
  };
  expect(costs.ofCall({ ...call, outputTokens: 60, reasoningTokens: 50 })).toBe(220);
  costs.ofCall({ ...call, outputTokens: 40, reasoningTokens: 30 });
  // A call that failed without a reply says nothing.
  costs.ofCall({ ...call, inputTokens: 0, outputTokens: 0, reasoningTokens: 0 });
  expect(costs.ofPlan([planned])).toBe(3 * (100 + 2 * (10 + 40)));
  expect(costs.ofPlan([{ ...planned, model: 'test:quick' }])).toBe(360);
});

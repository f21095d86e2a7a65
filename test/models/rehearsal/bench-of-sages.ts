/** A bench to rehearse with: two sages with a prompt, one with its description alone. */

import type { Sage } from '../../../src/domain/turn.ts';

export const benchOfSages: readonly Sage[] = [
  {
    key: 'engineer',
    name: 'The Engineer',
    description: 'Software and systems: deploys, failure modes, cost of change, what to measure.',
    prompt: 'You are a staff engineer who has been paged at night for fifteen years.',
    source: 'predefined',
  },
  {
    key: 'economist',
    name: 'The Economist',
    description: 'Incentives, prices, opportunity cost: money, jobs, housing and trade-offs.',
    prompt: 'You see incentives where others see intentions.',
    source: 'predefined',
  },
  {
    key: 'strategy_expert',
    name: 'Strategy Expert',
    description: 'Useful for planning questions: business, career and other goals with trade-offs.',
    source: 'predefined',
  },
];

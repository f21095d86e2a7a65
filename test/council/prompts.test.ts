import { describe, expect, test } from 'vitest';
import { reviewMessages } from '../../src/council/prompts/review-prompt.ts';
import { bench, council } from './scripted-council.ts';

const nothing = { forSages: [], forChair: [] };

describe('the review prompt', () => {
  test('builds its example from the labels that are really shown', () => {
    const [reviewer] = bench;
    if (!reviewer) throw new Error('the bench is empty');
    const shown = ['A', 'B', 'C'].map((label) => ({ label, answer: `answer ${label}` }));
    const [system, user] = reviewMessages(reviewer, 'Why?', shown, council, nothing, 'seed');
    const example = system?.content.split('FINAL RANKING:\n')[1]?.split('\n\n')[0]?.split('\n');
    expect(example?.map((line) => line.replace(/^\d\. Response /, '')).sort()).toEqual([
      'A',
      'B',
      'C',
    ]);
    expect(system?.content).not.toContain('Response D');
    expect(user?.content).toContain('<response label="B">\nanswer B\n</response>');
  });
});

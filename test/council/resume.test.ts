import { describe, expect, test } from 'vitest';
import type { PassedCheckpoints, TurnEvent } from '../../src/council/events.ts';
import { only, run, scriptedModels, wholeScript } from './scripted-council.ts';

/** What a store would hold when the process died right after the given number of checkpoints. */
function passedAfter(events: readonly TurnEvent[], count: number): PassedCheckpoints {
  const kept = events
    .filter(({ type }) => ['seated', 'answered', 'reviewed', 'concluded'].includes(type))
    .slice(0, count);
  const [seated] = only(kept, 'seated');
  const [concluded] = only(kept, 'concluded');
  return {
    ...(seated ? { seated: seated.seated } : {}),
    answers: only(kept, 'answered').map(({ answer }) => answer),
    reviews: only(kept, 'reviewed').map(({ review }) => review),
    ...(concluded ? { verdict: concluded.verdict } : {}),
  };
}

describe('a turn that is resumed', () => {
  test.each(Array.from({ length: 11 }, (_, count) => count))(
    'after %i checkpoints asks nobody again who had finished, and ends alike',
    async (count) => {
      const whole = await run(scriptedModels(wholeScript));
      const passed = passedAfter(whole, count);
      const models = scriptedModels(wholeScript);
      const events = await run(models, { passed });
      expect(models.unsaid()).toBe(count);
      expect(only(events, 'ranked')[0]?.ranking).toEqual(only(whole, 'ranked')[0]?.ranking);
      expect(only(events, 'answered')).toHaveLength(4);
      expect(only(events, 'reviewed')).toHaveLength(4);
      expect(only(events, 'concluded')[0]?.verdict.verdict).toBe('Rewrite it in parts.');
      expect(events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
    },
  );
});

import { expect, test } from 'vitest';
import { usedBy } from '../../bench/deliberation-cost.ts';

test('a deep turn takes less than 1.7 times the tokens of a standard one, however many are parties', async () => {
  const standard = await usedBy('standard');
  for (const parties of [undefined, 2, 3, 4] as const) {
    const deep = await usedBy('deep', parties);
    expect(deep.tokens / standard.tokens).toBeLessThan(1.7);
  }
});

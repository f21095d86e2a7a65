import { describe, expect, test } from 'vitest';
import { estimateTurnUsd, type PriceOf } from '../../src/council/estimate.ts';
import { council, scriptedModels } from './scripted-council.ts';

const models = scriptedModels({});
const asked = {
  questionChars: 400,
  depth: 'standard',
  sages: undefined,
  contextTokens: 0,
} as const;
/** A dollar a call, whatever it reads and writes. */
const perCall: PriceOf = () => 1;

describe('the estimate of a turn', () => {
  test('counts the calls that the turn will make', () => {
    expect(estimateTurnUsd(council, models, perCall, asked)).toBe(10);
    expect(estimateTurnUsd(council, models, perCall, { ...asked, depth: 'quick' })).toBe(6);
    expect(estimateTurnUsd({ ...council, seats: ['ada', 'ben'] }, models, perCall, asked)).toBe(5);
    expect(estimateTurnUsd(council, models, perCall, { ...asked, sages: ['ada'] })).toBe(1);
  });

  test('grows with the question, and is nothing where nothing has a price', () => {
    const perToken: PriceOf = (_model, input, output) => input + output;
    const short = estimateTurnUsd(council, models, perToken, asked);
    const long = estimateTurnUsd(council, models, perToken, { ...asked, questionChars: 4_400 });
    // A thousand tokens more in each of ten calls.
    expect(long - short).toBe(10_000);
    expect(estimateTurnUsd(council, models, () => 0, asked)).toBe(0);
  });

  test('reckons with as much of earlier talk in each prompt as fits', () => {
    const perToken: PriceOf = (_model, input, output) => input + output;
    const more = (changes: Partial<Parameters<typeof estimateTurnUsd>[3]>) =>
      estimateTurnUsd(council, models, perToken, { ...asked, ...changes, contextTokens: 4000 }) -
      estimateTurnUsd(council, models, perToken, { ...asked, ...changes });
    expect(more({})).toBe(10 * 4000);
    expect(more({ depth: 'quick' })).toBe(6 * 4000);
    expect(more({ sages: ['ada'] })).toBe(4000);
  });
});

import { expect, test } from 'vitest';
import { askSchema } from '../../src/domain/asking.ts';

test('a list of sages has the commas of any script', () => {
  for (const sages of ['ada, ben', 'ada、ben', 'ada，ben', 'ada، ben']) {
    expect(askSchema.parse({ question: 'Why?', sages }).choice.sages).toEqual(['ada', 'ben']);
  }
});

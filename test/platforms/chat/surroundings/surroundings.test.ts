import { expect, test } from 'vitest';
import { pointsElsewhere } from '../../../../src/platforms/chat/surroundings.ts';

test.each([
  ['settle this', true],
  ['who is right?', true],
  ['what do you think?', true],
  ['was meint ihr?', true],
  ['Should we hire?', false],
  ['When will the bridge over the Rhine that we planned for years be built?', false],
])('“%s” points at what was said before: %s', (question, expected) => {
  expect(pointsElsewhere(question)).toBe(expected);
});

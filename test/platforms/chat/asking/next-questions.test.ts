import { expect, test } from 'vitest';
import { offersBelow } from '../../../../src/platforms/chat/asking/turn-actions.ts';
import { concluded } from '../../terminal/turn-events.ts';

test('a suggested question is offered as people can see it, or not at all', () => {
  const nextQuestions = ['\u200b\u2060', 'Ben: \u202eok?', 'Ben: and\u200b Windows?'];
  const event = concluded({ nextQuestions });
  if (event.type !== 'concluded') throw new Error('That is no verdict.');
  expect(offersBelow({ seats: [], verdict: event.verdict }, true).next).toEqual([
    { question: 'Ben: ok?', number: 2 },
    { question: 'Ben: and Windows?', number: 3 },
  ]);
});

import { expect, test } from 'vitest';
import {
  ownMention,
  withoutOwnMentions,
} from '../../../../src/platforms/chat/text/own-mentions.ts';

test.each([
  [', what now?', 'what now?'],
  ['، ما رأيكم؟', 'ما رأيكم؟'],
  ['：どう思う？', 'どう思う？'],
  ['さん、どう思う？', 'どう思う？'],
  ['님, 어때요?', '어때요?'],
  [' :tada: is it?', ':tada: is it?'],
])('leaves out what joins a mention to the question: %j', (said, words) => {
  expect(withoutOwnMentions(`${ownMention}${said}`)).toEqual({ words, before: '' });
});

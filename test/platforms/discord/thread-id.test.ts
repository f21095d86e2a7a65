import { expect, test } from 'vitest';
import { addressOfEvent } from '../../../src/platforms/discord/thread-id.ts';

test.each([
  ['a post in a thread at the post', 'discord:1:2:300', '400', '1/300/400'],
  ['what opened a thread at the thread', 'discord:1:2:300', '200', '1/300'],
  ['the post that a thread hangs on at the thread', 'discord:1:2:300', '300', '1/300'],
  ['what is no post at the thread', 'discord:1:2:300', 'command:x', '1/300'],
  ['nothing in particular at the thread', 'discord:1:2:300', undefined, '1/300'],
  ['a direct message at the message', 'discord:@me:2:2', '9', '@me/2/9'],
])('finds %s', (_, threadId, event, address) => {
  expect(addressOfEvent(threadId, event)).toBe(`https://discord.com/channels/${address}`);
});

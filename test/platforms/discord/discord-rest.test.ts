import { expect, test } from 'vitest';
import { DiscordRest } from '../../../src/platforms/discord/rest/discord-rest.ts';

test('requests that a person waits for share the token’s budget with all others', async () => {
  let made = 0;
  const rest = new DiscordRest({
    ...{ token: 'token', timeoutMs: 1000 },
    // A clock that stands still: what has to wait is not made.
    clock: { now: () => 0, startTimer: () => () => undefined },
    intercept: async () => {
      made += 1;
    },
  });
  const brief = rest.brief();
  for (const one of [rest, brief]) {
    for (let count = 0; count < 30; count += 1) void one.once({ method: 'GET', path: '/gateway' });
  }
  await new Promise(setImmediate);
  expect(made).toBe(45);
});

import { expect, test } from 'vitest';
import { SetupError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import { DiscordRest } from '../../../src/platforms/discord/rest/discord-rest.ts';
import { serve } from '../../fakes/loopback.ts';

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

test('a token that was refused once is sent with the next request', async () => {
  const statuses = [401, 200];
  const { asked, origin } = await serve((_, response) => {
    response.writeHead(statuses.shift() ?? 500, { 'Content-Type': 'application/json' }).end('{}');
  });
  const rest = new DiscordRest({ token: 'token', timeoutMs: 1000, api: `${origin}/api` });
  const look = { method: 'GET', path: '/gateway' } as const;
  await expect(rest.once(look)).rejects.toThrow(SetupError);
  expect(await rest.once(look)).toEqual({});
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bot token', 'Bot token']);
});

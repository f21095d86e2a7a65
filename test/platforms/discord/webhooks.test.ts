import { expect, test } from 'vitest';
import { DiscordRest } from '../../../src/platforms/discord/rest/discord-rest.ts';
import { ChannelWebhooks } from '../../../src/platforms/discord/rest/webhooks.ts';

test('a webhook that people have moved to another channel is replaced within a minute', async () => {
  let there = [{ id: '1', token: 'one', application_id: 'council' }];
  const rest = new DiscordRest({
    token: 'token',
    timeoutMs: 1000,
    intercept: async ({ method }) => (method === 'GET' ? there : { id: '2', token: 'two' }),
  });
  let now = 1;
  const webhooks = new ChannelWebhooks('council', () => now);
  expect(await webhooks.of(rest, 'channel')).toMatchObject({ id: '1' });
  there = [];
  now += 59_000;
  expect(await webhooks.of(rest, 'channel')).toMatchObject({ id: '1' });
  now += 2000;
  expect(await webhooks.of(rest, 'channel')).toMatchObject({ id: '2' });
});

import { expect, test } from 'vitest';
import { startConnected, textChannel } from './connected-client.ts';
import { adjustableClock } from './world/clock.ts';

/** Requests without the client's own waiting, so that the limits themselves are seen. */
async function bare(token: string, url: string, method = 'POST', body: unknown = { content: 'x' }) {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const json: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, json };
}

const frozen = () => adjustableClock(() => 1_800_000_000_000);

test('a channel takes five messages in five seconds, and says so in its headers', async () => {
  await using started = await startConnected({ rateLimits: true, clock: frozen() });
  const { discord, channel } = started;
  const url = `${discord.api}/v10/channels/${channel.id}/messages`;
  const first = await bare(discord.token, url);
  expect(first.headers.get('x-ratelimit-limit')).toBe('5');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('4');
  for (let count = 0; count < 4; count++) await bare(discord.token, url);
  discord.clock.advance(1000);
  const sixth = await bare(discord.token, url);
  expect(sixth.status).toBe(429);
  expect(sixth.headers.get('retry-after')).toBe('4');
  expect(sixth.headers.get('x-ratelimit-scope')).toBe('user');
  expect(sixth.json).toMatchObject({ retry_after: 4, global: false });
  discord.clock.advance(4000);
  expect((await bare(discord.token, url)).status).toBe(200);
  expect(discord.violations.all).toEqual([]);
});

test('all webhooks of a channel share thirty messages a minute, which no header tells', async () => {
  await using started = await startConnected({ rateLimits: true, clock: frozen() });
  const { discord, client, channel } = started;
  const text = textChannel(client, channel.id);
  const urls: string[] = [];
  for (const name of ['One', 'Two']) {
    const { id, token } = await text.createWebhook({ name });
    urls.push(`${discord.api}/v10/webhooks/${id}/${token}`);
  }
  for (let count = 0; count < 30; count++) {
    if (count % 5 === 0) discord.clock.advance(2000);
    expect((await bare(discord.token, urls[count % 2] ?? '')).status).toBe(204);
  }
  discord.clock.advance(2000);
  const over = await bare(discord.token, urls[0] ?? '');
  expect(over.status).toBe(429);
  expect(Number(over.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
  expect(over.headers.get('retry-after')).toBe('48');
});

test('a token makes fifty requests a second', async () => {
  await using started = await startConnected({ rateLimits: true, clock: frozen() });
  const { discord, channel } = started;
  discord.clock.advance(1000);
  const url = `${discord.api}/v10/channels/${channel.id}`;
  for (let count = 0; count < 50; count++) await bare(discord.token, `${url}/typing`);
  const over = await bare(discord.token, `${url}/typing`);
  expect(over.headers.get('x-ratelimit-global')).toBe('true');
  expect(over.headers.get('x-ratelimit-scope')).toBe('global');
  expect(over.json).toMatchObject({ global: true });
});

test('a thread takes two names in ten minutes', async () => {
  await using started = await startConnected({ rateLimits: true, clock: frozen() });
  const { discord, client, channel } = started;
  const thread = await textChannel(client, channel.id).threads.create({ name: 'x' });
  const url = `${discord.api}/v10/channels/${thread.id}`;
  for (const name of ['a', 'b']) await bare(discord.token, url, 'PATCH', { name });
  const third = await bare(discord.token, url, 'PATCH', { name: 'c' });
  expect(third.status).toBe(429);
  expect(third.headers.get('retry-after')).toBe('600');
});

test('messages older than an hour can be edited a few times only', async () => {
  await using started = await startConnected({ rateLimits: true, clock: frozen() });
  const { discord, client, channel } = started;
  const { id } = await textChannel(client, channel.id).send('card');
  const url = `${discord.api}/v10/channels/${channel.id}/messages/${id}`;
  expect((await bare(discord.token, url, 'PATCH')).status).toBe(200);
  discord.clock.advance(3_600_000);
  const edits: number[] = [];
  for (let count = 0; count < 4; count++) {
    edits.push((await bare(discord.token, url, 'PATCH')).status);
  }
  expect(edits).toEqual([200, 200, 200, 429]);
  expect((await bare(discord.token, url, 'PATCH')).json).toMatchObject({ code: 30046 });
});

test('with limits off nothing is refused', async () => {
  await using started = await startConnected();
  const { discord, channel } = started;
  const url = `${discord.api}/v10/channels/${channel.id}/messages`;
  for (let count = 0; count < 8; count++) {
    expect((await bare(discord.token, url)).status).toBe(200);
  }
});

test.each(['user', 'shared', 'global', 'hidden'] as const)(
  'the real client honours a %s 429',
  async (scope) => {
    await using started = await startConnected();
    const { discord, client, channel } = started;
    const route = 'POST /channels/{channel_id}/messages';
    discord.faults.failNext(route, { kind: 'rate limit', scope, retryAfterMs: 100 });
    await textChannel(client, channel.id).send('patient');
    const posts = discord.calls.filter((call) => call.route === route);
    expect(posts.map(({ status }) => status)).toEqual([429, 200]);
    expect(posts[0]?.limitedBy).toBe(scope === 'hidden' ? 'user' : scope);
    expect((posts[1]?.atMs ?? 0) - (posts[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(100);
    expect(discord.violations.all).toEqual([]);
  },
);

test('the real client reads the headers and waits, so that a burst sees no 429', async () => {
  await using started = await startConnected({ rateLimits: true });
  const { discord, client, channel } = started;
  const webhook = await textChannel(client, channel.id).createWebhook({ name: 'Sages' });
  await Promise.all(['1', '2', '3', '4', '5', '6'].map((content) => webhook.send(content)));
  expect(discord.messages(channel.id).map(({ wire }) => wire.content)).toEqual([
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
  ]);
  expect(discord.calls.filter(({ status }) => status === 429)).toEqual([]);
});

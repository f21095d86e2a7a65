import { expect, test } from 'vitest';
import { SetupError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import { DiscordRefusal } from '../../../src/platforms/discord/discord-error.ts';
import { DiscordRest } from '../../../src/platforms/discord/rest/discord-rest.ts';
import { startThread } from '../../../src/platforms/discord/rest/threads.ts';
import { serve } from '../../fakes/loopback.ts';

test('requests that a person waits for share the token’s budget with all others', async () => {
  let made = 0;
  const rest = new DiscordRest({
    token: 'token',
    timeoutMs: 1000,
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
    response.writeHead(statuses.shift() ?? 500, { 'Content-Type': 'application/json' });
    response.end('{"code":0}');
  });
  const rest = new DiscordRest({ token: 'token', timeoutMs: 1000, api: `${origin}/api` });
  const look = { method: 'GET', path: '/gateway' } as const;
  await expect(rest.once(look)).rejects.toThrow(SetupError);
  expect(await rest.once(look)).toEqual({ code: 0 });
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bot token', 'Bot token']);
});

test.each([
  { without: 'a wait', headers: { 'Content-Type': 'application/json' }, body: '{}' },
  {
    without: 'a wait in seconds',
    headers: { 'Content-Type': 'text/html', 'Retry-After': 'Sun, 06 Nov 1994 08:49:37 GMT' },
    body: '<html>',
  },
])(
  'a request that is refused by a 429 without $without is not repeated at once',
  async (answer) => {
    const { asked, origin } = await serve((_, response) => {
      response.writeHead(429, answer.headers).end(answer.body);
    });
    const wait = Promise.withResolvers<number>();
    const clock = {
      now: () => 0,
      startTimer: (_: unknown, delayMs: number) => {
        wait.resolve(delayMs);
        return () => undefined;
      },
    };
    const rest = new DiscordRest({ token: 'token', timeoutMs: 1000, api: `${origin}/api`, clock });
    void rest.once({ method: 'GET', path: '/gateway' });
    expect(await wait.promise).toBeGreaterThanOrEqual(5000);
    expect(asked).toHaveLength(1);
  },
);

test.each([
  { by: 'a page', status: 403, type: 'text/html', body: '<html>error code: 1020</html>' },
  {
    by: 'code 40333',
    status: 403,
    type: 'application/json',
    body: '{"message":"internal network error","code":40333}',
  },
  { by: 'a page that looks like a wrong token', status: 401, type: 'text/html', body: '<html>' },
])('a request that Discord’s proxy refuses by $by is made again', async (refusal) => {
  const answers = [refusal, { status: 200, type: 'application/json', body: '{}' }];
  const { origin } = await serve((_, response) => {
    const { status = 500, type, body } = answers.shift() ?? {};
    response.writeHead(status, { 'Content-Type': type }).end(body);
  });
  const options = { token: 'token', timeoutMs: 1000, api: `${origin}/api` };
  const rest = new DiscordRest({ ...options, retryWaitsMs: [1] });
  expect(await rest.withRetries({ method: 'GET', path: '/gateway' })).toEqual({});
});

test.each([
  { channel: 'a channel', code: 160_006 },
  { channel: 'an announcement channel', code: 160_007 },
])(
  'what people read of too many threads in $channel has Discord’s own refusal as its cause',
  async ({ code }) => {
    const cause = new DiscordRefusal('Discord refused.', { code, status: 400 });
    const intercept = () => Promise.reject(cause);
    const rest = new DiscordRest({ token: 'token', timeoutMs: 1000, intercept });
    await expect(startThread(rest, '1', '2', 'A question')).rejects.toMatchObject({
      cause,
      message: expect.stringContaining('as many open threads'),
    });
  },
);

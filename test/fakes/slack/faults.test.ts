import { describe, expect, test } from 'vitest';
import { newClient, startWorld } from './connected-app.ts';

async function startClient(options?: Parameters<typeof startWorld>[0]) {
  const world = await startWorld(options);
  const { slack, channel } = world;
  const client = newClient(slack, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 300,
  });
  const post = (text: string) => client.chat.postMessage({ channel: channel.id, text });
  const texts = () => slack.messages(channel).map(({ text }) => text);
  return { ...world, client, post, texts };
}

describe('calls that go wrong', () => {
  test('are refused for so long as the fault says', async () => {
    await using world = await startClient();
    const { slack, post, texts } = world;
    slack.faults.plan('chat.postMessage', { kind: 'rate limit', retryAfterSeconds: 7 });
    await expect(post('one')).rejects.toMatchObject({ retryAfter: 7 });
    slack.faults.plan('*', { kind: 'status', status: 500 }, { after: 1, times: 2 });
    await post('two');
    await expect(post('three')).rejects.toThrow('500');
    await expect(post('four')).rejects.toThrow('500');
    await post('five');
    expect(texts()).toEqual(['two', 'five']);
  });

  test('may have been carried out although no one was told', async () => {
    await using world = await startClient();
    const { slack, post, texts } = world;
    slack.faults.plan('chat.postMessage', { kind: 'silence after processing' });
    await expect(post('done, in silence')).rejects.toThrow();
    slack.faults.plan('chat.postMessage', { kind: 'drop after processing' });
    await expect(post('done, and cut')).rejects.toThrow();
    slack.faults.plan('chat.postMessage', { kind: 'status after processing', status: 503 });
    await expect(post('done, with an error')).rejects.toThrow('503');
    slack.faults.plan('chat.postMessage', { kind: 'silence' });
    await expect(post('not done')).rejects.toThrow();
    slack.faults.plan('chat.postMessage', { kind: 'drop' });
    await expect(post('nor this')).rejects.toThrow();
    expect(texts()).toEqual(['done, in silence', 'done, and cut', 'done, with an error']);
  });

  test('are chosen by what they say', async () => {
    await using world = await startClient();
    const { slack, post, texts } = world;
    slack.faults.plan(
      'chat.postMessage',
      { kind: 'refusal', error: 'internal_error' },
      { when: ({ args }) => args.text === 'bad' },
    );
    await post('good');
    await expect(post('bad')).rejects.toThrow('internal_error');
    expect(texts()).toEqual(['good']);
  });
});

describe('the limits', () => {
  test('are one message a second and channel, and others of their own for other methods', async () => {
    await using world = await startClient({ limits: true });
    const { slack, client, post, channel } = world;
    const other = await slack.addChannel('other');
    await post('one');
    const { ts = '' } = await post('two');
    await expect(post('three')).rejects.toMatchObject({ retryAfter: 2 });
    await client.chat.postMessage({ channel: other.id, text: 'elsewhere' });
    slack.clock.advance(2_000);
    await post('four');
    for (let edit = 0; edit < 50; edit += 1) {
      await client.chat.update({ channel: channel.id, ts, text: `edit ${edit}` });
    }
    const late = client.chat.update({ channel: channel.id, ts, text: 'too many' });
    await expect(late).rejects.toMatchObject({ code: 'slack_webapi_rate_limited_error' });
    expect([...slack.limits.refused]).toEqual([
      ['chat.postMessage', 1],
      ['chat.update', 1],
    ]);
  });
});

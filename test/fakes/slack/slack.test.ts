import { describe, expect, test } from 'vitest';
import { newApp, newClient, startConnected, startWorld } from './connected-app.ts';

describe('a Slack on loopback, with the real Bolt', () => {
  test('tells the app of a mention twice and shows what it answers', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    const heard: string[] = [];
    app.message(async ({ message }) => {
      heard.push(message.type);
    });
    app.event('app_mention', async ({ event, say }) => {
      heard.push(event.type);
      await say({ text: 'All men are mortal.', thread_ts: event.ts, username: 'Socrates' });
    });
    const said = await ada.mentions(channel, 'who is mortal?');
    expect(said.deliveries.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'app_mention acknowledged',
      'message acknowledged',
    ]);
    await slack.until(() => slack.thread(channel, said.thread).length === 2, 'an answer');
    expect(
      slack.thread(channel, said.thread).map(({ author, text }) => `${author}: ${text}`),
    ).toEqual([
      `Ada: <@${slack.installation().botUserId}> who is mortal?`,
      'Socrates: All men are mortal.',
    ]);
    expect(heard.toSorted()).toEqual(['app_mention', 'message']);
    expect(slack.calls.map(({ method }) => method)).toContain('chat.postMessage');
    slack.assertNoViolations();
  });

  test('keeps what happens while the app is away and tells it in order when it comes', async () => {
    await using world = await startWorld();
    const { slack, ada, channel } = world;
    for (const text of ['first', 'second']) {
      const { deliveries } = await ada.says(channel, text);
      expect(deliveries.map(({ status }) => status)).toEqual(['kept']);
    }
    const app = newApp(slack);
    const heard: string[] = [];
    app.message(async ({ message, client }) => {
      if ('text' in message) heard.push(message.text ?? '');
      await client.auth.test();
    });
    await app.start();
    await slack.until(() => heard.length === 2, 'both messages');
    await app.stop();
    expect(heard).toEqual(['first', 'second']);
  });

  test('gives a thread back to the app as it shows it to people', async () => {
    await using world = await startWorld();
    const { slack, ada, channel } = world;
    const client = newClient(slack);
    const said = await ada.says(channel, 'Why?');
    const metadata = { event_type: 'answer', event_payload: { turn_id: 't1' } };
    await client.chat.postMessage({
      channel: channel.id,
      thread_ts: said.thread,
      markdown_text: '**Because**',
      metadata,
    });
    const plain = await client.conversations.replies({ channel: channel.id, ts: said.thread });
    expect(plain.messages?.map(({ text }) => text)).toEqual(['Why?', '**Because**']);
    expect(plain.messages?.[0]?.reply_count).toBe(1);
    expect(plain.messages?.[1]?.metadata).toBeUndefined();
    const whole = await client.conversations.replies({
      channel: channel.id,
      ts: said.thread,
      include_all_metadata: true,
    });
    expect(whole.messages?.[1]?.metadata).toEqual(metadata);
  });
});

import { describe, expect, test } from 'vitest';
import { startConnected } from './connected-app.ts';

describe('events of a Slack', () => {
  test('are sent as often as a test likes, as retries of one event', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    slack.events.copies = 3;
    const heard: unknown[] = [];
    app.event('app_mention', async ({ body, context }) => {
      heard.push([body.event_id, context.retryNum ?? 0]);
    });
    const { deliveries } = await ada.mentions(channel, 'why?');
    const id = deliveries.find(({ type }) => type === 'app_mention')?.eventId ?? '';
    await slack.until(() => heard.length === 3, 'three deliveries');
    expect(heard).toEqual([
      [id, 0],
      [id, 1],
      [id, 2],
    ]);
    await slack.events.redeliver(id);
    expect(heard.at(-1)).toEqual([id, 3]);
  });

  test('come again by themselves when the acknowledgement is lost', async () => {
    await using world = await startConnected({ retryDelaysMs: [0, 0] });
    const { slack, app, ada, channel } = world;
    const heard: unknown[] = [];
    app.message(async ({ context }) => {
      heard.push([context.retryNum, context.retryReason]);
    });
    slack.events.lostAcknowledgements = 1;
    const { deliveries } = await ada.says(channel, 'hello');
    expect(deliveries.map(({ status }) => status)).toEqual(['not acknowledged']);
    await slack.until(() => slack.events.all[0]?.status === 'acknowledged', 'an acknowledgement');
    await slack.until(() => heard.length === 2, 'both deliveries');
    expect(heard).toEqual([
      [0, ''],
      [1, 'timeout'],
    ]);
  });

  test('wait while Slack is out of reach, and the app comes back by itself', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    const heard: string[] = [];
    app.message(async ({ message }) => {
      if ('text' in message) heard.push(message.text ?? '');
    });
    await slack.goAway();
    await expect(fetch(slack.origin)).rejects.toThrow('fetch failed');
    const { deliveries } = await ada.says(channel, 'still here?');
    expect(deliveries.map(({ status }) => status)).toEqual(['kept']);
    await slack.comeBack();
    await slack.until(() => heard.length === 1, 'the message', 25_000);
    expect(heard).toEqual(['still here?']);
  });

  test('are told of the app that subscribed to them, may read there and is a member', async () => {
    await using world = await startConnected({ events: ['message.channels', 'app_mention'] });
    const { slack, ada, channel } = world;
    const types = async (said: ReturnType<typeof ada.says>) =>
      (await said).deliveries.map(({ type }) => type);
    expect(await types(ada.mentions(channel, 'why?'))).toEqual(['app_mention', 'message']);
    const foreign = await slack.addChannel('foreign', { hasApp: false });
    expect(await types(ada.mentions(foreign, 'why?'))).toEqual([]);
    const secret = await slack.addChannel('secret', { isPrivate: true });
    expect(await types(ada.says(secret, 'why?'))).toEqual([]);
    slack.setScopes(['chat:write']);
    expect(await types(ada.mentions(channel, 'why?'))).toEqual([]);
  });

  test('tell of what the app itself wrote, changed and deleted', async () => {
    await using world = await startConnected();
    const { slack, app, channel } = world;
    const { ts = '' } = await app.client.chat.postMessage({ channel: channel.id, text: 'one' });
    await app.client.chat.update({ channel: channel.id, ts, text: 'two' });
    await app.client.chat.delete({ channel: channel.id, ts });
    const installation = slack.installation();
    expect(slack.events.all.map(({ payload }) => payload.event)).toMatchObject([
      { type: 'message', text: 'one', bot_id: installation.botId, user: installation.botUserId },
      { subtype: 'message_changed', message: { text: 'two' }, previous_message: { text: 'one' } },
      { subtype: 'message_deleted', deleted_ts: ts },
    ]);
  });

  test('tell of a deleted question as a tombstone once a thread hangs on it', async () => {
    await using world = await startConnected();
    const { slack, app, ada, channel } = world;
    const alone = await ada.says(channel, 'never mind');
    await ada.deletes(channel, alone);
    const question = await ada.says(channel, 'why?');
    await app.client.chat.postMessage({
      channel: channel.id,
      thread_ts: question.thread,
      text: 'so',
    });
    await ada.deletes(channel, question);
    const told = slack.events.all.map(({ payload }) => payload.event);
    expect(told).toContainEqual(expect.objectContaining({ subtype: 'message_deleted' }));
    expect(told.at(-1)).toMatchObject({
      subtype: 'message_changed',
      message: { subtype: 'tombstone', ts: question.ts },
    });
  });
});

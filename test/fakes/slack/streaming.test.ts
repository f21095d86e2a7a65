import { describe, expect, test } from 'vitest';
import { newClient, startWorld } from './connected-app.ts';

async function startThread() {
  const world = await startWorld();
  const { slack, ada, channel } = world;
  const client = newClient(slack);
  const said = await ada.says(channel, 'Why?');
  const place = {
    channel: channel.id,
    thread_ts: said.thread,
    recipient_user_id: ada.user.id,
    recipient_team_id: slack.workspace.id,
  };
  const answers = () => slack.thread(channel, said.thread).slice(1);
  return { ...world, client, said, place, answers };
}

describe('a stream', () => {
  test('is seen to grow under the name that it was started with', async () => {
    await using world = await startThread();
    const { client, place, answers, slack } = world;
    const stream = client.chatStream({ ...place, username: 'Seneca', buffer_size: 1 });
    await stream.append({ markdown_text: '**All** ' });
    expect(answers()).toMatchObject([
      { author: 'Seneca', text: '**All** ', streaming: 'in_progress' },
    ]);
    await stream.append({ markdown_text: 'men' });
    expect(answers()[0]?.text).toBe('**All** men');
    const metadata = { event_type: 'answer', event_payload: { sage: 'seneca' } };
    await stream.stop({ markdown_text: ' are mortal.', metadata });
    expect(answers()).toMatchObject([
      { text: '**All** men are mortal.', streaming: 'completed', metadata },
    ]);
    const replies = await client.conversations.replies({
      channel: place.channel,
      ts: place.thread_ts,
    });
    expect(replies.messages?.[1]).toMatchObject({
      text: '**All** men are mortal.',
      username: 'Seneca',
      streaming_state: 'completed',
    });
    slack.assertNoViolations();
  });

  test('shows tasks where they were begun and as they are now', async () => {
    await using world = await startThread();
    const { client, place, answers } = world;
    const stream = client.chatStream({ ...place, task_display_mode: 'plan' });
    await stream.append({
      chunks: [
        { type: 'plan_update', title: 'The council' },
        { type: 'task_update', id: 'taleb', title: 'Taleb', status: 'in_progress' },
        { type: 'task_update', id: 'seneca', title: 'Seneca', status: 'pending' },
      ],
    });
    await stream.append({
      chunks: [{ type: 'task_update', id: 'taleb', title: 'Taleb', status: 'complete' }],
    });
    expect(answers()[0]?.blocks).toMatchObject([
      {
        type: 'plan',
        title: 'The council',
        tasks: [
          { task_id: 'taleb', status: 'complete' },
          { task_id: 'seneca', status: 'pending' },
        ],
      },
    ]);
  });

  test('takes nothing more once Slack has closed it, and is then edited', async () => {
    await using world = await startThread();
    const { client, place, answers, slack } = world;
    const { ts = '' } = await client.chat.startStream({ ...place, markdown_text: 'So' });
    const more = { channel: place.channel, ts, markdown_text: 'So be it' };
    await expect(client.chat.update(more)).rejects.toThrow('streaming_state_conflict');
    slack.clock.advance(5 * 60_000);
    await expect(client.chat.appendStream(more)).rejects.toThrow('message_not_in_streaming_state');
    await client.chat.update(more);
    expect(answers()).toMatchObject([{ text: 'So be it', isEdited: true, streaming: 'errored' }]);
  });

  test('must be in a thread, and in a channel for someone', async () => {
    await using world = await startThread();
    const { client, place, channel } = world;
    const { thread_ts: thread } = place;
    await expect(
      client.chat.startStream({ channel: channel.id, thread_ts: thread }),
    ).rejects.toThrow('missing_recipient_user_id');
    await expect(
      client.apiCall('chat.startStream', { ...place, thread_ts: undefined }),
    ).rejects.toThrow('invalid_arguments');
    await expect(
      client.chat.startStream({ ...place, thread_ts: '1000000000.000001' }),
    ).rejects.toThrow('thread_not_found');
  });

  test('holds no more than a message holds', async () => {
    await using world = await startThread();
    const { client, place, slack } = world;
    const { ts = '' } = await client.chat.startStream(place);
    const append = (characters: number) =>
      client.chat.appendStream({
        channel: place.channel,
        ts,
        markdown_text: 'x'.repeat(characters),
      });
    await expect(append(12_001)).rejects.toThrow('msg_too_long');
    expect(slack.violations.all).toMatchObject([
      { method: 'chat.appendStream', code: 'msg_too_long' },
    ]);
    await append(12_000);
    await expect(append(2_000)).rejects.toThrow('msg_too_long');
  });
});
